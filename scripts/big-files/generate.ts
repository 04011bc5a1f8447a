import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

/** `small` and `wide` are CSV; `lines` is JSONL, `list` one JSON list. */
export const kinds = ['small', 'wide', 'lines', 'list'] as const;
export type Kind = (typeof kinds)[number];

export const endings: Readonly<Record<Kind, string>> = {
  small: 'csv',
  wide: 'csv',
  lines: 'jsonl',
  list: 'json',
};

/** What a reader has to find in a file. */
export interface Expected {
  readonly read: number;
  readonly duplicates: number;
  readonly rejected: number;
}

interface Row {
  readonly id: number;
  readonly text: string;
}

/** Every thousandth row is one that came before; every ten-thousandth has its id, but says something else. */
function rowAt(at: number): Row {
  const again = at % 1_000 === 0 ? at - 500 : at;
  const text = `The parcel of order ${again} has not come yet. Where is it?`;
  return { id: again, text: at % 10_000 === 0 ? `${text} Hello?` : text };
}

const encode: Readonly<Record<Kind, (row: Row, at: number) => string>> = {
  small: ({ id, text }) =>
    `T-${id},2026-03-02T07:00:00Z,u${id}@example.com,"Order ${id}, late",${text},delivery\n`,
  wide: ({ id, text }) =>
    `T-${id},2026-03-02T07:00:00Z,u${id}@example.com,"Order ${id}, late","${`${text} I ""really"" want to know.\n`.repeat(25)}",delivery\n`,
  lines: (row) => `${json(row)}\n`,
  list: (row, at) => (at === 1 ? json(row) : `,\n${json(row)}`),
};

const json = ({ id, text }: Row): string =>
  JSON.stringify({
    ...{ id: `T-${id}`, subject: `Order ${id}, late`, description: text },
    ...{ requester: { email: `u${id}@example.com` }, created_at: '2026-03-02T07:00:00Z' },
  });

const HEAD: Readonly<Record<Kind, string>> = {
  small: 'id,created_at,requester,subject,description,tags\n',
  wide: 'id,created_at,requester,subject,description,tags\n',
  lines: '',
  list: '[',
};

const PART_ROWS = 1_000;

/** Writes a file of at least so many bytes, or of so many rows. */
export async function generate(
  path: string,
  kind: Kind,
  until: { readonly bytes: number } | { readonly rows: number },
): Promise<Expected> {
  const file = createWriteStream(path);
  file.write(HEAD[kind]);
  let at = 0;
  const last = 'rows' in until ? until.rows : Number.POSITIVE_INFINITY;
  for (let bytes = 0; at < last && ('rows' in until || bytes < until.bytes); ) {
    let part = '';
    for (let row = 0; row < PART_ROWS && at < last; row += 1) {
      at += 1;
      part += encode[kind](rowAt(at), at);
    }
    bytes += part.length;
    if (!file.write(part)) await once(file, 'drain');
  }
  file.end(kind === 'list' ? ']\n' : '');
  await once(file, 'finish');
  const rejected = Math.floor(at / 10_000);
  return { read: at, duplicates: Math.floor(at / 1_000) - rejected, rejected };
}
