/** A debate that ends without agreement appears in the Review view, is answered by command, and leaves it. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { ParallaxApi } from '../../../src/extension/main.ts';
import type { ReviewState } from '../../../src/features/review/contract/panel.ts';
import { argumentReply, startModelServer, type ChatRequest } from '../../fixtures/model-server.ts';
import { hostTest } from '../companion/host-test.ts';

const QUESTION = 'Does the sample hold letters?';
const PERSPECTIVE = 'Letters are worth reading.';

const COMMAND = 'parallax.review';

/** Each agent keeps its first position. */
function stubborn({ messages }: ChatRequest): ReturnType<typeof argumentReply> {
  const text = messages.map(({ content }) => content).join('\n');
  const begins = /Your initial stance: the passage (supports|does not support) /u.exec(text)?.[1];
  const said = /your verdict was "(yes|no)"/u.exec(text)?.[1];
  const side = begins === 'supports' || said === 'yes' ? 'yes' : 'no';
  return argumentReply(side, `The ${side} of the host test.`);
}

hostTest(
  'an escalated pair is listed with its arguments, answered by command, and returned by undo',
  async () => {
    const server = await startModelServer({ chat: stubborn });
    const config = await workspaceFile('parallax.json');
    try {
      await configure(config, server.url);
      const api = await vscode.extensions.getExtension<ParallaxApi>('parallax.parallax-rag')!.activate();
      const before = await escalatedPairs(api);
      assert.ok(before.every((label) => label.startsWith(PERSPECTIVE)));

      await vscode.commands.executeCommand(`${COMMAND}Next`);
      const { pair } = await reviewed(api, (state) => state.pair !== undefined);
      assert.deepEqual([pair?.perspective, pair?.question], [PERSPECTIVE, QUESTION]);
      assert.deepEqual(
        pair?.opinions[0]?.sides.map(({ who, argument }) => `${who}: ${argument}`).sort(),
        ['no', 'yes'].map((side) => `scripted: The ${side} of the host test.`),
      );
      const { activeTab } = vscode.window.tabGroups.activeTabGroup;
      assert.ok(activeTab?.input instanceof vscode.TabInputWebview, 'the keys go there');

      await vscode.commands.executeCommand(`${COMMAND}Yes`);
      assert.equal((await api.reviewList()).length, before.length - 1);
      const [label] = (await labels()).slice(-1);
      assert.deepEqual([label?.['verdict'], label?.['perspectiveText']], ['yes', PERSPECTIVE]);
      await reviewed(api, ({ left }) => left === before.length - 1);

      await vscode.commands.executeCommand(`${COMMAND}Undo`);
      assert.equal((await api.reviewList()).length, before.length);
      assert.equal((await labels()).at(-1)?.['withdraws'], label?.['at']);
    } finally {
      await server.close();
      await vscode.workspace.fs.writeFile(config.uri, new TextEncoder().encode(config.text));
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    }
  },
  { timeout: 60_000 },
);

hostTest('the agreement of people is shown as a document', async () => {
  const uri = vscode.Uri.from({ scheme: 'parallax-review', path: '/Agreement.md' });
  const document = await vscode.workspace.openTextDocument(uri);
  assert.match(
    document.getText(),
    /^# Agreement of people\n\nRests on the human labels of this workspace: \d+ by/u,
  );
});

interface WorkspaceFile {
  readonly uri: vscode.Uri;
  readonly text: string;
}

async function workspaceFile(name: string): Promise<WorkspaceFile> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(folder, 'no folder is open');
  const uri = vscode.Uri.joinPath(folder.uri, name);
  return { uri, text: new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)) };
}

/** A debate of a scripted model, and a question without labels. */
async function configure({ uri, text }: WorkspaceFile, baseUrl: string): Promise<void> {
  const evalSet = vscode.Uri.joinPath(uri, '../eval/host-review.jsonl');
  const query = { _id: 'host', text: QUESTION, perspectives: [{ id: 'p1', text: PERSPECTIVE }] };
  await vscode.workspace.fs.writeFile(evalSet, new TextEncoder().encode(`${JSON.stringify(query)}\n`));
  const config = {
    ...(JSON.parse(text) as object),
    judge: 'debate',
    judges: {
      agent: { type: 'openai', baseUrl, model: 'scripted' },
      debate: { type: 'debate', agents: 'agent' },
    },
    evalSets: ['eval/host-review.jsonl'],
  };
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(JSON.stringify(config)));
}

/** The extension notices the new configuration once the files have settled. */
async function escalatedPairs(api: ParallaxApi): Promise<string[]> {
  for (const until = Date.now() + 120_000; Date.now() < until; await sleep(200)) {
    await api.ask(QUESTION);
    const pairs = await api.reviewList();
    if (pairs.length > 1) return pairs;
  }
  throw new Error('No debate was escalated.');
}

/** What the review shows, once it is as expected. */
async function reviewed(api: ParallaxApi, isThere: (state: ReviewState) => boolean): Promise<ReviewState> {
  for (const until = Date.now() + 120_000; Date.now() < until; await sleep(50)) {
    const state = api.reviewed();
    if (state && isThere(state)) return state;
  }
  throw new Error(`The review shows something else: ${JSON.stringify(api.reviewed())}`);
}

async function labels(): Promise<Record<string, unknown>[]> {
  const { text } = await workspaceFile('.parallax/judgements.jsonl');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
