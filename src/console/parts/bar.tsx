import type { JobStatus } from '../../client.ts';
import { type Part, segments } from '../model/bar.ts';

interface BarProps {
  readonly parts: readonly Part[];
  /** What the whole bar stands for. @default what the parts add up to */
  readonly all?: number;
  /** The same in words. */
  readonly label: string;
  readonly tall?: boolean;
}

/** Parts of a whole beside each other. Its words stand beside it or in its label, so that nothing is told by colour alone. */
export function Bar({ parts, all = 0, label, tall = false }: BarProps) {
  return (
    <svg
      class={tall ? 'bar tall' : 'bar'}
      viewBox="0 0 100 8"
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <rect class="ground" width="100" height="8" />
      {segments(parts, all).map(({ tone, name, from, width }) => (
        <rect key={name} class={`tone-${tone}`} x={from} width={width} height="8" />
      ))}
    </svg>
  );
}

/** What the colours of a bar stand for, with their figures. */
export function Legend({
  parts,
  text,
  listOf,
}: {
  readonly parts: readonly Part[];
  readonly text: (value: number) => string;
  /** Where the jobs of a status are listed. */
  readonly listOf?: (status: JobStatus) => string;
}) {
  return (
    <ul class="legend">
      {parts
        .filter(({ value }) => value > 0)
        .map(({ tone, name, value, status }) => (
          <li key={name}>
            <span class={`swatch tone-${tone}`} aria-hidden="true" />
            {listOf === undefined || status === undefined ? name : <a href={listOf(status)}>{name}</a>}{' '}
            <b>{text(value)}</b>
          </li>
        ))}
    </ul>
  );
}
