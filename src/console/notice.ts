import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { isUnknown, whyNot } from './api.ts';

/** The last thing that was done, or not done, in one sentence. */
export interface Notice {
  readonly kind: 'done' | 'refused';
  readonly text: string;
}

export const notice = signal<Notice | undefined>(undefined);

let fade = 0;
const SHOWN_MS = 8_000;
/** A decision, a change and their second press are the same to the server. */
export const UNKNOWN =
  'The server did not answer: it may be done or not. Pressed again here, it is done once at most.';

export function say(kind: Notice['kind'], text: string): void {
  clearTimeout(fade);
  notice.value = { kind, text };
  fade = window.setTimeout(() => {
    notice.value = undefined;
  }, SHOWN_MS);
}

/** Does one thing at a time, and says how it went. Resolves to whether it was done. */
export function useDoing(): {
  readonly busy: boolean;
  readonly perform: <T>(act: () => Promise<T>, done: string | ((answer: T) => string)) => Promise<boolean>;
} {
  const [busy, setBusy] = useState(false);
  const perform = async <T>(
    act: () => Promise<T>,
    done: string | ((answer: T) => string),
  ): Promise<boolean> => {
    setBusy(true);
    try {
      const answer = await act();
      say('done', typeof done === 'string' ? done : done(answer));
      return true;
    } catch (error) {
      say('refused', isUnknown(error) ? UNKNOWN : `That was not done: ${whyNot(error)}.`);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, perform };
}
