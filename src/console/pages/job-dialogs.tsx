import { useState } from 'preact/hooks';
import type { Job } from '../../client.ts';
import { amountOf } from '../model/actions.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';

interface AskProps {
  readonly busy: boolean;
  readonly onClose: () => void;
}

type Sure = AskProps & { readonly onYes: () => void };

export function CancelDialog(asked: Sure) {
  return (
    <Confirm {...asked} title="Cancel this job?" verb="Cancel the job" danger>
      <p>A call that is under way ends first. What was done and paid so far is kept.</p>
    </Confirm>
  );
}

export function DeleteDialog(asked: Sure) {
  return (
    <Confirm {...asked} title="Delete this job?" verb="Delete the job" danger>
      <p>Its transcript, input and results are gone for ever; its id, cost and stop reason are kept.</p>
    </Confirm>
  );
}

const amounts = [
  { name: 'addUsd', label: 'US dollars to add', whole: false },
  { name: 'addSteps', label: 'Steps to add', whole: true },
  { name: 'addTokens', label: 'Tokens to add', whole: true },
  { name: 'addSeconds', label: 'Seconds to add', whole: true },
] as const;

type Amounts = Partial<Record<(typeof amounts)[number]['name'], number>>;

/** Which limit was met says which field comes first. */
const firstFor: Readonly<Record<string, string>> = {
  max_steps: 'addSteps',
  token_budget: 'addTokens',
  deadline: 'addSeconds',
};

export function ExtendDialog({
  job,
  busy,
  onYes,
  onClose,
}: AskProps & { readonly job: Job; readonly onYes: (more: Amounts) => void }) {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [wrong, setWrong] = useState<Readonly<Record<string, string>>>({});
  const first = firstFor[job.stop?.reason ?? ''] ?? 'addUsd';
  const yes = (): void => {
    const read = amounts.map(({ name, whole }) => [name, amountOf(texts[name] ?? '', whole)] as const);
    const bad = read.filter((entry): entry is [(typeof entry)[0], string] => typeof entry[1] === 'string');
    setWrong(Object.fromEntries(bad));
    if (bad.length === 0)
      onYes(Object.fromEntries(read.filter(([, value]) => typeof value === 'number')) as Amounts);
  };
  return (
    <Confirm title="Extend this job" verb="Extend" busy={busy} onYes={yes} onClose={onClose}>
      <p class="soft">{job.stop?.message}</p>
      {amounts
        .toSorted((a, b) => Number(b.name === first) - Number(a.name === first))
        .map(({ name, label }) => (
          <Field
            key={name}
            label={label}
            value={texts[name] ?? ''}
            onInput={(text) => setTexts((known) => ({ ...known, [name]: text }))}
            wrong={wrong[name]}
            number
          />
        ))}
    </Confirm>
  );
}

export function RetryDialog({
  job,
  busy,
  onYes,
  onClose,
}: AskProps & { readonly job: Job; readonly onYes: (from: { fromStep?: number }) => void }) {
  const [text, setText] = useState('');
  const [wrong, setWrong] = useState<string | undefined>(undefined);
  const yes = (): void => {
    const step = amountOf(text, true);
    if (typeof step === 'string') setWrong(step);
    else onYes(step === undefined ? {} : { fromStep: step });
  };
  return (
    <Confirm title="Retry this job" verb="Retry" busy={busy} onYes={yes} onClose={onClose}>
      <p class="soft">
        Without a step it goes on in the step that did not end. Calls that took effect are not run again.
      </p>
      <Field
        label={`From the start of step (1 to ${job.steps})`}
        value={text}
        onInput={setText}
        wrong={wrong}
        number
      />
    </Confirm>
  );
}

export function FollowUpDialog({
  busy,
  onYes,
  onClose,
}: AskProps & { readonly onYes: (content: string, key: string) => void }) {
  const [text, setText] = useState('');
  // One key for the dialog: pressed again after a lost answer, it is asked once.
  const [key] = useState(() => crypto.randomUUID());
  const [wrong, setWrong] = useState<string | undefined>(undefined);
  const yes = (): void => {
    if (text.trim() === '') setWrong('is due');
    else onYes(text, key);
  };
  return (
    <Confirm title="Follow up" verb="Send" busy={busy} onYes={yes} onClose={onClose}>
      <Field label="Message to the model" value={text} onInput={setText} wrong={wrong} long />
    </Confirm>
  );
}
