/** Continuous evaluations, evaluations that ask a model, and names in parallax.json, in a real editor. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { ParallaxApi } from '../../../src/extension/main.ts';
import { startModelServer } from '../../fixtures/model-server.ts';
import { hostTest } from '../companion/host-test.ts';
import { read, uriOf, write } from '../companion/workspace-files.ts';

const PATIENCE = 300_000;
/** Longer than a continuous run takes to begin and end. */
const A_WHILE = 4_000;
const SET = 'eval/questions.parallax.jsonl';
/** Finds other passages than the labelled ones. */
const WORSE = { retriever: { type: 'bm25', k1: 0, analyzer: 'whitespace' }, k: 5 };

const extension = vscode.extensions.getExtension<ParallaxApi>('parallax.parallax-rag');

async function until(what: () => boolean | Promise<boolean>, why: () => unknown): Promise<void> {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await sleep(200)) if (await what()) return;
  assert.fail(JSON.stringify(await why()));
}

type Config = Record<string, unknown> & { readonly pipelines: Record<string, object> };

/** Changes parallax.json while some work runs. */
async function withConfig(work: (change: (fields: object) => Promise<void>) => Promise<void>): Promise<void> {
  const before = await read('parallax.json');
  const config = JSON.parse(before) as Config;
  try {
    await work((fields) => Promise.resolve(write('parallax.json', JSON.stringify({ ...config, ...fields }))));
  } finally {
    await write('parallax.json', before);
  }
}

async function outcomeOfSet(): Promise<string | undefined> {
  return (await extension!.exports.tests()).find(({ id }) => id === SET)?.outcome;
}

const demanding = (min: number): object => ({
  gate: { pipelines: ['bm25'], thresholds: [{ metric: 'MRecall@5', min }] },
});

hostTest(
  'a continuous run evaluates after every change until it is stopped',
  async () => {
    await extension!.activate();
    await extension!.exports.tests();
    await withConfig(async (change) => {
      await vscode.commands.executeCommand('testing.startContinuousRun');
      await change(demanding(1));
      await until(async () => (await outcomeOfSet()) === 'failed', outcomeOfSet);
      await change(demanding(0));
      await until(async () => (await outcomeOfSet()) === 'passed', outcomeOfSet);
      // A corpus document is an input, too: changing it changes a figure.
      const runs = await historyLength();
      await write('docs/continuous.md', 'Daylight in the evening draws people outdoors.\n');
      await until(async () => (await historyLength()) > runs, historyLength);

      await vscode.commands.executeCommand('testing.stopContinuousRun');
      await change(demanding(1));
      await sleep(A_WHILE);
      assert.equal(await outcomeOfSet(), 'passed', 'it ran although it was stopped');
      await vscode.workspace.fs.delete(uriOf('docs/continuous.md'));
    });
  },
  { timeout: 180_000 },
);

async function historyLength(): Promise<number> {
  return (await extension!.exports.evaluations()).length;
}

hostTest(
  'only its own profile asks a paid judge, and once for each pair',
  async () => {
    const server = await startModelServer({
      chat: () => ({ text: '{"evidence": null, "verdict": "no", "reason": "Scripted."}' }),
    });
    const settings = vscode.workspace.getConfiguration();
    await settings.update('parallax.confirmCallsAbove', 10_000, vscode.ConfigurationTarget.Global);
    try {
      await withConfig(async (change) => {
        await change({
          pipelines: { bm25: WORSE },
          judges: { gpt: { type: 'openai', mode: 'pair', baseUrl: server.url, model: 'scripted' } },
          judge: 'gpt',
          gate: { pipelines: ['bm25'], judged: { min: 1 } },
        });
        const run = async (): Promise<number> => {
          await vscode.commands.executeCommand('testing.runAll');
          return server.chatRequests.length;
        };
        assert.equal(await run(), 0);
        assert.equal(await outcomeOfSet(), 'failed', 'pairs are unjudged');
        // The test that drives the browser chooses the other profile of the list, as a user does.
        await vscode.commands.executeCommand('testing.selectDefaultTestProfiles', 2);
        const asked = await run();
        assert.ok(asked > 0);
        assert.equal(await outcomeOfSet(), 'passed');
        assert.equal(await run(), asked);
        await vscode.commands.executeCommand('testing.selectDefaultTestProfiles', 2);
      });
    } finally {
      await settings.update('parallax.confirmCallsAbove', undefined, vscode.ConfigurationTarget.Global);
      await server.close();
    }
  },
  { timeout: 180_000 },
);

/** The diagnostics in parallax.json: each marked text and its message. */
function marks(document: vscode.TextDocument): Record<string, string> {
  return Object.fromEntries(
    vscode.languages
      .getDiagnostics(document.uri)
      .filter(({ source }) => source === 'Parallax')
      .map(({ range, message }) => [document.getText(range), message]),
  );
}

hostTest(
  'unresolved names in parallax.json are marked until they resolve',
  async () => {
    await withConfig(async (change) => {
      const document = await vscode.workspace.openTextDocument(uriOf('parallax.json'));
      const bm25 = { retriever: { type: 'bm25' }, rerank: [{ type: 'mmr', embedder: 'mini' }] };
      await change({
        pipelines: { bm25 },
        judge: 'gpt',
        evalSets: [SET, 'eval/later.parallax.jsonl'],
        gate: { pipelines: ['bm26'], corpora: { questions: 'wiki' }, baseline: { file: 'accepted.json' } },
      });
      const found = (): Record<string, string> => marks(document);
      await until(() => Object.keys(found()).length === 6, found);
      assert.deepEqual(Object.keys(found()).sort(), [
        '"accepted.json"',
        '"bm26"',
        '"eval/later.parallax.jsonl"',
        '"gpt"',
        '"mini"',
        '"wiki"',
      ]);
      assert.match(found()['"bm26"']!, /^There is no pipeline "bm26"\. Available: hybrid, bm25, dense\.$/u);

      await write('eval/later.parallax.jsonl', '{"_id": "a", "text": "?", "perspectives": ["x"]}\n');
      await write('accepted.json', '{}');
      await until(() => Object.keys(found()).length === 4, found);
      await vscode.workspace.fs.delete(uriOf('accepted.json'));
      await until(() => found()['"accepted.json"'] !== undefined, found);

      // Marked while the user types, before the file is saved.
      const editor = await vscode.window.showTextDocument(document);
      const at = document.positionAt(document.getText().indexOf('bm26'));
      await editor.edit((edit) => edit.replace(new vscode.Range(at, at.translate(0, 4)), 'bm25'));
      await until(() => found()['"bm26"'] === undefined, found);
      await vscode.commands.executeCommand('workbench.action.files.revert');
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      await vscode.workspace.fs.delete(uriOf('eval/later.parallax.jsonl'));
    });
    const document = await vscode.workspace.openTextDocument(uriOf('parallax.json'));
    await until(
      () => Object.keys(marks(document)).length === 0,
      () => marks(document),
    );
  },
  { timeout: 120_000 },
);
