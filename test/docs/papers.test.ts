import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { routes } from '../../src/api/routes.ts';
import { tableShape } from '../../src/core/table.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const [deploy, operate] = ['docs/deploy.md', 'docs/operate.md'].map(read) as [string, string];

/** The lines of the shell blocks of a document, with those that go on joined. */
const commands = (text: string): readonly string[] =>
  [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].flatMap(([, body = '']) =>
    body
      .replaceAll('\\\n', ' ')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  );

describe('the runbook', () => {
  const headings = [...operate.matchAll(/^## (.+)$/gm)].map(([, heading = '']) =>
    heading.toLowerCase().replaceAll(' ', '-'),
  );

  it('has a section for each alarm, under the name that the alarm links to', () => {
    const alarms = [
      ...['dead-letters', 'dead-letter-consumer-down', 'oldest-due', 'stalled-jobs', 'function-errors'],
      ...['throttles', 'invocations-per-hour', 'spend-per-hour', 'unsettled-money'],
      'approvals-about-to-expire',
    ];
    expect(headings.slice(0, alarms.length)).toEqual(alarms);
    for (const section of operate.split(/^## /m).slice(1, 1 + alarms.length)) {
      for (const part of ['_', 'Look:', 'Do:', 'Ignore it:']) expect(section).toContain(`\n${part}`);
    }
  });

  it('has a section for what operators do now and then', () => {
    expect(headings.slice(10)).toEqual([
      ...['redrive', 'kill-switch', 'rotate-the-key', 'raise-limits'],
      'restore-from-point-in-time-recovery',
    ]);
  });

  it('names the attributes of the table as they are', () => {
    expect(operate).toContain(`AttributeName=${tableShape.expiry}`);
    // What the scan for jobs that have moved asks for: the time of the last change, the agent, the status.
    const head = read('src/core/head-format.ts');
    expect(head).toContain('ua: job.updatedAtMs');
    expect(head).toContain('ag: job.agent');
    expect(head).toContain('st: letters[status.type]');
  });
});

describe.each([
  ['docs/deploy.md', deploy],
  ['docs/operate.md', operate],
])('the commands of %s', (_name, text) => {
  const lines = commands(text);

  it('name scripts and subcommands that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: object };
    const named = lines.flatMap((line) => /\bnpm run (?:-s )?([\w:]+)/.exec(line)?.[1] ?? []);
    expect(named.filter((script) => !Object.keys(scripts).includes(script))).toEqual([]);
    const main = read('src/cli/main.ts');
    const called = lines.flatMap((line) => /\btreadle (\w+)/.exec(line)?.[1] ?? []);
    expect(called).toContain('doctor');
    for (const command of called) expect(main).toContain(`.command('${command}')`);
  });

  it('name files that are there, or that an earlier command has made', () => {
    const files = lines.flatMap(
      (line) =>
        line.replaceAll('file://', '').match(/(?<![\w$/.-])[\w./-]+\.(?:ts|json|txt|csv|md)\b/g) ?? [],
    );
    const made = /> (key\.txt)|--outputs-file (outputs\.json)/g;
    const known = new Set([...deploy.matchAll(made)].flatMap(([, ...names]) => names));
    expect(files.filter((file) => !known.has(file) && !existsSync(join(root, file)))).toEqual([]);
  });

  it('ask routes that the API has', () => {
    const known = routes.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
    const asked = text.split('\n').flatMap((line) => {
      const call = /api (-X POST )?"\$API(\/[^"]*)"(.*)/.exec(line);
      if (call === null) return [];
      const [, post, path = '', rest = ''] = call;
      const method = post !== undefined || rest.includes(' -d ') ? 'POST' : 'GET';
      return [`${method} ${path}`];
    });
    const told = [...text.matchAll(/`(?:GET|POST|DELETE) \/[^`]*`/g)].map(([route]) => route.slice(1, -1));
    expect(asked.length).toBeGreaterThan(1);
    for (const route of [...asked, ...told]) {
      expect(known).toContain(route.replace(/\?.*/, '').replaceAll(/\{\w+\}|\$[A-Z]+/g, '{}'));
    }
  });
});

it('signs requests in the same way in both', () => {
  const signing = (text: string): string | undefined => /^api\(\) \{\n[\s\S]*?^\}$/m.exec(text)?.[0];
  expect(signing(deploy)).toContain('--aws-sigv4');
  expect(signing(operate)).toBe(signing(deploy));
});

it('gives each permission the routes that take it', () => {
  const rowOf = (permission: string): string =>
    deploy.split('\n').find((line) => line.startsWith(`| ${permission} |`)) ?? '';
  for (const { method, path, permission } of routes) {
    if (permission === 'read') expect(method).toBe('GET');
    else if (permission === 'submit') expect(method).not.toBe('GET');
    else expect(rowOf(permission)).toContain(`\`${method} ${path}\``);
  }
  for (const permission of ['approve', 'spend', 'control']) {
    const count = routes.filter((route) => route.permission === permission).length;
    expect(rowOf(permission).match(/`/g)).toHaveLength(2 * count);
  }
});

it('is where treadle doctor sends people', () => {
  const source = ['doctor', 'refusals'].map((name) => read(`src/cli/${name}.ts`)).join('');
  const places = [...source.matchAll(/docs\/[\w-]+\.md(?:#[\w-]+)?/g)].map(([place]) => place.split('#'));
  expect(places.length).toBeGreaterThan(5);
  for (const [file = '', anchor] of places) {
    const wanted = anchor === undefined ? '' : `\n## ${anchor.replaceAll('-', ' ')}\n`;
    expect(read(file).toLowerCase()).toContain(wanted);
  }
});
