import { Bar } from './bar.tsx';
import { Text } from './text.tsx';

interface LengthsProps {
  readonly lines: readonly { readonly name: string; readonly value: number }[];
  readonly text: (value: number) => string;
}

/** Names with their figures and bars under each other. */
export function Lengths({ lines, text }: LengthsProps) {
  const most = lines.reduce((all, { value }) => Math.max(all, value), 0);
  return (
    <ul class="lengths">
      {lines.map(({ name, value }) => (
        <li key={name}>
          <span>
            <Text>{name}</Text>
          </span>
          <Bar parts={[{ tone: 'spent', name, value }]} all={most} label={`${name}: ${text(value)}`} />
          <span class="number">{text(value)}</span>
        </li>
      ))}
    </ul>
  );
}
