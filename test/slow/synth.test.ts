import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const out = mkdtempSync(join(tmpdir(), 'treadle-synth-'));
afterAll(() => rmSync(out, { recursive: true, force: true }));

/** Runs what `npm run synth` runs, with nothing in the environment but where Node is and where to write. */
async function synth(): Promise<{ readonly cpuSeconds: number }> {
  const measure = `process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    require('node:fs').writeFileSync(${JSON.stringify(join(out, 'cpu'))}, String((user + system) / 1e6));
  });`;
  const preload = `data:text/javascript,${encodeURIComponent(
    `import { createRequire } from 'node:module'; const require = createRequire(${JSON.stringify(import.meta.url)}); ${measure}`,
  )}`;
  await promisify(execFile)(process.execPath, ['--import', preload, '--import', 'tsx', 'infra/app.ts'], {
    cwd: root,
    env: { PATH: process.env['PATH'], CDK_OUTDIR: out },
  });
  return { cpuSeconds: Number(readFileSync(join(out, 'cpu'), 'utf8')) };
}

describe('npm run synth', () => {
  let cpuSeconds = Number.NaN;
  beforeAll(async () => {
    ({ cpuSeconds } = await synth());
  });

  it('needs no account, no credentials and no region', () => {
    const template = JSON.parse(readFileSync(join(out, 'Treadle.template.json'), 'utf8'));
    expect(Object.keys(template.Resources).length).toBeGreaterThan(60);
    const manifest = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
    expect(manifest.artifacts.Treadle.environment).toBe('aws://unknown-account/unknown-region');
  });

  it('was reported clean by cdk-nag, apart from the one finding that is acknowledged', () => {
    const report = JSON.parse(readFileSync(join(out, 'validation-report.json'), 'utf8'));
    const [nag, ...others] = report.pluginReports;
    // CDK's own validator is named only where it has found something.
    expect(others).toEqual([]);
    expect(nag).toMatchObject({ pluginName: 'AwsSolutions', conclusion: 'success', violations: [] });
    const suppressed = nag.suppressedViolations as readonly { ruleName: string }[];
    expect(suppressed.map(({ ruleName }) => ruleName)).toEqual(['AwsSolutions-SMG4']);
  });

  it('holds the bundle of each function, with its handler at the top', () => {
    const assets = readdirSync(out).filter((name) => name.startsWith('asset.'));
    const handlers = assets.filter((name) => readdirSync(join(out, name)).includes('index.mjs'));
    expect(handlers).toHaveLength(4);
  });

  it('takes less than ten seconds of computing, bundling included', () => {
    expect(cpuSeconds).toBeLessThan(10);
  });
});
