import { say } from '../notice.ts';

/** Puts a text on the clipboard and says so. */
export function Copy({
  what,
  text,
}: {
  readonly what: string;
  readonly text: () => string | Promise<string>;
}) {
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(await text());
      say('done', `Copied: ${what}.`);
    } catch {
      say('refused', 'The browser does not let this page use the clipboard.');
    }
  };
  return (
    <button type="button" onClick={() => void copy()}>
      Copy {what}
    </button>
  );
}
