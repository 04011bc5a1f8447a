import type * as z from 'zod';
import type { FieldError } from './problem.ts';

/**
 * What a schema found, as errors that name the part of the request. `where` stands for the root: `body`. Our schemas'
 * messages say what was expected; zod's own quote no values either.
 */
export function fieldErrors(error: z.ZodError, where: string): readonly FieldError[] {
  return error.issues.flatMap((issue): readonly FieldError[] => {
    const path = issue.path.map(String);
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ name: [...path, key].join('.'), message: 'is not known here' }));
    }
    return [{ name: path.length === 0 ? where : path.join('.'), message: plain(issue.message) }];
  });
}

/** "Invalid input: expected string, received number" becomes "expected string, received number". */
function plain(message: string): string {
  return message.replace(/^Invalid (input|option): /, '');
}
