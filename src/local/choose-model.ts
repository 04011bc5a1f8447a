import { readFile } from 'node:fs/promises';
import { createClaude } from '../adapters/claude.ts';
import { readScript } from '../adapters/scripted-model/script.ts';
import { startScriptedModel } from '../adapters/scripted-model/server.ts';
import { TerminalError } from '../core/errors.ts';
import type { PriceTable } from '../core/prices.ts';
import type { Model } from '../ports.ts';
import { exampleBrain } from './brains/index.ts';

export interface ChosenModel {
  readonly model: Model;
  /** Answers come from a script or from rules, not from a model. */
  readonly scripted: boolean;
  /** The real API: what it answers costs real money. */
  readonly live: boolean;
  /** In a few words, for people. */
  readonly name: string;
  /** The address of the server that answers. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

export interface ModelChoice {
  readonly script: string | undefined;
  /** Whether the agent is one of ours, which the rules can answer. */
  readonly shipped: boolean;
  readonly prices: PriceTable;
  readonly environment: Environment;
}

const nothingToClose = async (): Promise<void> => undefined;

/** The first that applies: a script, another server, the real API, and else the rules for the example agents. */
export async function chooseModel(choice: ModelChoice): Promise<ChosenModel> {
  const { environment, script, prices } = choice;
  if (script !== undefined) {
    const server = await startScriptedModel({ script: readScript(await readScriptFile(script)), prices });
    return local(server, `scripted by ${script}`);
  }
  const baseURL = environment['ANTHROPIC_BASE_URL'];
  const credential = environment['ANTHROPIC_API_KEY'] || environment['ANTHROPIC_AUTH_TOKEN'];
  if (baseURL !== undefined && baseURL !== '') {
    const key = credential ? {} : { apiKey: 'placeholder' };
    return {
      model: createClaude(key),
      ...{ scripted: false, live: false, name: baseURL, url: baseURL, close: nothingToClose },
    };
  }
  if ((environment['ANTHROPIC_API_KEY'] ?? '') !== '' || environment['TREADLE_MODEL'] === 'live') {
    return {
      model: createClaude(),
      scripted: false,
      live: true,
      name: 'the Claude API',
      url: 'https://api.anthropic.com',
      close: nothingToClose,
    };
  }
  if (!choice.shipped) {
    throw new TerminalError(
      'no_model',
      'the rules answer only the example agents: set ANTHROPIC_API_KEY, or give --model-script FILE',
    );
  }
  return local(await startScriptedModel({ brain: exampleBrain, prices }), 'scripted by rules');
}

function local(server: Awaited<ReturnType<typeof startScriptedModel>>, name: string): ChosenModel {
  const model = createClaude({ apiKey: 'scripted', baseURL: server.url });
  return { model, scripted: true, live: false, name, url: server.url, close: server.close };
}

async function readScriptFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new TerminalError('usage', `--model-script ${path}: the file cannot be read`, { cause });
  }
}
