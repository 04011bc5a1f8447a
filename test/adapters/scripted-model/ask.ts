import * as z from 'zod';
import type { Brain } from '../../../src/adapters/scripted-model/brain.ts';
import type { HttpAnswer, ScriptedModel } from '../../../src/adapters/scripted-model/model.ts';

export const headers = { authorization: 'Bearer x', 'anthropic-version': '2026-10-21' };

/** A request that the API answers, with some fields replaced. */
export function aBody(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    model: 'scripted-1',
    max_tokens: 1000,
    metadata: { user_id: 'job' },
    messages: [{ role: 'user', content: 'hello' }],
    ...fields,
  };
}

export function post(model: ScriptedModel, body: unknown, path = '/v1/messages'): HttpAnswer {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return model.respond({ method: 'POST', path, headers, body: text });
}

const error = z.object({
  error: z.object({ type: z.string(), message: z.string() }),
  request_id: z.string(),
});

export function errorOf(answer: HttpAnswer): { readonly type: string; readonly message: string } {
  return error.parse(JSON.parse(answer.body)).error;
}

const reply = z.object({
  id: z.string(),
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string(),
  usage: z.record(z.string(), z.unknown()),
});

export function replyOf(answer: HttpAnswer): z.infer<typeof reply> {
  return reply.parse(JSON.parse(answer.body));
}

export const saysOk: Brain = () => ({ content: [{ type: 'text', text: 'ok' }] });
