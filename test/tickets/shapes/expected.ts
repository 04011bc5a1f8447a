/** Author, role and text of each message of a conversation. */
export type Said = readonly [author: string | undefined, role: string | undefined, text: string];

export interface Expected {
  readonly id: unknown;
  readonly subject: string;
  readonly body: string;
  readonly from?: string;
  readonly createdAt?: string;
  readonly priority?: string;
  readonly tags?: readonly string[];
  readonly thread?: readonly Said[];
  /** Some of what goes along; a value of `undefined` is a field that must not be there. */
  readonly fields?: Readonly<Record<string, string | undefined>>;
  readonly subjectOnly?: true;
}

/** The public format that a file follows, the file, and the tickets in it. */
export type Shaped = readonly [format: string, file: string, tickets: readonly Expected[]];
