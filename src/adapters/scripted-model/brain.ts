import type { ContentBlock } from '../../ports.ts';

/** The parsed body of `POST /v1/messages`, as far as a brain looks at it. */
export interface MessagesRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly system?: readonly { readonly type: string; readonly text: string }[];
  readonly tools?: readonly { readonly name: string; readonly [key: string]: unknown }[];
  readonly messages: readonly {
    readonly role: string;
    readonly content: string | readonly ContentBlock[];
  }[];
}

/** What the model says; the server adds ids and usage, and cuts it at `max_tokens`. */
export interface BrainReply {
  readonly content: readonly ContentBlock[];
  /** @default tool_use when a call is in `content`, else end_turn */
  readonly stopReason?: string;
}

/** Answers by rules: the same reply for the same request. Undefined: not an agent that it knows. */
export type Brain = (request: MessagesRequest) => BrainReply | undefined;
