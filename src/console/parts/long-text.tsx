import { useState } from 'preact/hooks';
import { shown } from '../../core/printed.ts';
import { count } from '../model/figures.ts';
import { start } from '../model/text.ts';

const FIRST = 1_200;
/** More than this at once makes a browser stutter. */
const MOST = 200_000;

interface LongTextProps {
  readonly text: string;
  readonly label: string;
  /** Words of a person or a model, no data. */
  readonly prose?: boolean;
  /** Characters that are shown at first. @default 1200 */
  readonly first?: number;
}

/** A text as it was written, cut where it is long until somebody wants the whole. */
export function LongText({ text, label, prose = false, first = FIRST }: LongTextProps) {
  const [whole, setWhole] = useState(false);
  const kept = start(text, whole ? MOST : first);
  const left = text.length - kept.length;
  return (
    <div class={prose ? 'prose' : ''}>
      <pre dir="auto">{shown(kept)}</pre>
      {left > 0 && !whole && (
        <button type="button" class="link" onClick={() => setWhole(true)} aria-label={`Show all of ${label}`}>
          Show all ({count(left)} more characters)
        </button>
      )}
      {left > 0 && whole && (
        <p class="soft small">
          {count(left)} more characters are not shown here; the raw JSON to copy has them.
        </p>
      )}
    </div>
  );
}
