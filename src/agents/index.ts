import type { Agent } from '../core/agent.ts';
import { docs } from './docs.ts';
import { orders } from './orders.ts';
import { react } from './react.ts';
import { refunds } from './refunds.ts';
import { triage } from './triage.ts';

/** The shipped agents, as the command line knows them. To add one, add its file and an entry here. */
export const agents: readonly Agent[] = [triage, orders, docs, refunds, react];
