import type { Agent } from '../core/agent.ts';
import { triage } from './triage.ts';

/** The shipped agents. To add one, add its file and an entry here. */
export const agents: readonly Agent[] = [triage];
