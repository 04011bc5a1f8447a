import { adfText } from './adf.ts';
import { attachmentLines } from './attachments.ts';
import { type Data, firstWord, isData, wordOf } from './data.ts';
import { authorNames, emailNames, plainNames, roleNames, textNames, timeNames } from './message-names.ts';
import type { Message } from './thread.ts';

const customerWord =
  /^(customer|user|requester|end[-_ ]?user|client|contact|lead|visitor|guest|in|inbound|incoming|end_?customer)$/i;
const agentWord =
  /^(agent|admin|support|staff|teammate|team|operator|assistant|bot|employee|representative|out|outbound|outgoing|system|technician)$/i;
const noteWord = /^(note|internal[-_ ]?note|private[-_ ]?note|private|internal)$/i;

/** One word for each side of the conversation; undefined for words that say nothing about it. */
export function sideOf(word: string): string | undefined {
  if (customerWord.test(word)) return 'customer';
  if (noteWord.test(word)) return 'note';
  return agentWord.test(word) ? 'agent' : undefined;
}

/** Whoever asked for help in a row: ids, names and addresses that mean the same person. */
export interface Asker {
  readonly words: ReadonlySet<string>;
  readonly name: string | undefined;
}

export function askerOf(row: Data): Asker {
  const fields = isData(row['fields']) ? row['fields'] : row;
  const people = [
    ...['requester', 'reporter', 'customer', 'contact', 'primaryCustomer', 'user', 'author', 'recipient'].map(
      (name) => fields[name],
    ),
  ];
  const named = people.filter(isData);
  const parts = [
    'id',
    'accountId',
    'email',
    'emailAddress',
    'login',
    'username',
    'handle',
    'name',
    'displayName',
  ];
  const words = [
    ...['requester_id', 'customer_id', 'contactId', 'reporter_id', 'SuppliedEmail', 'email'].map((name) =>
      wordOf(fields[name]),
    ),
    ...people.map(wordOf),
    ...named.flatMap((person) => parts.map((part) => wordOf(person[part]))),
  ];
  const name = named
    .map((person) => firstWord(person, ['name', 'displayName', 'login', 'email']))
    .find((one) => one !== undefined);
  return { words: new Set(words.filter((word) => word !== undefined)), name };
}

const isPrivate = (entry: Data): boolean =>
  ['public', 'isPublic', 'is_public', 'jsdPublic', 'IsPublished'].some(
    (name) => wordOf(entry[name]) === 'false',
  ) ||
  ['private', 'is_private', 'internal', 'is_internal', 'is_note'].some(
    (name) => wordOf(entry[name]) === 'true',
  ) ||
  ['type', 'part_type', 'channel', 'visibility'].some((name) => noteWord.test(wordOf(entry[name]) ?? ''));

/** Flags that say which way a message went, each with what `true` means. */
const directions: readonly (readonly [string, string])[] = [
  ['incoming', 'customer'],
  ['is_inbound', 'customer'],
  ['inbound', 'customer'],
  ['Incoming', 'customer'],
  ['from_agent', 'agent'],
  ['is_agent', 'agent'],
  ['isAgent', 'agent'],
];

function directionOf(entry: Data): string | undefined {
  for (const [name, side] of directions) {
    const word = wordOf(entry[name])?.toLowerCase();
    if (word === 'true') return side;
    if (word === 'false') return side === 'agent' ? 'customer' : 'agent';
  }
  return undefined;
}

/** By whom, compared with whoever asked. Others in the thread of an issue are on neither side, unless they own it. */
function sideByAuthor(entry: Data, asker: Asker): string | undefined {
  const author = [
    'author_id',
    'user_id',
    'author.id',
    'author.accountId',
    'author.login',
    'user.login',
    'author.username',
    'author.displayName',
    'author.name',
    'author',
    'createdBy.id',
    'from',
  ];
  const words = author.map((name) => firstWord(entry, [name])).filter((word) => word !== undefined);
  if (words.length === 0 || asker.words.size === 0) return undefined;
  if (words.some((word) => asker.words.has(word))) return 'customer';
  const tie = firstWord(entry, ['author_association', 'authorAssociation']);
  return tie === undefined || /^(owner|member|collaborator)$/i.test(tie) ? 'agent' : undefined;
}

/** The first rule that knows an answer. Help Scout calls its own people users, which elsewhere are the customers. */
function roleOf(entry: Data, asker: Asker): string | undefined {
  if (isPrivate(entry)) return 'note';
  const creator = firstWord(entry, ['createdBy.type']);
  if (creator !== undefined) return creator === 'customer' ? 'customer' : 'agent';
  const words = roleNames.map((name) => firstWord(entry, [name])).filter((word) => word !== undefined);
  const side = words.map(sideOf).find((one) => one !== undefined);
  return side ?? directionOf(entry) ?? sideByAuthor(entry, asker) ?? firstWord(entry, ['role']);
}

function nameOf(entry: Data, asker: Asker, role: string | undefined): string | undefined {
  const found = firstWord(entry, authorNames);
  if (found !== undefined) return found;
  const creator = ['createdBy.first', 'createdBy.last'].map((part) => firstWord(entry, [part]));
  const full = creator.filter((part) => part !== undefined).join(' ');
  if (full !== '') return full;
  return firstWord(entry, ['createdBy.email']) ?? (role === 'customer' ? asker.name : undefined);
}

function textOf(entry: Data): { readonly text: string; readonly plain?: true } | undefined {
  for (const name of textNames) {
    const value = entry[name];
    const text = typeof value === 'string' ? value : adfText(value);
    if (text === undefined || text.trim() === '') continue;
    return plainNames.includes(name) ? { text, plain: true } : { text };
  }
  return undefined;
}

/** An entry of a conversation as a message; none for an event that says nothing and brings no file. */
export function messageOf(entry: unknown, asker: Asker): readonly Message[] {
  if (typeof entry === 'string') return entry.trim() === '' ? [] : [{ text: entry }];
  if (!isData(entry)) return [];
  const said = textOf(entry);
  const embedded = isData(entry['_embedded']) ? entry['_embedded'] : {};
  const files = attachmentLines(entry['attachments'] ?? embedded['attachments'] ?? entry['files'] ?? []);
  if (said === undefined && files.length === 0) return [];
  const role = roleOf(entry, asker);
  const author = nameOf(entry, asker, role);
  const at = firstWord(entry, timeNames);
  const email = firstWord(entry, emailNames);
  return [
    {
      ...(said ?? { text: '' }),
      ...(author === undefined ? {} : { author }),
      ...(role === undefined ? {} : { role }),
      ...(at === undefined ? {} : { at }),
      ...(email?.includes('@') === true ? { email } : {}),
      ...(files.length === 0 ? {} : { files }),
    },
  ];
}
