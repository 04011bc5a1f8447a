import { defineAgent } from '../core/agent.ts';
import { calculate } from '../tools/calculate.ts';
import { currentTime } from '../tools/current-time.ts';
import { readNote } from '../tools/read-note.ts';
import { saveNote } from '../tools/save-note.ts';

/**
 * The plain loop of reasoning and acting, with every control there is. Its model is one whose thinking is not bound to the
 * history, because its oldest rounds are dropped once the prompt has about eight thousand tokens.
 */
export const react = defineAgent({
  name: 'react',
  model: 'claude-haiku-4-5',
  maxOutputTokens: 1024,
  system:
    'You solve small tasks with the tools you have. Calculate with calculate, never in your head. Keep with save_note what ' +
    'you will need later, because the oldest part of a long conversation is dropped. When you are done, answer in text.',
  tools: [calculate, currentTime, saveNote, readNote],
  limits: { maxSteps: 10, maxCostUsd: 0.25, maxTokens: 100_000, maxConsecutiveFailures: 3 },
  context: { maxTokens: 8_000 },
});
