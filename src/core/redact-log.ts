import { findPrivate, type PrivateKind, replaceFindings } from './redact.ts';

/** All but phone numbers: log lines are full of ids, times and figures, and phone numbers have no check of their own. */
const logKinds: readonly PrivateKind[] = ['card', 'iban', 'key', 'email'];

export type LogFields = Readonly<Record<string, unknown>>;

/** A log line without cards, IBANs, keys and e-mail addresses: `[card]` and so on in their place. */
export function redactLine(message: string, fields: LogFields): { message: string; fields: LogFields } {
  return { message: redactText(message), fields: redactValue(fields, 0) as LogFields };
}

/** The same for a text by itself. */
export function redactText(text: string): string {
  const found = findPrivate(text, logKinds).filter(
    ({ kind, from }) => kind !== 'email' || !isInArn(text, from),
  );
  return replaceFindings(text, found, ({ kind }) => `[${kind}]`);
}

/** The name of a session stands in the ARN of a caller, and is an e-mail address where people sign on. */
function isInArn(text: string, from: number): boolean {
  const start = text.lastIndexOf('arn:', from);
  return start >= 0 && !/[\s"]/.test(text.slice(start, from));
}

const secretName =
  /^(?:authorization|cookie|set-cookie|passwor[dt]|secret|(?:x[_-])?(?:api|access|secret|private)[_-]?key|(?:access|auth|refresh|session|client)[_-]?(?:token|secret))$/i;
const MAX_DEPTH = 20;
/** Fewer digits are no card. */
const LEAST_CARD = 1e12;

/** The value itself where nothing is found in it: most lines are not copied. */
function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'number') {
    return Math.abs(value) < LEAST_CARD || !Number.isInteger(value) ? value : redactedNumber(value);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return '[too deep]';
  if ('toJSON' in value && typeof value.toJSON === 'function') return redactValue(value.toJSON(), depth + 1);
  if (Array.isArray(value)) return redactList(value, depth);
  let changed = false;
  const entries = Object.entries(value).map(([name, entry]) => {
    const secret = secretName.test(name) && typeof entry === 'string' && entry !== '';
    const clean = [redactText(name), secret ? '[key]' : redactValue(entry, depth + 1)] as const;
    changed ||= clean[0] !== name || clean[1] !== entry;
    return clean;
  });
  return changed ? Object.fromEntries(entries) : value;
}

function redactList(list: readonly unknown[], depth: number): unknown {
  const clean = list.map((entry) => redactValue(entry, depth + 1));
  return clean.some((entry, at) => entry !== list[at]) ? clean : list;
}

function redactedNumber(value: number): unknown {
  const digits = String(value);
  return redactText(digits) === digits ? value : '[card]';
}
