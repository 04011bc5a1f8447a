import type { Brain } from '../../adapters/scripted-model/brain.ts';
import { callsReply, type Outcome, offers, readAsked, textReply } from './transcript.ts';

type Call = readonly [name: string, input: Readonly<Record<string, unknown>>];

/** Plays the model for the agent `react`: one call in each reply, in the order of the rules, then what came of them. */
export const reactBrain: Brain = (request) => {
  if (!offers(request, ['calculate', 'current_time', 'save_note', 'read_note'])) return undefined;
  const { question, outcomes } = readAsked(request);
  for (const rule of rules) {
    const call = rule(question, outcomes);
    if (call !== undefined && !outcomes.some(({ name }) => name === call[0])) return callsReply(call);
  }
  return textReply(
    outcomes.length === 0
      ? 'I can calculate, tell the time and keep notes.'
      : outcomes.map(sentenceOf).join(' '),
  );
};

const rules: readonly ((question: string, outcomes: readonly Outcome[]) => Call | undefined)[] = [
  (question) => {
    const expression = /[-(\d][\d\s.+*/()-]*[)\d]/.exec(question)?.[0];
    return expression !== undefined && /[+*/-]/.test(expression) ? ['calculate', { expression }] : undefined;
  },
  (question) => (/\btime\b/i.test(question) ? ['current_time', {}] : undefined),
  (question, outcomes) => {
    const [, value, key] = /\bremember (.+?) as (\w+)/i.exec(question) ?? [];
    const result = outcomes.find(({ name, failed }) => name === 'calculate' && !failed)?.value['value'];
    return value === undefined ? undefined : ['save_note', { key, value: noteOf(value, result) }];
  },
  (question) => {
    const [, key] = /\bnote (?:on|about) (\w+)/i.exec(question) ?? [];
    return key === undefined ? undefined : ['read_note', { key }];
  },
];

/** “it” and “the result” are what was calculated before. */
function noteOf(words: string, result: unknown): string {
  return /^(?:it|the result)$/i.test(words) && result !== undefined ? String(result) : words;
}

function sentenceOf({ name, input, failed, text, value }: Outcome): string {
  if (failed) return `That did not work: ${text}.`;
  switch (name) {
    case 'calculate':
      return `${input['expression']} = ${value['value']}.`;
    case 'current_time':
      return `It is ${value['utc']}.`;
    case 'save_note':
      return `I noted ${input['key']}.`;
    default:
      return `${input['key']} is ${value['value']}.`;
  }
}
