const MAX_CHARACTERS = 500;
const MAX_DEPTH = 50;

const operators = {
  '+': { rank: 1, of: (left: number, right: number) => left + right },
  '-': { rank: 1, of: (left: number, right: number) => left - right },
  '*': { rank: 2, of: (left: number, right: number) => left * right },
  '/': { rank: 2, of: divide },
} as const;

/** The pieces of an expression, and how far they have been read. */
interface Reader {
  readonly tokens: readonly string[];
  at: number;
  depth: number;
}

/**
 * The value of an expression of numbers, `+ - * /`, signs and parentheses, to 15 digits. Nothing in it is ever run as
 * code. Throws an error that says what is wrong, at what is no such expression, too long or nested too deep.
 */
export function evaluate(expression: string): number {
  if (expression.length > MAX_CHARACTERS) {
    throw new Error(`the expression has ${expression.length} characters, at most ${MAX_CHARACTERS} are read`);
  }
  const reader: Reader = { tokens: tokensOf(expression), at: 0, depth: 0 };
  const value = readSum(reader, 1);
  const rest = reader.tokens[reader.at];
  if (rest !== undefined) throw new Error(`unexpected ${rest}`);
  if (!Number.isFinite(value)) throw new Error('the result is too large');
  return Number(value.toPrecision(15));
}

function tokensOf(expression: string): readonly string[] {
  const tokens = expression.match(/\d+(?:\.\d+)?(?:e[+-]?\d+)?|\.\d+|[^\s\d]|\d/giu) ?? [];
  if (tokens.length === 0) throw new Error('the expression is empty');
  return tokens;
}

/** Left to right, as long as the operators bind at least as strongly as `rank`. */
function readSum(reader: Reader, rank: number): number {
  let left = readValue(reader);
  for (;;) {
    const operator = operatorAt(reader);
    if (operator === undefined || operator.rank < rank) return left;
    reader.at += 1;
    left = operator.of(left, readSum(reader, operator.rank + 1));
  }
}

function operatorAt({ tokens, at }: Reader): (typeof operators)[keyof typeof operators] | undefined {
  const token = tokens[at] ?? '';
  return Object.hasOwn(operators, token) ? operators[token as keyof typeof operators] : undefined;
}

function readValue(reader: Reader): number {
  const token = reader.tokens[reader.at];
  reader.at += 1;
  switch (token) {
    case undefined:
      throw new Error('the expression ends too early');
    case '-':
      return -inside(reader, readValue);
    case '+':
      return inside(reader, readValue);
    case '(': {
      const value = inside(reader, (inner) => readSum(inner, 1));
      if (reader.tokens[reader.at] !== ')') throw new Error('a parenthesis is not closed');
      reader.at += 1;
      return value;
    }
    default:
      if (!/^[\d.]/.test(token) || Number.isNaN(Number(token))) throw new Error(`unexpected ${token}`);
      return Number(token);
  }
}

function inside(reader: Reader, read: (reader: Reader) => number): number {
  reader.depth += 1;
  if (reader.depth > MAX_DEPTH) throw new Error(`nested more than ${MAX_DEPTH} levels deep`);
  const value = read(reader);
  reader.depth -= 1;
  return value;
}

function divide(left: number, right: number): number {
  if (right === 0) throw new Error('division by zero');
  return left / right;
}
