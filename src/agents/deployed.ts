import type { Agent } from '../core/agent.ts';
import { triage } from './triage.ts';

/**
 * What a deployment without agents of its own runs. The others are for learning: some of their tools keep what they know
 * in files beside this code, which a function does not have.
 */
export const agents: readonly Agent[] = [triage];
