/** How much of a run the report shows; the rest is in `results.jsonl`, and the report says so. */
export const bounds = {
  /** Tickets in the table, each with its trace. */
  tickets: 1_000,
  /** Bytes of what the tickets' parts hold together, and of one at most. */
  detailBytes: 3_000_000,
  mostDetail: 40_000,
  /** Lines of each list of what needs a person, and of the rejected rows. */
  listed: 100,
  /** Lines of the slowest and of the dearest. */
  top: 10,
  /** Charts of output fields, bars of a chart, different values that are counted of a field. */
  fields: 8,
  bars: 12,
  values: 30,
  /** Characters of a value that can be a bar. */
  valueCharacters: 40,
  /** Characters of a subject; of an id, a name, a reason. */
  subject: 100,
  line: 200,
  /** Characters of one text or value inside a ticket's part. */
  text: 4_000,
} as const;
