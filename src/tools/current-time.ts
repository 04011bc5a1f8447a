import * as z from 'zod';
import { defineTool } from '../core/agent.ts';

/**
 * The time at which the call is run. Pure, because asking again changes nothing: after a crash the model may read a later
 * time than the attempt that died.
 */
export const currentTime = defineTool({
  name: 'current_time',
  description: 'Say what time it is, as ISO 8601 in UTC and as a clock on the wall of a time zone shows it.',
  input: z.object({
    time_zone: z.string().optional().describe('IANA name, for example Asia/Bangkok; UTC without it'),
  }),
  policy: 'pure',
  run: ({ time_zone: timeZone = 'UTC' }) => {
    const now = new Date();
    const format = { dateStyle: 'full', timeStyle: 'short', hourCycle: 'h23' } as const;
    return { utc: now.toISOString(), local: now.toLocaleString('en-GB', { ...format, timeZone }), timeZone };
  },
});
