import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

interface PageProps {
  readonly title: ComponentChildren;
  /** The same for the tab of the browser. */
  readonly name: string;
  readonly eyebrow?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** One page: its title in the tab, its heading, its parts. */
export function Page({ title, name, eyebrow, children }: PageProps) {
  useEffect(() => {
    document.title = `${name} · Treadle`;
  }, [name]);
  return (
    <main id="main" tabIndex={-1}>
      {eyebrow !== undefined && <p class="eyebrow">{eyebrow}</p>}
      <h1>{title}</h1>
      {children}
    </main>
  );
}

export function Loading() {
  return (
    <p class="soft" role="status">
      Loading…
    </p>
  );
}

/** Why there is nothing to see, and the way on. */
export function Refused({ why }: { readonly why: string }) {
  return (
    <p class="panel" role="status">
      It cannot be shown: {why}.
    </p>
  );
}
