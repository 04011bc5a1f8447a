import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { zipFolder } from '../../../scripts/size/zip.ts';
import { type DeployedFunction, deploy } from './function.ts';

/** A function that shows what it is run in. */
const probe = `
import { writeFileSync } from 'node:fs';
import { join, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
let calls = 0, ticks = 0;
setInterval(() => { ticks += 1; }, 10);
const held = [];
const tryWrite = (path) => { try { writeFileSync(path, 'x'); return 'written'; } catch (error) { return error.code; } };
export const handler = async (event, context) => {
  calls += 1;
  if (event.throws) throw new TypeError('as asked');
  if (event.hang) await new Promise(() => {});
  if (event.exit) process.exit(3);
  while (event.grow) { held.push(Buffer.alloc(8_000_000, 1)); await new Promise((r) => setTimeout(r, 5)); }
  return {
    calls, ticks, left: context.getRemainingTimeInMillis(), trace: process.env._X_AMZN_TRACE_ID ?? null,
    name: process.env.AWS_LAMBDA_FUNCTION_NAME, path: event.path,
    own: tryWrite(join(dirname(fileURLToPath(import.meta.url)), 'mine.txt')),
    elsewhere: tryWrite('/var/mine.txt'), tmp: tryWrite(join(process.env.TMPDIR, 'mine.txt')),
  };
};`;

let deployed: DeployedFunction | undefined;
afterEach(() => deployed?.close());

function aFunction(code: string, handler = 'index.handler'): DeployedFunction {
  const folder = mkdtempSync(join(tmpdir(), 'lambda-probe-'));
  writeFileSync(join(folder, 'index.mjs'), code);
  expect(readdirSync(folder)).toEqual(['index.mjs']);
  const settings = { name: 'probe', handler, environment: {}, memoryMb: 128, timeoutMs: 1_500 };
  deployed = deploy(zipFolder(folder), settings);
  return deployed;
}

describe('the runtime that the built functions are run in', () => {
  it('keeps a process from one event to the next, and stops it in between', async () => {
    const { invoke, coldStarts } = aFunction(probe);
    const first = (await invoke({})) as { readonly ticks: number };
    await sleep(500);
    const second = (await invoke({})) as { readonly ticks: number; readonly calls: number };
    expect([second.calls, coldStarts()]).toEqual([2, 1]);
    expect(second.ticks - first.ticks).toBeLessThan(10);
  });

  it('starts another process for an event that comes while one is handled', async () => {
    const { invoke, coldStarts } = aFunction(probe);
    await Promise.all([invoke({}), invoke({}), invoke({})]);
    expect(coldStarts()).toBe(3);
    await invoke({});
    expect(coldStarts()).toBe(3);
  });

  it('has no disk that can be written but its own /tmp', async () => {
    expect(await aFunction(probe).invoke({})).toMatchObject({
      own: expect.stringMatching(/^E/),
      elsewhere: expect.stringMatching(/^E/),
      tmp: 'written',
    });
  });

  it('hands over the event, the time left, the trace and the variables of Lambda', async () => {
    const trace = 'Root=1-5759e988-bd862e3fe1be46a994272793;Lineage=1:ab:3';
    const answer = (await aFunction(probe).invoke({ path: '/ü' }, trace)) as { readonly left: number };
    expect(answer).toMatchObject({ path: '/ü', trace, name: 'probe' });
    expect(answer.left).toBeGreaterThan(0);
    expect(answer.left).toBeLessThanOrEqual(1_500);
    expect(await deployed?.invoke({})).toMatchObject({ trace: null });
  });

  it.each([
    ['that throws fails and the process lives on', { throws: true }, 'TypeError', 1],
    ['that takes too long is killed with its process', { hang: true }, 'Sandbox.Timedout', 2],
    ['that ends its process fails', { exit: true }, 'Runtime.ExitError', 2],
    ['that takes more memory than there is is killed', { grow: true }, 'Runtime.OutOfMemory', 2],
  ])('an invocation %s', async (_, event, name, starts) => {
    const { invoke, coldStarts } = aFunction(probe);
    await expect(invoke(event)).rejects.toMatchObject({ name });
    expect(await invoke({})).toHaveProperty('calls');
    expect(coldStarts()).toBe(starts);
  });

  it.each([
    ['throws while it is loaded', 'throw new RangeError("no");', 'index.handler', 'RangeError'],
    ['has no such export', 'export const other = 1;', 'index.handler', 'Error'],
    ['has no such file', probe, 'main.handler', 'Error'],
  ])('a function that %s fails at its first event', async (_, code, handler, name) => {
    await expect(aFunction(code, handler).invoke({})).rejects.toMatchObject({ name });
  });
});
