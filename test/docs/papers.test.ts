import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { transformSync } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { AgentWorker } from '../../infra/agent-worker.ts';
import { uses } from '../../infra/permissions.ts';
import { routes } from '../../src/api/routes.ts';
import { scopesFor } from '../../src/aws-identity.ts';
import { functionNames } from '../../src/bundle.ts';
import { createProgram } from '../../src/cli/main.ts';
import { tableShape } from '../../src/core/table.ts';
import { at, everything, type Resource, synthesise, testApp } from '../infra/synthesised.ts';
import { keptTerminal } from '../support/command-line.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const [deploy, operate, security] = ['deploy', 'operate', 'security'].map((name) =>
  read(`docs/${name}.md`),
) as [string, string, string];

/** The lines of the shell blocks of a document, with those that go on joined. */
const commands = (text: string): readonly string[] =>
  [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].flatMap(([, body = '']) =>
    body
      .replaceAll('\\\n', ' ')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  );

/** The row of a table by its first cell. */
const rowOf = (text: string, first: string): string =>
  text.split('\n').find((line) => line.startsWith(`| ${first} |`)) ?? '';

const program = createProgram(keptTerminal().terminal, () => undefined);

/** Whether the command line has this command, with these options and no fewer arguments than it needs. */
function isCall(text: string): boolean {
  const words = text.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  let command = program;
  for (; command.commands.length > 0; words.shift()) {
    const next = command.commands.find((one) => one.name() === words[0]);
    if (next === undefined) return false;
    command = next;
  }
  const options = words.filter((word) => word.startsWith('--'));
  const given = words.findIndex((word) => word.startsWith('--'));
  const values = given < 0 ? words.length : given;
  const needed = command.registeredArguments.filter(({ required }) => required).length;
  const known = command.options.map(({ long }) => long);
  return values >= needed && options.every((option) => known.includes(option));
}

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
    const spans = [...text.matchAll(/`(treadle [^`]+)`/g)].map(([, span = '']) => span);
    const called = [...lines, ...spans].flatMap((line) => /\btreadle ([a-z].*)/.exec(line)?.[1] ?? []);
    expect(called).toContain('doctor');
    expect(called.filter((words) => !isCall(words))).toEqual([]);
  });

  it('name files that are there, or that an earlier command has made', () => {
    const files = lines.flatMap(
      (line) =>
        line.replaceAll('file://', '').match(/(?<![\w$/.-])[\w./-]+\.(?:ts|json|txt|csv|md)\b/g) ?? [],
    );
    const made = /> ([\w-]+\.(?:txt|json))$|--outputs-file (outputs\.json)/gm;
    const known = new Set([...`${deploy}${operate}`.matchAll(made)].flatMap(([, ...names]) => names));
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
    // The runbook asks by the command line alone.
    expect(asked.length > 1).toBe(text === deploy);
    for (const route of [...asked, ...told]) {
      expect(known).toContain(route.replace(/\?.*/, '').replaceAll(/\{\w+\}|\$[A-Z]+/g, '{}'));
    }
  });
});

it('gives each permission the routes that take it', () => {
  for (const { method, path, permission } of routes) {
    if (permission === 'read') expect(method).toBe('GET');
    else if (permission === 'submit') expect(method).not.toBe('GET');
    else expect(rowOf(deploy, permission)).toContain(`\`${method} ${path}\``);
  }
  for (const permission of ['approve', 'spend', 'control']) {
    const count = routes.filter((route) => route.permission === permission).length;
    expect(rowOf(deploy, permission).match(/`/g)).toHaveLength(2 * count);
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

describe('the paper on security', () => {
  it('links to files and headings that are there', () => {
    const links = [...security.matchAll(/\]\(([\w/.-]*)(?:#([\w-]+))?\)/g)];
    expect(links.length).toBeGreaterThan(5);
    for (const [, file = '', anchor] of links) {
      const headings = [...read(`docs/${file || 'security.md'}`).matchAll(/^#+ (.+)$/gm)].map(
        ([, heading = '']) =>
          heading
            .toLowerCase()
            .replaceAll(/[^\w\s-]/g, '')
            .replaceAll(' ', '-'),
      );
      if (anchor !== undefined) expect(headings).toContain(anchor);
    }
  });

  const cells = (row: string): readonly string[] => row.split('|').map((cell) => cell.trim());

  it('lists the findings that are acknowledged in the stack', () => {
    const sources = readdirSync(join(root, 'infra')).map((name) => read(`infra/${name}`));
    const acknowledged = sources.flatMap((text) => text.match(/'AwsSolutions-\w+'/g) ?? []);
    const listed = security.match(/^\| `AwsSolutions-\w+`/gm) ?? [];
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(listed.map((cell) => cell.replaceAll(/[|` ]/g, '')).sort()).toEqual(
      acknowledged.map((name) => name.replaceAll("'", '')).sort(),
    );
  });

  it('gives each permission its routes, and no others', () => {
    for (const permission of ['submit', 'approve', 'spend', 'control']) {
      const taken = routes.filter((route) => route.permission === permission);
      const listed = rowOf(security, permission).match(/`[^`]+`/g) ?? [];
      expect(listed.map((route) => route.slice(1, -1)).sort()).toEqual(
        taken.map(({ method, path }) => `${method} ${path}`).sort(),
      );
    }
    expect(scopesFor('read')).toEqual(['treadle/read', 'treadle/submit']);
    expect(scopesFor('submit')).toEqual(['treadle/submit']);
    expect(routes.every(({ method, permission }) => (method === 'GET') === (permission === 'read'))).toBe(
      true,
    );
  });

  it('says of each function what its role allows', () => {
    const { all, worker } = synthesise(everything);
    const roles = {
      worker: 'Worker',
      api: 'Api',
      reconciler: 'Reconciler',
      'dead-letter': 'DeadLetterConsumer',
    };
    const deletes = { worker: true, api: true, reconciler: true, 'dead-letter': false };
    for (const name of functionNames) {
      const policies = all('IAM::Policy').filter(([id]) =>
        id.startsWith(`${worker.node.id}${roles[name]}Role`),
      );
      const [, , table = '', queue = '', secrets = ''] = cells(rowOf(security, name));
      const { indexes, steps, table: actions } = uses[name];
      expect([...table.matchAll(/`(\w+)`/g)].map(([, index]) => index).sort()).toEqual([...indexes].sort());
      expect(actions.includes('BatchWriteItem')).toBe(deletes[name]);
      expect(table.includes('deletes')).toBe(deletes[name]);
      expect(queue.includes('sends')).toBe(steps.includes('SendMessage'));
      expect(policies).toHaveLength(1);
      const text = JSON.stringify(policies);
      expect(secrets.includes('model key')).toBe(text.includes('AgentsModelKey'));
      expect(secrets.includes('webhook secret')).toBe(text.includes('"Hooks'));
      expect(secrets === 'none').toBe(!text.includes('secretsmanager:'));
    }
  });
});

/** A block of TypeScript of the runbook as a function of what it is told, without its imports. */
async function lines(holding: string, names: readonly string[]): Promise<(...values: unknown[]) => void> {
  const blocks = [...operate.matchAll(/^ *```ts\n([\s\S]*?)^ *```$/gm)].map(([, body = '']) => body);
  const body = (blocks.find((block) => block.includes(holding)) ?? '').replaceAll(/^ *import .*$/gm, '');
  const { code } = transformSync(`export const apply = (${names.join(', ')}) => {${body}}`, { loader: 'ts' });
  const module: unknown = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return (module as { readonly apply: (...values: unknown[]) => void }).apply;
}

describe('the lines that the runbook adds to a stack', () => {
  let resources: Readonly<Record<string, Resource>>;
  const all = (type: string): readonly (readonly [string, Resource])[] =>
    Object.entries(resources).filter(([, { Type }]) => Type === `AWS::${type}`);
  beforeAll(async () => {
    const point = await lines('TABLE_NAME', ['desk', 'PolicyStatement']);
    const raise = await lines('throttling', ['desk']);
    const stack = new Stack(testApp(), 'Test');
    const desk = new AgentWorker(stack, 'Desk');
    point(desk, PolicyStatement);
    raise(desk);
    resources = Template.fromStack(stack).toJSON()['Resources'];
  });

  it('point every function at the restored table, with what the roles may do there', () => {
    const names = all('Lambda::Function').map(([, one]) => at(one, 'Environment.Variables.TABLE_NAME'));
    expect(names).toEqual(Array(4).fill('the name of step 2'));
    const policies = all('IAM::Policy').map(([, policy]) => JSON.stringify(policy));
    const actions = new Set(functionNames.flatMap((name) => uses[name].table));
    for (const policy of policies) {
      for (const action of actions) expect(policy).toContain(`"dynamodb:${action}"`);
      for (const index of ['', ...Object.keys(tableShape.indexes).map((name) => `/index/${name}`)])
        expect(policy).toContain(`table/the name of step 2${index}"`);
    }
  });

  it('let the alarms look at what is measured under its name', () => {
    const measured = all('CloudWatch::Alarm').filter(([, one]) => at(one, 'Namespace') === 'Treadle');
    expect(measured).toHaveLength(6);
    for (const [, alarm] of measured)
      expect(at(alarm, 'Dimensions')).toEqual([{ Name: 'TableName', Value: 'the name of step 2' }]);
  });

  it('set other throttles', () => {
    const settings = all('ApiGatewayV2::Stage').map(([, stage]) => at(stage, 'DefaultRouteSettings'));
    expect(settings).toEqual([{ ThrottlingRateLimit: 300, ThrottlingBurstLimit: 600 }]);
  });

  it('name functions and groups as they are called in the stack', () => {
    const ids = all('Lambda::Function').map(([id]) => id);
    const asked = [...operate.matchAll(/\$\(functionOf (\w+)\)/g)].map(([, name]) => `${name}Function`);
    expect(asked).toHaveLength(4);
    for (const name of asked) expect(ids.filter((id) => id.includes(name))).toHaveLength(1);
    expect(all('Logs::LogGroup').filter(([id]) => id.includes('AccessLogs'))).toHaveLength(1);
  });
});

it('is in the package where alarms and people are sent', () => {
  const { files } = JSON.parse(read('package.json')) as { readonly files: readonly string[] };
  expect(files).toEqual(
    expect.arrayContaining(['deploy', 'operate', 'cost', 'security'].map((n) => `docs/${n}.md`)),
  );
});
