import { LongText } from './long-text.tsx';
import { Text } from './text.tsx';

interface PairsProps {
  readonly pairs: readonly { readonly name: string; readonly text: string }[];
}

const SHORT = 200;

/** Names and values under each other, such as the arguments of a call. */
export function Pairs({ pairs }: PairsProps) {
  if (pairs.length === 0) return <p class="soft">It has no arguments.</p>;
  return (
    <dl class="pairs">
      {pairs.map(({ name, text }) => (
        <div key={name} class="pair">
          <dt>
            <Text>{name}</Text>
          </dt>
          <dd>
            {text.length > SHORT || text.includes('\n') ? (
              <LongText text={text} label={name} />
            ) : (
              <Text>{text}</Text>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
