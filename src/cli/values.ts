import { InvalidArgumentError } from 'commander';

/** Dollars as an option states them. */
export function dollars(text: string): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value < 0.000001 || value > 1_000_000) {
    throw new InvalidArgumentError('expected US dollars, such as 0.50: at least 0.000001, at most 1000000.');
  }
  return value;
}

/** The name of a file or a folder: an empty one would be the folder that the command happens to be run in. */
export function path(text: string): string {
  if (text === '') throw new InvalidArgumentError('expected a name.');
  return text;
}

/** A whole number as an option states it. */
export function whole(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) {
      throw new InvalidArgumentError(`expected a whole number from ${least} to ${most}.`);
    }
    return value;
  };
}

/** `name=value`, however often it is given. */
export function pairs(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('expected name=value.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

/** The id of a job, a batch or a call: these would name another route of the API. */
export function id(text: string): string {
  if (['', '.', '..'].includes(text))
    throw new InvalidArgumentError('expected an id, such as a list shows it.');
  return text;
}

/** An Idempotency-Key as the API takes it. */
export function key(text: string): string {
  if (!/^[\x21-\x7e]{1,255}$/.test(text))
    throw new InvalidArgumentError('expected 1 to 255 visible ASCII characters.');
  return text;
}
