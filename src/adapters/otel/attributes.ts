import type { Attributes } from '@opentelemetry/api';
import type { AskFacts, CallFacts, EndFacts, JobFacts, StepFacts } from '../../core/facts.ts';
import { type JobUsage, usd } from '../../core/job.ts';
import { charged } from '../../core/ledger.ts';

/*
 * The names are those of OpenTelemetry's conventions for generative AI, which are still in development there; what only
 * Treadle knows is under `treadle.`. Of content, which the conventions leave to choose, there is nothing.
 */

/** Who serves the model, in the conventions' words. */
export type ProviderName = 'anthropic' | 'aws.bedrock' | 'scripted';

/** By whom a span is found. */
function names({ id, agent, tenant, batchId }: JobFacts): Attributes {
  return {
    'gen_ai.agent.name': agent,
    'gen_ai.conversation.id': id,
    'treadle.tenant': tenant,
    ...(batchId === '' ? {} : { 'treadle.batch.id': batchId }),
  };
}

/** The step that a commit belongs to: a reply has been counted already, everything else is about the next one. */
export const stepOf = ({ event, job }: StepFacts): number =>
  event === 'replied' ? job.steps : job.steps + 1;

const place = (facts: StepFacts): Attributes => ({
  'treadle.step': stepOf(facts),
  'treadle.attempt': facts.attempt,
});

/** The conventions count cached tokens among the input, as Anthropic's own figures do not. */
function usageOf({ input, output, cacheWrite, cacheRead }: JobUsage): Attributes {
  return {
    'gen_ai.usage.input_tokens': input + cacheWrite + cacheRead,
    'gen_ai.usage.output_tokens': output,
    'gen_ai.usage.cache_creation.input_tokens': cacheWrite,
    'gen_ai.usage.cache_read.input_tokens': cacheRead,
  };
}

export function chatAttributes(provider: ProviderName, facts: StepFacts, asked: AskFacts): Attributes {
  const { job, model, unsettled } = facts;
  const [input, output, cacheWrite, cacheRead] = asked.usage ?? [];
  const known = input !== undefined && output !== undefined;
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
    'gen_ai.request.max_tokens': asked.maxTokens,
    ...(asked.stop === '' ? {} : { 'gen_ai.response.finish_reasons': [asked.stop] }),
    ...(known ? usageOf({ input, output, cacheWrite: cacheWrite ?? 0, cacheRead: cacheRead ?? 0 }) : {}),
    ...(asked.problem === '' ? {} : { 'error.type': asked.problem }),
    ...names(job),
    ...place(facts),
    'treadle.cost.usd': usd(asked.cost),
    'treadle.reserved.usd': usd(asked.reserved),
    'treadle.unsettled.usd': usd(unsettled),
    'treadle.ceiling.usd': usd(job.ledger.ceiling),
  };
}

export function toolAttributes(facts: StepFacts, call: CallFacts): Attributes {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': call.tool,
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': call.id,
    ...(call.failed ? { 'error.type': 'tool_error' } : {}),
    ...names(facts.job),
    ...place(facts),
  };
}

export function agentAttributes(provider: ProviderName, { job, model }: EndFacts): Attributes {
  const { ledger, status, stop = '' } = job;
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': provider,
    ...(model === undefined ? {} : { 'gen_ai.request.model': model }),
    ...usageOf(job.usage),
    ...(status === 'failed' ? { 'error.type': stop } : {}),
    ...names(job),
    'treadle.status': status,
    'treadle.stop.reason': stop,
    'treadle.steps': job.steps,
    'treadle.cost.usd': usd(charged(ledger)),
    'treadle.unsettled.usd': usd(ledger.unsettled),
    'treadle.ceiling.usd': usd(ledger.ceiling),
  };
}
