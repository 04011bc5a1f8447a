/** What of an error may be logged: never the message of an error that is not ours, which may quote content. */
export function describe(error: unknown): { readonly error: string; readonly message?: string } {
  if (!(error instanceof Error)) return { error: 'unknown' };
  const ours = error.name === 'RetryableError' || error.name === 'TerminalError';
  const code = 'code' in error ? `${error.name} ${String(error.code)}` : error.name;
  return ours ? { error: code, message: error.message } : { error: code };
}
