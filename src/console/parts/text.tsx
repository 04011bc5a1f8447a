import { shown } from '../../core/printed.ts';

/** Text that others wrote, on its own ground: neither markup nor marks of direction reach beyond it. */
export function Text({ children }: { readonly children: string }) {
  return <bdi>{shown(children)}</bdi>;
}
