import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StandIns, startStandIns } from '../../src/local/stand-ins.ts';
import {
  cleanEnvironment,
  type ModelServer,
  newFolder,
  projectFile,
  start,
  startModel,
} from './processes.ts';

let model: ModelServer;
let standIns: StandIns;
beforeAll(async () => {
  model = await startModel();
  standIns = await startStandIns();
});
afterAll(async () => {
  await model.stop();
  await standIns.close();
});

const tickets = projectFile('examples/tickets.csv');

/** A home folder whose AWS profile leaves a mark as soon as anybody uses it. */
function homeWithCanary(): { readonly home: string; readonly mark: string } {
  const home = newFolder();
  const mark = join(home, 'touched');
  const script = join(home, 'canary.sh');
  writeFileSync(
    script,
    `#!/bin/sh\ntouch ${mark}\necho '{"Version":1,"AccessKeyId":"x","SecretAccessKey":"y"}'\n`,
  );
  chmodSync(script, 0o755);
  mkdirSync(join(home, '.aws'));
  writeFileSync(
    join(home, '.aws', 'config'),
    `[default]\nregion = eu-west-1\ncredential_process = ${script}\n`,
  );
  return { home, mark };
}

describe('triage with other servers named', () => {
  it('sends every model request to them, valid, and never touches the AWS profile of the user', async () => {
    const { home, mark } = homeWithCanary();
    const out = newFolder();
    const environment = {
      ...cleanEnvironment({
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: 'a-key',
        AWS_PROFILE: 'default',
      }),
      HOME: home,
    };
    const { code, stdout } = await start(['triage', tickets, '--out', out, '--json'], environment).finished;
    const summary = JSON.parse(stdout) as { modelCalls: number; scripted: boolean };
    const { calls } = await model.calls();
    expect(code).toBe(0);
    expect(summary.scripted).toBe(false);
    expect(calls).toHaveLength(summary.modelCalls);
    expect(calls.filter((call) => call.status !== 200 || call.prefixIntact === false)).toEqual([]);
    expect(existsSync(mark)).toBe(false);
  });

  it('uses the DynamoDB and SQS servers of the environment in place of stand-ins of its own', async () => {
    const out = newFolder();
    const environment = cleanEnvironment({
      ANTHROPIC_BASE_URL: model.url,
      AWS_ENDPOINT_URL_SQS: standIns.sqsEndpoint,
      AWS_ENDPOINT_URL_DYNAMODB: standIns.dynamodbEndpoint,
    });
    const { code } = await start(['triage', tickets, '--out', out, '--json'], environment).finished;
    expect(code).toBe(0);
    expect(readFileSync(join(out, 'results.jsonl'), 'utf8').trim().split('\n')).toHaveLength(60);
    expect(existsSync(join(out, 'state', 'dynamodb'))).toBe(false);
    const again = await start(['triage', tickets, '--out', newFolder(), '--json'], environment).finished;
    expect((JSON.parse(again.stdout) as { modelCalls: number }).modelCalls).toBe(0);
  });
});
