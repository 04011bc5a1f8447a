import { type ColumnMap, type Columns, recognise } from './columns.ts';
import type { ValuesRecord } from './to-ticket.ts';

/** What kind of file this is, told by its columns. */
export interface Shape {
  /** For people: which helpdesk's export it is. */
  readonly name: string;
  readonly columns: Columns;
  /** The column whose equal values make several rows one ticket; undefined where each row is a ticket of its own. */
  readonly rowsOf: string | undefined;
}

/** Tells by the names of its columns what a file is; `map` overrules what is recognised. */
export function shapeOf(names: readonly string[], map: ColumnMap): Shape {
  return { name: 'table', columns: recognise(names, map), rowsOf: undefined };
}

/** The rows of one ticket, in file order, as one record: that of the first, with the others as its conversation. */
export function joinRows(_shape: Shape, [first]: readonly [ValuesRecord, ...ValuesRecord[]]): ValuesRecord {
  return first;
}
