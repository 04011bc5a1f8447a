import type { Approval } from '../../client.ts';
import { argumentsOf, countdown, keyOf } from '../model/approvals.ts';
import { count, countOf } from '../model/figures.ts';
import { aboutInput, oneLine, ticketOf } from '../model/text.ts';
import { now } from '../now.ts';
import { Text } from '../parts/text.tsx';
import { pageOf } from '../settings.ts';
import { useAsked } from '../use-asked.ts';

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
        </a>{' '}
        {many > approvals.length && <a href={pageOf.approvals}>{count(many - approvals.length)} more</a>}
      </p>
    </section>
  );
}

function Line({ approval }: { readonly approval: Approval }) {
  const { tool, jobId, rowId, batchId, metadata, input, expiresAt } = approval;
  const asked = useAsked(jobId);
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
        {batchId !== null && (
          <span class="soft small">
            {' '}
            in <a href={pageOf.batch(batchId)}>{batchId}</a>
          </span>
        )}
        {asked !== '' && (
          <span class="about">
            <Text>{aboutInput(asked)}</Text>
          </span>
        )}
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
