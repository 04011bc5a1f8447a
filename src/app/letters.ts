import { type DeadLetter, LETTER_MS } from '../core/dead-letter.ts';
import type { LetterPlace } from './letter-store.ts';
import type { World } from './world.ts';

/** Who asks: a tenant, which sees its own letters, and with `unowned` those that belong to nobody. */
export interface LetterScope {
  readonly tenant: string;
  readonly unowned: boolean;
}

export interface LetterPage {
  readonly items: readonly DeadLetter[];
  /** Where the next page begins; undefined after the last. */
  readonly next: LetterPlace | undefined;
}

const NOBODY = '';
const owners = ({ tenant, unowned }: LetterScope): readonly string[] =>
  unowned ? [tenant, NOBODY] : [tenant];

const newestFirst = (a: LetterPlace, b: LetterPlace): number => b.at - a.at || (a.id < b.id ? 1 : -1);

/** Messages that were given up, newest first. */
export async function listDeadLetters(
  world: World,
  scope: LetterScope,
  page: { readonly after?: LetterPlace; readonly limit: number },
): Promise<LetterPage> {
  const lists = await Promise.all(owners(scope).map((owner) => world.store.listDeadLetters(owner, page)));
  const places = lists.flat().sort(newestFirst);
  const shown = places.slice(0, page.limit);
  const found = await world.store.readDeadLetters(shown.map(({ id }) => id));
  const letters = new Map(found.map((letter) => [letter.id, letter]));
  return {
    items: shown.flatMap(({ id }) => letters.get(id) ?? []).filter((letter) => isThere(world, scope, letter)),
    next:
      lists.some((list) => list.length >= page.limit) || places.length > shown.length
        ? shown.at(-1)
        : undefined,
  };
}

/** One that may be seen, and that has not outlived its time. */
function isThere(world: World, scope: LetterScope, letter: DeadLetter): boolean {
  return owners(scope).includes(letter.tenant) && letter.atMs + LETTER_MS > world.clock.now();
}

/** Sends the same body again, once, and marks the letter; undefined when there is no such letter. */
export async function redrive(world: World, scope: LetterScope, id: string): Promise<DeadLetter | undefined> {
  const letter = await world.store.readDeadLetter(id);
  if (letter === undefined || !isThere(world, scope, letter)) return undefined;
  if (letter.redrivenAtMs > 0) return letter;
  const group = letter.tenant === NOBODY ? scope.tenant : letter.tenant;
  await world.queue.sendBody(letter.body, { delaySeconds: 0, group });
  const redrivenAtMs = world.clock.now();
  await world.store.markRedriven(id, redrivenAtMs);
  return { ...letter, redrivenAtMs };
}

/** Letters that are looked at to count them. */
const MAX_COUNTED = 200;

/** Letters that nobody has sent again, 200 at the most. */
export async function countDeadLetters(world: World, scope: LetterScope): Promise<number> {
  const { items } = await listDeadLetters(world, scope, { limit: MAX_COUNTED });
  return items.filter(({ redrivenAtMs }) => redrivenAtMs === 0).length;
}
