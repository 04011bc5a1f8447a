/** Something that has happened, as others are told of it: ids, states and figures, never content. */
export interface Notice {
  /** The same for every try: receivers drop what they have seen. */
  readonly id: string;
  readonly type: 'job.ended' | 'job.awaiting_approval' | 'batch.ended';
  readonly tenant: string;
  readonly atMs: number;
  /** JSON-ready. */
  readonly data: Readonly<Record<string, unknown>>;
}

export type Told =
  | { readonly type: 'told' }
  | { readonly type: 'again'; readonly problem: string }
  | { readonly type: 'never'; readonly problem: string };

/** Who is told. `webhook` and `events` are absent where the deployment has none. No function here ever rejects. */
export interface Notifier {
  readonly events: { readonly publish: (notice: Notice) => Promise<Told> } | undefined;
  readonly webhook: { readonly post: (url: string, notice: Notice) => Promise<Told> } | undefined;
}
