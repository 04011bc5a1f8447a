import type { ComponentChildren } from 'preact';

interface FigureProps {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly more?: ComponentChildren;
  /** Where it leads. */
  readonly href?: string;
  readonly tone?: 'bad' | 'warn' | undefined;
}

/** One of the figures at the head of a page. */
export function Figure({ name, value, more, href, tone }: FigureProps) {
  return (
    <div>
      <dt>{href === undefined ? name : <a href={href}>{name}</a>}</dt>
      <dd>
        <span class={`figure ${tone ?? ''}`}>{value}</span>
        <br />
        <span class="more">{more}</span>
      </dd>
    </div>
  );
}
