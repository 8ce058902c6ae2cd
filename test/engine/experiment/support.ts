import type { TestContext } from 'node:test';
import type { Query } from '../../../src/core/model.ts';
import { judgeSchema } from '../../../src/shared/judge-config.ts';
import { verdictReply, type ModelServer, type ModelServerScript } from '../../fixtures/model-server.ts';
import { readPairPrompt } from '../../fixtures/read-prompts.ts';
import { Workspace } from '../compare/compare-support.ts';
import { serverFor } from '../judges/support.ts';

/** A question with two perspectives. */
export const QUERY: Query = {
  id: 'q',
  text: 'Trams?',
  perspectives: [
    { id: 'a', text: 'Quiet.' },
    { id: 'b', text: 'Costly.' },
  ],
};

export interface JudgedWorkspace {
  readonly workspace: Workspace;
  /** Counts its requests. */
  readonly server: ModelServer;
}

/** A workspace with the corpus `corpus` and the judge `local`, a scripted model. */
export async function judgedWorkspace(
  t: TestContext,
  passages: Readonly<Record<string, string>>,
  script: ModelServerScript,
): Promise<JudgedWorkspace> {
  const workspace = new Workspace(t);
  const server = await serverFor(t, script);
  const local = judgeSchema.parse({
    type: 'openai',
    mode: 'pair',
    baseUrl: server.url,
    model: 'm',
    maxRetries: 0,
  });
  await workspace.configure({ judges: { local } });
  await workspace.corpus('corpus', passages);
  return { workspace, server };
}

/** A model that says yes to a passage that contains a word of the statement. */
export function saysYesTo(wordOf: (statement: string) => string): ModelServerScript {
  return {
    chat: ({ messages }) => {
      const { passage, statement } = readPairPrompt(messages);
      return verdictReply(passage.includes(wordOf(statement)) ? 'yes' : 'no');
    },
  };
}
