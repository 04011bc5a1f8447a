import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A question before the rest of the page goes on. Escape closes it, and the focus goes back to where it was. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // At once, not after the next paint: the next key that is typed must not reach the page behind it.
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    // Never on the button that does it: whoever still presses Enter for what was before has not read the question.
    const field = dialog.current?.querySelector<HTMLElement>('textarea, input');
    (field ?? dialog.current?.querySelector('h2'))?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="dialog-title">
      <h2 id="dialog-title" tabIndex={-1}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly verb: string;
  readonly danger?: boolean;
  readonly busy?: boolean;
  readonly children?: ComponentChildren;
  readonly onYes: () => void;
  readonly onClose: () => void;
}

/** Asks before something that cannot be taken back: with a click, or with two keys that nobody presses by accident. */
export function Confirm({
  title,
  verb,
  danger = false,
  busy = false,
  children,
  onYes,
  onClose,
}: ConfirmProps) {
  const yes = (event: Event): void => {
    event.preventDefault();
    onYes();
  };
  const byKeys = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (!event.repeat && !busy) onYes();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={yes} onKeyDown={byKeys}>
        {children}
        <div class="buttons">
          <button type="submit" class={danger ? 'danger' : 'primary'} disabled={busy}>
            {verb}
          </button>
          <button type="button" onClick={onClose}>
            Not now
          </button>
          <span class="soft small keys-hint">
            <kbd>Ctrl</kbd> <kbd>Enter</kbd> {verb.charAt(0).toLowerCase() + verb.slice(1)}
          </span>
        </div>
      </form>
    </Dialog>
  );
}
