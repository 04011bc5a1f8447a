import * as z from 'zod';
import { TerminalError } from './core/errors.ts';

const name = z.string().min(1);
const url = z.url();

/** What every function reads from its environment. */
export const storeSettings = z.object({
  TABLE_NAME: name.min(3),
  QUEUE_URL: url,
  /** US dollars above 0: what the jobs of one tenant that are admitted on one day may cost together. */
  TENANT_DAILY_USD: z.coerce.number().min(0.000001).optional(),
});

/** What the worker reads from its environment beside the standard variables of the AWS and Anthropic SDKs. */
export const workerSettings = storeSettings.extend({
  /** JSON text, or the name of a file that holds it: prices laid over the built-in table. */
  TREADLE_PRICES: name.optional(),
});

/** Reads the settings of a function once; fails naming the variables that are missing or wrong. */
export function readSettings<Shape extends z.ZodObject>(
  shape: Shape,
  environment: Readonly<Record<string, string | undefined>>,
): z.output<Shape> {
  const parsed = shape.safeParse(environment);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
  throw new TerminalError('invalid_settings', `settings are missing or wrong: ${problems}`);
}
