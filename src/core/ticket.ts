/** One support ticket, as every reader of ticket files gives it. Nothing in it is trusted: customers wrote it. */
export interface Ticket {
  readonly id: string;
  readonly subject: string;
  readonly body: string;
  readonly from?: string;
  /** As the file says it; not parsed. */
  readonly createdAt?: string;
  readonly priority?: string;
  readonly tags?: readonly string[];
  /** Earlier messages, oldest first. */
  readonly thread?: readonly {
    readonly author?: string;
    readonly role?: string;
    readonly text: string;
  }[];
}
