import { useState } from 'preact/hooks';
import type { Batch } from '../../client.ts';
import { api } from '../api.ts';
import { exportBatch } from '../export-batch.ts';
import { amountOf, type BatchAction, batchActions } from '../model/actions.ts';
import { useDoing } from '../notice.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';

const verbs: Readonly<Record<BatchAction, string>> = {
  pause: 'Pause',
  resume: 'Resume',
  close: 'Close to more rows',
  extend: 'Extend the pool',
  cancel: 'Cancel',
};

interface ActionsProps {
  readonly batch: Batch;
  readonly onDone: () => void;
}

export function BatchActions({ batch, onDone }: ActionsProps) {
  const { id } = batch;
  const { busy, perform } = useDoing();
  const [asking, setAsking] = useState<'extend' | 'cancel' | undefined>(undefined);
  const act = async (work: () => Promise<unknown>, done: string): Promise<void> => {
    if (await perform(work, done)) setAsking(undefined);
    onDone();
  };
  const start: Readonly<Record<BatchAction, () => void>> = {
    pause: () => void act(() => api().pauseBatch(id), 'Paused: no further row is started.'),
    resume: () => void act(() => api().resumeBatch(id), 'Resumed.'),
    close: () => void act(() => api().closeBatch(id), 'Closed: no rows can be added any more.'),
    extend: () => setAsking('extend'),
    cancel: () => setAsking('cancel'),
  };
  return (
    <div class="buttons">
      {batchActions(batch).map((action) => (
        <button key={action} type="button" disabled={busy} onClick={start[action]}>
          {verbs[action]}
        </button>
      ))}
      <span class="push" />
      {(['jsonl', 'csv'] as const).map((format) => (
        <button
          key={format}
          type="button"
          disabled={busy}
          onClick={() => void perform(() => exportBatch(id, format), `Exported as ${format}.`)}
        >
          Export {format.toUpperCase()}
        </button>
      ))}
      {asking === 'cancel' && (
        <Confirm
          title="Cancel this batch?"
          verb="Cancel the batch"
          danger
          busy={busy}
          onYes={() => void act(() => api().cancelBatch(id), 'Cancelled.')}
          onClose={() => setAsking(undefined)}
        >
          <p>Jobs under way are cancelled, rows that wait are never started. Results so far are kept.</p>
        </Confirm>
      )}
      {asking === 'extend' && (
        <ExtendPool
          busy={busy}
          onYes={(usd, idempotencyKey) =>
            void act(() => api().extendBatch(id, usd, { idempotencyKey }), 'Extended.')
          }
          onClose={() => setAsking(undefined)}
        />
      )}
    </div>
  );
}

interface ExtendPoolProps {
  readonly busy: boolean;
  readonly onYes: (addUsd: number, key: string) => void;
  readonly onClose: () => void;
}

function ExtendPool({ busy, onYes, onClose }: ExtendPoolProps) {
  const [text, setText] = useState('');
  // One key for the dialog: pressed again after a lost answer, it adds once.
  const [key] = useState(() => crypto.randomUUID());
  const [wrong, setWrong] = useState<string | undefined>(undefined);
  const yes = (): void => {
    const amount = amountOf(text, false);
    if (typeof amount === 'number') onYes(amount, key);
    else setWrong(amount ?? 'is due');
  };
  return (
    <Confirm title="Extend the pool" verb="Extend" busy={busy} onYes={yes} onClose={onClose}>
      <Field label="US dollars to add" value={text} onInput={setText} wrong={wrong} number />
    </Confirm>
  );
}
