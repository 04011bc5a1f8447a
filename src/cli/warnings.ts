import { fitted } from '../tickets/padded.ts';
import type { RowOutcome } from '../tickets/row.ts';
import type { OpenFile } from './open-files.ts';

/** What is odd about files as a whole and no row alone shows: columns that were missed, rows that are no tickets. */
export interface Warnings {
  readonly add: (outcome: RowOutcome) => void;
  /** A sentence each, for people. */
  readonly list: () => readonly string[];
}

type Accepted = Extract<RowOutcome, { type: 'accepted' }>;

/** What is known of the texts of one unrecognised column. */
interface Texts {
  count: number;
  width: number;
  words: number;
}

interface Counts {
  readonly file: OpenFile;
  read: number;
  accepted: number;
  withText: number;
  /** Rows with more than a subject. */
  withBody: number;
  repeatedIds: number;
  readonly texts: Map<string, Texts>;
}

/** Rows whose unrecognised columns are measured, and columns of them. */
const MEASURED_ROWS = 1000;
const MEASURED_COLUMNS = 200;
/** From so wide on, and so many words, the texts of a column are long; a Chinese character counts for two and for a word. */
const LONG_WIDTH = 40;
const LONG_WORDS = 5;
const MOST_SHOWN = 60;

/** Watches the outcomes of files as they come by. */
export function createWarnings(files: readonly OpenFile[]): Warnings {
  const counts = files.map(
    (file): Counts => ({
      ...{ file, read: 0, accepted: 0, withText: 0, withBody: 0, repeatedIds: 0 },
      texts: new Map(),
    }),
  );
  const byName = new Map(counts.map((one) => [one.file.name, one]));
  const [only] = counts;
  return {
    add: (outcome) => {
      const found = outcome.file === undefined ? only : byName.get(outcome.file);
      if (found === undefined) return;
      found.read += 1;
      if (outcome.type === 'rejected' && outcome.repeatsId === true) found.repeatedIds += 1;
      if (outcome.type === 'accepted') take(found, outcome);
    },
    list: () =>
      counts.flatMap((one) => {
        const said = warningsOf(one);
        return files.length === 1 ? said : said.map((text) => `${one.file.name}: ${text}`);
      }),
  };
}

function take(counts: Counts, { noText, ticket, fields }: Accepted): void {
  counts.accepted += 1;
  if (!noText) counts.withText += 1;
  if (ticket.body !== '' || ticket.thread !== undefined) counts.withBody += 1;
  // Where one row has a body, nothing more is asked of the other columns.
  if (counts.accepted > MEASURED_ROWS || counts.withBody > 0) return;
  for (const [name, text] of Object.entries(fields)) measure(counts.texts, name, text.trim());
}

const wideCharacters = /[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g;

function measure(texts: Map<string, Texts>, name: string, text: string): void {
  if (text === '') return;
  const before = texts.get(name) ?? { count: 0, width: 0, words: 0 };
  if (before.count === 0 && texts.size >= MEASURED_COLUMNS) return;
  const shown = text.slice(0, 1000);
  const wide = shown.match(wideCharacters)?.length ?? 0;
  texts.set(name, {
    count: before.count + 1,
    width: before.width + shown.length + wide,
    words: before.words + shown.split(/\s+/).length + wide,
  });
}

/** The unrecognised column with the longest texts, where most rows have some and they are sentences. */
function longest({ texts, accepted }: Counts, width: number, words: number): string | undefined {
  const measured = Math.min(accepted, MEASURED_ROWS);
  const [best] = [...texts]
    .filter(([, { count }]) => count * 3 >= measured)
    .filter(([, one]) => one.width >= width * one.count && one.words >= words * one.count)
    .sort(([, one], [, other]) => other.width / other.count - one.width / one.count);
  return best?.[0];
}

function warningsOf(counts: Counts): readonly string[] {
  const { accepted, withText } = counts;
  const textless = accepted - withText;
  const found: string[] = [];
  if (accepted > 0 && withText === 0) {
    const column = longest(counts, 1, 2);
    const hint = column === undefined ? '' : `; "${shown(column)}" holds the longest texts: ${mapOf(column)}`;
    found.push(
      `No row has any text in a column that was recognised: name the columns with --map subject=…,body=…${hint}`,
    );
  } else if (textless > 0) {
    const rows = textless === 1 ? '1 row has' : `${textless} rows have`;
    found.push(`${rows} no text and will be answered without a model`);
  }
  const missed = withText > 0 && counts.withBody === 0 ? longest(counts, LONG_WIDTH, LONG_WORDS) : undefined;
  if (missed !== undefined) {
    found.push(
      `No row has any text but its subject, and "${shown(missed)}" holds long texts that the model does not see: ${mapOf(missed)}`,
    );
  }
  const messages = messagesText(counts);
  return messages === undefined ? found : [...found, messages];
}

/** Rows of one ticket that are no tickets themselves: most of them would be rejected, each for its own. */
function messagesText({ file, read, repeatedIds }: Counts): string | undefined {
  if (repeatedIds < 2 || repeatedIds * 4 < read) return undefined;
  const column = file.tickets.use.of.id?.[0] ?? 'id';
  return (
    `${repeatedIds} of ${read} rows repeat a "${shown(column)}" with other content: the file looks like one row per message. ` +
    'Rows become one ticket where the columns are called conversation_id, message_id, text and sender'
  );
}

const shown = (column: string): string => fitted(column, MOST_SHOWN);

/** What takes a column for the body; the comma parts what is mapped. */
function mapOf(column: string): string {
  if (column.includes(',')) return 'call it body in the header line';
  const text = `body=${column}`;
  return /^[\p{L}\p{N}_.=-]+$/u.test(text) ? `--map ${text}` : `--map ${JSON.stringify(text)}`;
}
