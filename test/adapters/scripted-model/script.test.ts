import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readScript, turnAt } from '../../../src/adapters/scripted-model/script.ts';

const folder = new URL('../../field/scripts/', import.meta.url);

it.each(readdirSync(folder))('reads %s', (file) => {
  const script = readScript(readFileSync(new URL(file, folder), 'utf8'));

  expect(`${script.name}.json`).toBe(file);
});

it.each([
  ['no JSON', '{', 'not JSON'],
  ['no turns', '{"name":"a","turns":[]}', 'turns'],
  ['a turn without a status', '{"name":"a","turns":[{"body":""}]}', 'turns[0].http'],
  ['a status below 200', '{"name":"a","turns":[{"http":100,"body":""}]}', 'turns[0].http'],
  ['an unknown field', '{"name":"a","turns":[{"http":200,"body":"","drop":true}]}', 'drop'],
  ['a negative delay', '{"name":"a","turns":[{"http":200,"body":"","delayMs":-1}]}', 'turns[0].delayMs'],
])('names what is wrong with a script of %s', (_, json, named) => {
  expect(() => readScript(json)).toThrow(
    expect.objectContaining({ code: 'invalid_script', message: expect.stringContaining(named) }),
  );
});

it('gives the turns in order and repeats the last only where it says so', () => {
  const turns = [
    { http: 200, body: 'a' },
    { http: 529, body: 'b' },
  ];
  const given = (repeat: boolean) =>
    [0, 1, 2, 9].map((at) => turnAt({ name: 's', turns, repeat_last: repeat }, at)?.body);

  expect(given(false)).toEqual(['a', 'b', undefined, undefined]);
  expect(given(true)).toEqual(['a', 'b', 'b', 'b']);
});
