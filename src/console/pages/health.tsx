import { useState } from 'preact/hooks';
import type { DeadLetter, Health } from '../../client.ts';
import { api } from '../api.ts';
import { count, dateTime, span } from '../model/figures.ts';
import { LATE_SECONDS } from '../model/health.ts';
import { useDoing } from '../notice.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Figure } from '../parts/figure.tsx';
import { Loading, Page, Refused } from '../parts/page.tsx';
import { Text } from '../parts/text.tsx';
import { usePoll } from '../poll.ts';

export function HealthPage() {
  const { data, refused, refresh } = usePoll('health', () => api().health());
  const letters = usePoll('dead-letters', () => api().deadLetters({ limit: 100 }), 5_000);
  return (
    <Page title={headline(data)} name="Health">
      {refused !== undefined && <Refused why={refused} />}
      {data === undefined && refused === undefined && <Loading />}
      {data !== undefined && <Figures health={data} />}
      {data !== undefined && <KillSwitch stopped={data.stopped} onDone={refresh} />}
      <section aria-labelledby="letters">
        <h2 id="letters">Dead letters</h2>
        <p class="soft">Messages that were given up or could not be read. They are kept for 14 days.</p>
        {letters.data?.items.length === 0 && <p>No message was given up.</p>}
        <ul class="letters">
          {letters.data?.items.map((letter) => (
            <Letter key={letter.id} letter={letter} onDone={letters.refresh} />
          ))}
        </ul>
      </section>
    </Page>
  );
}

function headline(health: Health | undefined): string {
  if (health === undefined) return 'Health';
  if (health.stopped) return 'Everything is stopped';
  return health.ok && health.deadLetters === 0 ? 'All is well' : 'Something needs a look';
}

function Figures({ health }: { readonly health: Health }) {
  const { oldestDueSeconds, lapsedLeases, deadLetters, stopped } = health;
  const late = oldestDueSeconds >= LATE_SECONDS;
  return (
    <dl class="totals">
      <Figure
        name="Longest overdue"
        value={span(oldestDueSeconds * 1000)}
        tone={late ? 'bad' : undefined}
        more={
          late ? 'the service that restarts late work does not keep up' : 'late work is restarted in time'
        }
      />
      <Figure
        name="Workers lost"
        value={count(lapsedLeases)}
        tone={lapsedLeases > 0 ? 'warn' : undefined}
        more={
          lapsedLeases > 0 ? 'in the middle of a step, which is taken up again' : 'in the middle of a step'
        }
      />
      <Figure
        name="Dead letters"
        value={count(deadLetters)}
        tone={deadLetters > 0 ? 'warn' : undefined}
        more="messages given up, not sent again"
      />
      <Figure
        name="Kill switch"
        value={stopped ? 'on' : 'off'}
        tone={stopped ? 'bad' : undefined}
        more={stopped ? 'nothing is begun until it is lifted' : 'work goes on'}
      />
    </dl>
  );
}

function KillSwitch({ stopped, onDone }: { readonly stopped: boolean; readonly onDone: () => void }) {
  const { busy, perform } = useDoing();
  const [scope, setScope] = useState<'tenant' | 'all' | undefined>(undefined);
  const flip = async (): Promise<void> => {
    const wanted = scope ?? 'tenant';
    const done = stopped
      ? 'Started again.'
      : 'Stopped: nothing is admitted or called until it is started again.';
    const work = () => (stopped ? api().startAll(wanted) : api().stopAll(wanted));
    if (await perform(work, done)) setScope(undefined);
    onDone();
  };
  const verb = stopped ? 'Start' : 'Stop';
  const whose = scope === 'all' ? 'everything, of every tenant' : 'everything of this tenant';
  return (
    <section aria-labelledby="switch">
      <h2 id="switch">Kill switch</h2>
      <p class="soft">
        Stopped, nothing is admitted and no model or tool is called. Nothing is lost: it goes on where it was.
      </p>
      <div class="buttons">
        <button type="button" class={stopped ? 'primary' : 'danger'} onClick={() => setScope('tenant')}>
          {verb} this tenant
        </button>
        <button type="button" class={stopped ? '' : 'danger'} onClick={() => setScope('all')}>
          {verb} every tenant
        </button>
      </div>
      {scope !== undefined && (
        <Confirm
          title={`${verb} ${whose}?`}
          verb={verb}
          danger={!stopped}
          busy={busy}
          onYes={() => void flip()}
          onClose={() => setScope(undefined)}
        >
          <p>
            {stopped
              ? 'What waited goes on within a minute.'
              : 'Steps under way finish; no further one begins.'}
          </p>
        </Confirm>
      )}
    </section>
  );
}

function Letter({ letter, onDone }: { readonly letter: DeadLetter; readonly onDone: () => void }) {
  const { id, reason, body, at, redrivenAt } = letter;
  const { busy, perform } = useDoing();
  const again = async (): Promise<void> => {
    await perform(() => api().redrive(id), 'Sent again.');
    onDone();
  };
  return (
    <li>
      <p class="facts">
        <strong>
          <Text>{reason}</Text>
        </strong>
        <span class="soft">{dateTime(at)}</span>
        {redrivenAt !== null && <span class="soft">sent again {dateTime(redrivenAt)}</span>}
      </p>
      <pre dir="auto">
        <Text>{body.slice(0, 2_000)}</Text>
      </pre>
      <button type="button" disabled={busy} onClick={() => void again()}>
        Send it again
      </button>
    </li>
  );
}
