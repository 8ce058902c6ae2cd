/** Commands against a scripted endpoint. */
import type { TestContext } from 'node:test';
import {
  verdictReply,
  type ChatReply,
  type ChatRequest,
  type ModelServer,
} from '../../fixtures/model-server.ts';
import { readPairPrompt } from '../../fixtures/read-prompts.ts';
import { serverFor } from '../judges/support.ts';

/** Says yes if passage and statement share one of the telling words of `topics`. */
export function byTellingWord({ messages }: Pick<ChatRequest, 'messages'>): ChatReply {
  const { passage, statement } = readPairPrompt(messages);
  const shared = ['first', 'second', 'third'].some(
    (word) => passage.includes(word) && statement.includes(word),
  );
  return verdictReply(shared ? 'yes' : 'no');
}

export async function judgeServer(
  t: TestContext,
  chat: (request: ChatRequest) => ChatReply = byTellingWord,
): Promise<{ readonly server: ModelServer; readonly judge: string }> {
  const server = await serverFor(t, { chat });
  const judge = { type: 'openai', mode: 'pair', baseUrl: server.url, model: 'scripted', maxRetries: 0 };
  return { server, judge: JSON.stringify(judge) };
}
