import { readFile } from 'node:fs/promises';
import { readScript } from '../adapters/scripted-model/script.ts';
import { startScriptedModel } from '../adapters/scripted-model/server.ts';
import { TerminalError } from '../core/errors.ts';
import { portTaken } from '../local/api-server.ts';
import { exampleBrain } from '../local/brains/index.ts';
import { pricesFrom } from '../read-prices.ts';
import { exitCode } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

export interface ModelOptions {
  readonly modelScript?: string;
  readonly port: number;
}

/** Serves the scripted model until it is interrupted. Its address is the one line on stdout. */
export async function serveModel(
  options: ModelOptions,
  terminal: Terminal,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const prices = pricesFrom({ TREADLE_PRICES: environment['TREADLE_PRICES'] });
  const { modelScript, port } = options;
  const answers =
    modelScript === undefined ? { brain: exampleBrain } : { script: readScript(await readText(modelScript)) };
  const server = await startScriptedModel({ ...answers, prices, port }).catch((error: unknown) => {
    throw portTaken(error, port);
  });
  terminal.out(`${server.url}\n`);
  terminal.err('Set ANTHROPIC_BASE_URL to this address. Ctrl-C ends it.\n');
  await new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
  await server.close();
  return exitCode.done;
}

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause) => {
    throw new TerminalError('usage', `--model-script ${path}: the file cannot be read`, { cause });
  });
}
