/** What judges share for whom one chat model answers. */
import type { SupportStandard } from '../../core/judging/standard.ts';
import type { ChatModel } from '../models/chat-model.ts';

export interface ModelJudgeSettings {
  readonly name: string;
  readonly model: ChatModel;
  readonly standard: SupportStandard;
  /** Requests in flight at a time. */
  readonly concurrency: number;
  /** For each attempt. */
  readonly timeoutMs: number;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
}
