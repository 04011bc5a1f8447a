import { describe, expect, it } from 'vitest';
import {
  addPage,
  type Loaded,
  nothingLoaded,
  pagesWith,
  refreshPage,
  rowsOf,
} from '../../src/console/model/pages.ts';

interface Row {
  readonly id: string;
}

const answer = (ids: string, cursor: string | null = null) => ({
  items: [...ids].map((id) => ({ id })),
  cursor,
});
const loaded = (...pages: readonly [string, string | null][]): Loaded<Row> =>
  pages.reduce<Loaded<Row>>((list, [ids, cursor]) => addPage(list, answer(ids, cursor)), nothingLoaded);
const ids = (list: Loaded<Row>): string =>
  rowsOf(list)
    .map(({ id }) => id)
    .join('');

describe('a long list', () => {
  it('grows by pages, each asked with the cursor of the one before', () => {
    const list = loaded(['cd', 'one'], ['ef', null]);
    expect([ids(list), list.next]).toEqual(['cdef', null]);
    expect(list.pages.map(({ asked }) => asked)).toEqual([undefined, 'one']);
  });

  it.each([
    ['new rows in front, the last one pushed off the page', 'cd', 'bc', 'bcdef'],
    ['rows that have left the filter', 'cd', 'd', 'def'],
    ['nothing new', 'cd', 'cd', 'cdef'],
    ['a row that the next page has as well', 'cd', 'de', 'def'],
  ])('reads its first page again: %s', (_, first, again, result) => {
    const list = refreshPage(loaded([first, 'one'], ['ef', null]), 0, answer(again, 'x'));
    expect(ids(list)).toBe(result);
  });

  it('begins anew where so much has come that nothing is as it was', () => {
    const list = refreshPage(loaded(['cd', 'one'], ['ef', null]), 0, answer('ab', 'two'));
    expect([ids(list), list.next]).toEqual(['ab', 'two']);
  });

  it('reads a later page again in its place', () => {
    const list = refreshPage(loaded(['cd', 'one'], ['ef', 'two']), 1, answer('fg', null));
    expect([ids(list), list.next]).toEqual(['cdfg', null]);
  });

  it.each([
    [0, 1, [0]],
    [1, 2, [0, 1]],
    [2, 3, [1]],
    [4, 9, [2]],
  ])('finds the pages that hold the rows from %i to %i', (first, last, at) => {
    expect(pagesWith(loaded(['ab', 'one'], ['cd', 'two'], ['e', null]), first, last)).toEqual(at);
  });
});
