import type { Client } from '../../client.ts';

/** One step as `/jobs/{id}/steps` gives it. */
export type Step = Awaited<ReturnType<Client['steps']>>['items'][number];
export type Call = Step['calls'][number];

/** A message of the transcript, exactly as it was sent. */
export type Message = Awaited<ReturnType<Client['messages']>>['items'][number];

/** Ends a job with an answer: intercepted, never run, so it never has an output. */
export const ANSWER_TOOL = 'return_answer';
