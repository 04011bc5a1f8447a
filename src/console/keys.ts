import { useEffect, useRef } from 'preact/hooks';

/** What keys do, by their names; two keys in a row stand with a blank between them: `g j`. */
export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const CHORD_MS = 1_200;

/** Keys of a page, while nobody is typing and no dialog is open. */
export function useKeys(keys: Keys): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    let first = { key: '', atMs: 0 };
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      const chord = event.timeStamp - first.atMs < CHORD_MS ? `${first.key} ${event.key}` : '';
      first = { key: event.key, atMs: event.timeStamp };
      const act = current.current[chord] ?? current.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act(event);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

function isTyping({ target }: KeyboardEvent): boolean {
  if (document.querySelector('dialog[open]') !== null) return true;
  return target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}
