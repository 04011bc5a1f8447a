import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly hint?: string | undefined;
  readonly wrong?: string | undefined;
  readonly long?: boolean;
  readonly number?: boolean;
  readonly maxLength?: number;
}

/** A labelled input, with what is wrong about it beside it. */
export function Field({
  label,
  value,
  onInput,
  hint,
  wrong,
  long = false,
  number = false,
  maxLength,
}: FieldProps) {
  const id = useId();
  const shared = {
    id,
    value,
    'aria-invalid': wrong !== undefined,
    ...(maxLength === undefined ? {} : { maxLength }),
    onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
      onInput(event.currentTarget.value),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {long ? (
        <textarea rows={3} {...shared} />
      ) : (
        <input type="text" inputMode={number ? 'decimal' : 'text'} autoComplete="off" {...shared} />
      )}
      {wrong !== undefined && <span class="wrong">{wrong}</span>}
      {hint !== undefined && <span class="soft small">{hint}</span>}
    </div>
  );
}
