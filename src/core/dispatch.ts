import type * as z from 'zod';
import type { Tool } from './agent.ts';

type Checked = { ok: true; tool: Tool; input: Record<string, unknown> } | { ok: false; problem: string };
export function checkCall(tools: ReadonlyMap<string, Tool>, name: string, input: unknown): Checked {
  const tool = tools.get(name);
  if (!tool)
    return { ok: false, problem: `unknown tool: ${name}. The tools are: ${[...tools.keys()].join(', ')}` };
  const p = tool.schema.strict().safeParse(input);
  return p.success
    ? { ok: true, tool, input: input as Record<string, unknown> }
    : { ok: false, problem: p.error.message };
}
export function needsApproval(tool: Tool, input: unknown): boolean {
  try {
    return tool.gate?.when(input) ?? false;
  } catch {
    return true;
  }
}
export function errorText(e: unknown): string {
  return e instanceof Error ? `${e.name}: ${e.message || 'no message'}` : String(e);
}
export function answerProblem(
  s: z.ZodObject,
  input: unknown,
): { ok: true; value: Record<string, unknown> } | { ok: false; problem: string } {
  const p = s.safeParse(input);
  return p.success ? { ok: true, value: p.data } : { ok: false, problem: p.error.message };
}
