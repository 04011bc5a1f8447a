export { AgentWorker, type RoutePermission } from './agent-worker.ts';
export type { AgentWorkerProps, AlarmLimits, AuthProps, ModelProps, TelemetryProps } from './props.ts';
export { TreadleStack, type TreadleStackProps } from './treadle-stack.ts';
