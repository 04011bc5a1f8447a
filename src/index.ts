export {
  type Agent,
  type AgentDefinition,
  type AgentLimits,
  type ApprovalRule,
  type CheckResult,
  defineAgent,
  defineTool,
  type Effort,
  type Json,
  type Policy,
  type Tool,
  type ToolContext,
  type ToolDefinition,
} from './core/agent.ts';
export type { PrivateKind } from './core/redact.ts';
