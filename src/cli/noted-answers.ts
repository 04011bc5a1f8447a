import { ANSWERS_HEADER } from '../local/api-server.ts';

/** Sends requests, and notes what a deployment says of its answers: what writes them in place of a model, in a few words. */
export function notedAnswers(send: typeof fetch): {
  readonly send: typeof fetch;
  /** Undefined where a model does, or nothing was answered yet. */
  readonly scripted: () => string | undefined;
} {
  let scripted: string | undefined;
  return {
    send: async (input, init) => {
      const response = await send(input, init);
      scripted ??= response.headers.get(ANSWERS_HEADER)?.replace(/[^\x20-\x7e]/g, '?');
      return response;
    },
    scripted: () => scripted,
  };
}
