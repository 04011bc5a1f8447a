import { join } from 'node:path';
import { Stack, Stage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { bundleFunctions, type FunctionName } from '../src/bundle.ts';
import { installation } from '../src/module-options.ts';
import { checkAgents } from './check-agents.ts';
import type { AgentWorkerProps, ModelProps } from './props.ts';

interface CodeOptions {
  readonly agents: string | undefined;
  readonly prices: AgentWorkerProps['prices'];
  readonly provider: ModelProps['type'];
  readonly telemetry: boolean;
}

/** The sources of the functions, wherever this runs from. */
const sources = join(installation, 'functions');

/**
 * The code of each function, all bundled in one go into the cloud assembly. Where the toolkit says that no code is needed,
 * as it does to list or destroy stacks, the sources stand for it.
 */
export function bundledCode(
  scope: Construct,
  { agents, prices, provider, telemetry }: CodeOptions,
): (name: FunctionName) => Code {
  if (!Stack.of(scope).bundlingRequired) return () => Code.fromAsset(sources);
  if (agents !== undefined) checkAgents(agents, prices);
  const assembly = Stage.of(scope)?.outdir;
  if (assembly === undefined) throw new Error('AgentWorker: it must be in a stack of an app');
  const outDir = join(assembly, 'treadle', scope.node.addr);
  const { folderOf } = bundleFunctions({
    outDir,
    provider,
    telemetry,
    ...(agents === undefined ? {} : { agents }),
  });
  return (name) => Code.fromAsset(folderOf(name));
}
