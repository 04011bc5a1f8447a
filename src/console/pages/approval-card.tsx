import type { Approval } from '../../client.ts';
import { argumentsOf, countdown, type Outcome, sentenceOf } from '../model/approvals.ts';
import { dateTime, span } from '../model/figures.ts';
import { aboutInput, ticketOf } from '../model/text.ts';
import { now } from '../now.ts';
import { LongText } from '../parts/long-text.tsx';
import { Pairs } from '../parts/pairs.tsx';
import { Text } from '../parts/text.tsx';
import { pageOf } from '../settings.ts';
import { useAsked } from '../use-asked.ts';
import type { Verdict } from './decide-dialog.tsx';

interface CardProps {
  readonly approval: Approval;
  readonly chosen: boolean;
  readonly outcome: Outcome | undefined;
  readonly onChoose: () => void;
  readonly onAsk: (verdict: Verdict) => void;
}

/** One call that waits: what it would do, who asked for it, and how long there is. */
export function ApprovalCard({ approval, chosen, outcome, onChoose, onAsk }: CardProps) {
  const { tool, jobId, rowId, metadata, input, expiresAt, requestedAt } = approval;
  const left = countdown(expiresAt, now.value);
  const ticket = ticketOf(metadata, rowId);
  const asked = useAsked(jobId);
  return (
    <li
      class={`ask ${chosen ? 'chosen' : ''} ${outcome === undefined ? '' : 'settled'}`}
      aria-current={chosen ? 'true' : undefined}
      tabIndex={-1}
      onFocusCapture={(event) => isPressed(event) || onChoose()}
      onPointerDown={(event) => isPressed(event) || onChoose()}
    >
      <div class="ask-head">
        <h2>
          <Text>{tool}</Text>
          <span class="soft">
            {' for '}
            <Text>{ticket ?? jobId}</Text>
          </span>
        </h2>
        {outcome === undefined && (
          <p class={left.urgent ? 'warn' : 'soft'} title={`until ${dateTime(expiresAt)}`}>
            {left.text}
          </p>
        )}
      </div>
      <Pairs pairs={argumentsOf(input)} />
      {asked !== '' && <Asked input={asked} open={chosen && outcome === undefined} />}
      <p class="facts soft small">
        <a href={pageOf.job(jobId)}>Its job</a>
        {approval.batchId !== null && <a href={pageOf.batch(approval.batchId)}>its batch</a>}
        <span>
          agent <Text>{approval.agent}</Text>
        </span>
        <span>waits for {span(now.value - Date.parse(requestedAt))}</span>
      </p>
      {outcome === undefined ? (
        <div class="buttons">
          <button type="button" class="primary" disabled={left.over} onClick={() => onAsk('approve')}>
            Approve
          </button>
          <button type="button" class="danger" disabled={left.over} onClick={() => onAsk('deny')}>
            Deny
          </button>
        </div>
      ) : (
        <p class={outcome.type === 'refused' ? 'bad' : 'good'}>{sentenceOf(outcome)}</p>
      )}
    </li>
  );
}

/**
 * Whether a button is about to be pressed with a pointer. To choose its card then would open and close tickets, and the
 * button would slip away before the pointer is up; the press itself chooses.
 */
function isPressed({ target }: Event): boolean {
  if (!(target instanceof Element)) return false;
  const button = target.closest('button');
  return button !== null && !button.matches(':focus-visible');
}

/** What was asked for, in the words of whoever asked; open for the call that is chosen. */
function Asked({ input, open }: { readonly input: string; readonly open: boolean }) {
  return (
    <details open={open}>
      <summary>
        Asked: <Text>{aboutInput(input)}</Text>
      </summary>
      <LongText text={input} label="the input" />
    </details>
  );
}
