import type { ContentBlock } from '../../ports.ts';

export type { ContentBlock } from '../../ports.ts';

/** One message of a request, its content always a list: a plain string arrives here as one text block. */
export interface RequestMessage {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: readonly ContentBlock[];
}

/** A tool as the request offers it. Tools that the server would run have a `type` and may lack a schema. */
export interface RequestTool {
  readonly name: string;
  readonly type?: string;
  readonly description?: string;
  readonly input_schema?: Readonly<Record<string, unknown>>;
}

/** The body of `POST /v1/messages` after every check has passed; names are the API's own. */
export interface MessagesRequest {
  readonly model: string;
  readonly max_tokens: number;
  /** The text blocks of `system`; empty where the request has none. */
  readonly system: readonly ContentBlock[];
  /** Messages in order, neighbours of the same role merged into one. */
  readonly messages: readonly RequestMessage[];
  readonly tools: readonly RequestTool[];
  /** `metadata.user_id`, where the request carries one. */
  readonly userId: string | undefined;
}

/** What the rules answer. `tool_use` blocks need no `id`: the server makes one that is unique in the conversation. */
export interface BrainReply {
  readonly content: readonly ContentBlock[];
  /** Default `tool_use` where the content holds a tool call, else `end_turn`. */
  readonly stopReason?: string;
}

/** Answers by rules: a pure function of the request. `undefined` for a request it has no rules for, which is refused. */
export type Brain = (request: MessagesRequest) => BrainReply | undefined;
