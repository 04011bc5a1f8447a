import type { Approval } from '../../client.ts';
import { argumentsOf, countdown, keyOf } from '../model/approvals.ts';
import { countOf } from '../model/figures.ts';
import { oneLine, ticketOf } from '../model/text.ts';
import { now } from '../now.ts';
import { Text } from '../parts/text.tsx';
import { pageOf } from '../settings.ts';

interface LinesProps {
  readonly approvals: readonly Approval[];
  readonly many: number;
}

/** What needs a person, one line for each. */
export function ApprovalLines({ approvals, many }: LinesProps) {
  if (many === 0) return null;
  return (
    <section aria-labelledby="needs">
      <h2 id="needs">What needs you</h2>
      <ul class="asks">
        {approvals.map((approval) => (
          <Line key={keyOf(approval)} approval={approval} />
        ))}
      </ul>
      <p>
        <a class="button" href={pageOf.approvals}>
          Decide {countOf(many, 'approval')}
        </a>
      </p>
    </section>
  );
}

function Line({ approval }: { readonly approval: Approval }) {
  const { tool, jobId, rowId, metadata, input, expiresAt } = approval;
  const left = countdown(expiresAt, now.value);
  return (
    <li>
      <p>
        <strong>
          <Text>{tool}</Text>
        </strong>{' '}
        for{' '}
        <a href={pageOf.job(jobId)}>
          <Text>{ticketOf(metadata, rowId) ?? jobId}</Text>
        </a>
      </p>
      <dl class="words">
        {argumentsOf(input).map(({ name, text }) => (
          <div key={name}>
            <dt>
              <Text>{name}</Text>
            </dt>
            <dd>
              <Text>{oneLine(text, 80)}</Text>
            </dd>
          </div>
        ))}
      </dl>
      <p class={left.urgent ? 'warn' : 'soft'}>{left.text}</p>
    </li>
  );
}
