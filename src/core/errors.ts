/** Work that may succeed when it is tried again: the message goes back to the queue. */
export class RetryableError extends Error {
  override readonly name = 'RetryableError';
  /** Stable, for programs; the message is for people. */
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Work that can never succeed as it stands: it is not retried. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
  /** Stable, for programs; the message is for people. */
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
