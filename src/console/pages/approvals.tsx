import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Approval } from '../../client.ts';
import { api, isUnknown, tenant, whyNot } from '../api.ts';
import { useKeys } from '../keys.ts';
import { keyOf, nextOpen, type Outcome, sentenceOf, withDecided } from '../model/approvals.ts';
import { count, countOf } from '../model/figures.ts';
import { ticketOf } from '../model/text.ts';
import { say, UNKNOWN } from '../notice.ts';
import { Loading, Page, Refused } from '../parts/page.tsx';
import { usePoll } from '../poll.ts';
import { ApprovalCard } from './approval-card.tsx';
import { DecideDialog, type Verdict } from './decide-dialog.tsx';

const SHOWN = 50;

/** Everything that waits for a person, the call that waits longest first. */
export function ApprovalsPage() {
  const { data, refused, refresh } = usePoll('approvals', () => api().approvals({ limit: SHOWN }));
  const [decided, setDecided] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const shown = useRef<readonly Approval[]>([]);
  useEffect(() => {
    shown.current = [];
    setDecided(new Map());
  }, [tenant.value]);
  const approvals = useMemo(() => withDecided(data?.items ?? [], shown.current, decided), [data, decided]);
  shown.current = approvals;
  const open = approvals.filter((approval) => !decided.has(keyOf(approval))).length;
  const title =
    data === undefined
      ? 'Approvals'
      : open === 0
        ? 'Nothing waits for you'
        : `${countOf(open, 'call')} ${open === 1 ? 'waits' : 'wait'} for you`;
  const settle = (approval: Approval, outcome: Outcome): void => {
    setDecided((known) => new Map([...known, [keyOf(approval), outcome]]));
    say(outcome.type === 'refused' ? 'refused' : 'done', sentenceOf(outcome));
    refresh();
  };
  return (
    <Page title={title} name="Approvals">
      {refused !== undefined && <Refused why={refused} />}
      {data === undefined && refused === undefined && <Loading />}
      {data !== undefined && approvals.length === 0 && (
        <p class="panel">
          A call of a tool that needs a person appears here, with what it would do and until when.
        </p>
      )}
      {approvals.length > 0 && <Inbox approvals={approvals} decided={decided} onDecided={settle} />}
      {data?.cursor && (
        <p class="soft">
          More wait than the {count(approvals.length)} shown; they follow as these are decided.
        </p>
      )}
    </Page>
  );
}

interface InboxProps {
  readonly approvals: readonly Approval[];
  readonly decided: ReadonlyMap<string, Outcome>;
  readonly onDecided: (approval: Approval, outcome: Outcome) => void;
}

/** Which card is chosen; the keyboard's focus goes where it goes. */
function useChosen(many: number) {
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLOListElement>(null);
  const choose = (at: number): void => {
    const next = Math.max(0, Math.min(many - 1, at));
    setChosen(next);
    const card = list.current?.children[next];
    if (card instanceof HTMLElement) {
      card.focus({ preventScroll: true });
      card.scrollIntoView({ block: 'nearest' });
    }
  };
  return { chosen, setChosen, list, choose };
}

function Inbox({ approvals, decided, onDecided }: InboxProps) {
  const { chosen, setChosen, list, choose } = useChosen(approvals.length);
  const [asking, setAsking] = useState<Asking | undefined>(undefined);
  const goTo = useRef<number | undefined>(undefined);
  // Once the dialog is gone, because it gives the focus back to where it was.
  useEffect(() => {
    if (asking !== undefined || goTo.current === undefined) return;
    choose(goTo.current);
    goTo.current = undefined;
  });
  const ask = (verdict: Verdict, at: number): void => {
    const approval = approvals[at];
    if (approval === undefined || decided.has(keyOf(approval))) return;
    setChosen(at);
    setAsking({ verdict, approval });
  };
  useKeys({
    j: () => choose(chosen + 1),
    k: () => choose(chosen - 1),
    a: () => ask('approve', chosen),
    d: () => ask('deny', chosen),
  });
  const settle = (outcome: Outcome): void => {
    if (asking === undefined) return;
    const { approval } = asking;
    setAsking(undefined);
    onDecided(approval, outcome);
    const next = new Map([...decided, [keyOf(approval), outcome]]);
    const at = approvals.findIndex((one) => keyOf(one) === keyOf(approval));
    goTo.current = nextOpen(approvals, next, at);
  };
  return (
    <>
      <KeysHint />
      <ol class="inbox" ref={list}>
        {approvals.map((approval, at) => (
          <ApprovalCard
            key={keyOf(approval)}
            approval={approval}
            chosen={at === chosen}
            outcome={decided.get(keyOf(approval))}
            onChoose={() => setChosen(at)}
            onAsk={(verdict) => ask(verdict, at)}
          />
        ))}
      </ol>
      {asking !== undefined && (
        <Question {...asking} onSettled={settle} onClose={() => setAsking(undefined)} />
      )}
    </>
  );
}

function KeysHint() {
  return (
    <p class="soft small keys-hint">
      <kbd>j</kbd> <kbd>k</kbd> move, <kbd>a</kbd> approve, <kbd>d</kbd> deny, <kbd>?</kbd> all keys
    </p>
  );
}

interface Asking {
  readonly verdict: Verdict;
  readonly approval: Approval;
}

interface QuestionProps extends Asking {
  readonly onSettled: (outcome: Outcome) => void;
  readonly onClose: () => void;
}

function Question({ verdict, approval, onSettled, onClose }: QuestionProps) {
  const { jobId, metadata, rowId } = approval;
  const decide = async (reason: string): Promise<void> => {
    const outcome = await send({ verdict, approval }, reason);
    if (outcome !== undefined) onSettled(outcome);
  };
  return (
    <DecideDialog
      {...{ verdict, approval, jobId, onClose }}
      ticket={ticketOf(metadata, rowId)}
      onDecide={decide}
    />
  );
}

/** Bound to the arguments that were on screen: others are refused. Undefined where nobody knows whether it was decided. */
async function send(asking: Asking, reason: string): Promise<Outcome | undefined> {
  const { verdict: decision, approval } = asking;
  const { jobId, callId, inputHash } = approval;
  try {
    await api().decide(jobId, callId, { decision, inputHash, ...(reason === '' ? {} : { reason }) });
    return { type: decision === 'approve' ? 'approved' : 'denied' };
  } catch (error) {
    if (!isUnknown(error)) return { type: 'refused', why: whyNot(error) };
    say('refused', UNKNOWN);
    return undefined;
  }
}
