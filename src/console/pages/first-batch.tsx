import { Copy } from '../parts/copy.tsx';
import { settings } from '../settings.ts';

const COMMAND = 'npx --no treadle batch submit examples/tickets.csv --budget-usd 1';
const DEFAULT_PORT = '8787';

/** For whoever sees an empty console of their own machine: the command that gives something to see. */
export function FirstBatch() {
  if (settings.endpoint !== '') return null;
  const command = location.port === DEFAULT_PORT ? COMMAND : `${COMMAND} --endpoint ${location.origin}`;
  return (
    <section class="panel" aria-label="How to begin">
      <p>
        Sixty tickets of an example, five of which ask for a refund that you decide on. In the project's
        folder:
      </p>
      <pre>{command}</pre>
      <div class="buttons">
        <Copy what="the command" text={() => command} />
      </div>
    </section>
  );
}
