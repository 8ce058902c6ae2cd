/** Eval sets in the Testing view of a real editor: run, fail for a worse pipeline, accept, run again. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { ParallaxApi } from '../../../src/extension/main.ts';
import { hostTest } from '../companion/host-test.ts';
import { read, uriOf, write } from '../companion/workspace-files.ts';

const PATIENCE = 300_000;
const SET = 'eval/questions.parallax.jsonl';
const BASELINE = '.parallax/baselines/main.json';

type Listed = Awaited<ReturnType<ParallaxApi['tests']>>[number];

const extension = vscode.extensions.getExtension<ParallaxApi>('parallax.parallax-rag');

async function tests(): Promise<Listed[]> {
  return extension!.exports.tests();
}

async function find(id: string): Promise<Listed> {
  const found = (await tests()).find((each) => each.id === id);
  assert.ok(found, `no test ${id}`);
  return found;
}

async function until<T>(what: () => Promise<T | undefined>, why: string): Promise<T> {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await sleep(200)) {
    const found = await what();
    if (found !== undefined) return found;
  }
  throw new Error(why);
}

/** `undefined` if the editor did not find the task in time. */
async function started(task: vscode.Task): Promise<vscode.TaskExecution | undefined> {
  try {
    return await vscode.tasks.executeTask(task);
  } catch (error) {
    if (error instanceof Error && error.message.includes('Task not found')) return undefined;
    throw error;
  }
}

/** Replaces the sample's first pipeline while some work runs. */
async function withPipeline(pipeline: object, work: () => Promise<void>): Promise<void> {
  const before = await read('parallax.json');
  const config = JSON.parse(before) as { pipelines: Record<string, object> };
  await write(
    'parallax.json',
    JSON.stringify({ ...config, pipelines: { ...config.pipelines, bm25: pipeline } }),
  );
  try {
    await work();
  } finally {
    await write('parallax.json', before);
  }
}

/** Finds next to nothing: whole words between spaces, however rare. */
const WORSE = { retriever: { type: 'bm25', k1: 0, analyzer: 'whitespace' }, k: 5 };

hostTest('each query of the eval set is a test at its line', async () => {
  await extension!.activate();
  const lines = (await read(SET)).trimEnd().split('\n');
  const listed = await tests();
  assert.deepEqual(
    listed.map(({ id }) => id),
    [SET, ...lines.map((line) => `${SET}#${(JSON.parse(line) as { _id: string })._id}`)],
  );
  assert.deepEqual(
    listed.slice(1).map(({ line }) => line),
    lines.map((_, index) => index),
  );
});

hostTest(
  'a broken file is shown with the reason, and its tests return once it is fixed',
  async () => {
    const before = await read('parallax.json');
    const config = JSON.parse(before) as { corpora: object; evalSets: string[] };
    const ids = (listed: readonly Listed[]): string[] => listed.map(({ id }) => id);
    const good = ids(await tests());
    try {
      await write('parallax.json', JSON.stringify({ ...config, corpora: { handbook: { roots: 'docs' } } }));
      await vscode.commands.executeCommand('testing.runAll');
      const ran = await until(
        async () => {
          const [file, ...others] = await tests();
          return file?.outcome && others.length === 0 ? file : undefined;
        },
        JSON.stringify(await tests()),
      );
      assert.equal(ran.id, 'parallax.json');
      assert.match(ran.error!, /^\[.*corpora\.handbook\.roots.*\]\(command:parallax\.openConfig /su);
      assert.equal(ran.outcome, 'errored');
      assert.match(ran.messages![0]!, /^parallax\.json: corpora\.handbook\.roots.* nothing is indexed/u);

      await write('eval/bad.parallax.jsonl', 'nonsense\n');
      await write('parallax.json', JSON.stringify({ ...config, evalSets: ['eval/*.parallax.jsonl'] }));
      const listed = await tests();
      const bad = listed.find(({ id }) => id === 'eval/bad.parallax.jsonl');
      assert.match(bad?.error ?? '', /^Not a set of queries/u);
      assert.deepEqual(
        ids(listed).filter((id) => id !== bad!.id),
        good,
      );
    } finally {
      await write('parallax.json', before);
      await vscode.workspace.fs.delete(uriOf('eval/bad.parallax.jsonl')).then(undefined, () => undefined);
    }
    const mended = await tests();
    assert.deepEqual(ids(mended), good);
    assert.ok(mended.every(({ error }) => error === undefined));
  },
  { timeout: 120_000 },
);

hostTest(
  'queries without a baseline or threshold are skipped, and each shows its coverage',
  async () => {
    await vscode.commands.executeCommand('testing.runAll');
    const listed = await until(
      async () => {
        const all = await tests();
        return all.every(({ outcome }) => outcome) ? all : undefined;
      },
      `not all were run: ${JSON.stringify(await tests())}`,
    );
    assert.deepEqual(
      listed.filter(({ outcome }) => outcome !== 'skipped'),
      [],
    );
    for (const { description, messages } of listed) {
      assert.match(description!, /^\d+\/\d+ covered, \d+ of \d+ pairs? judged$/u);
      assert.match(messages![0]!, /^Skipped: there is no baseline /u);
    }
  },
  { timeout: 120_000 },
);

hostTest(
  'after a baseline is accepted, a worse pipeline fails the queries that it loses',
  async () => {
    await vscode.commands.executeCommand('parallax.acceptBaseline');
    assert.match(await read(BASELINE), /"evalSet": "eval\/questions\.parallax\.jsonl"/u);
    await withPipeline(WORSE, async () => {
      await vscode.commands.executeCommand('parallax.evaluateWorkspace');
      const failed = (await tests()).filter(({ outcome, id }) => outcome === 'failed' && id !== SET);
      assert.ok(failed.length > 0, JSON.stringify(await tests()));
      const lost = failed.find(({ messages }) => /^bm25 lost a perspective: /u.test(messages![0]!));
      assert.ok(lost, JSON.stringify(failed));
      assert.match(lost.expected!, /^ {2}covered {2}/mu);
      assert.match(lost.actual!, /^ {2}lost {2}/mu);
      assert.match(lost.actual!, /^Top 5\n {2}1 {2}docs\//mu);
      assert.match(lost.actual!, /\((?:new|was \d)\)$/mu);
    });
    await vscode.commands.executeCommand('parallax.evaluateWorkspace');
    assert.deepEqual(
      (await tests()).filter(({ outcome }) => outcome !== 'passed'),
      [],
    );
  },
  { timeout: 120_000 },
);

hostTest(
  'a set fails its threshold on the mean, and is an error if it cannot be evaluated',
  async () => {
    const before = await read('parallax.json');
    const config = JSON.parse(before) as object;
    const gate = { pipelines: ['bm25'], thresholds: [{ metric: 'MRecall@5', min: 1 }] };
    await write('parallax.json', JSON.stringify({ ...config, gate }));
    await vscode.commands.executeCommand('parallax.evaluateWorkspace');
    const set = await find(SET);
    assert.equal(set.outcome, 'failed');
    assert.match(set.messages![0]!, /^bm25: MRecall@5 over \d+ questions is .* which is below 100\.0\.$/u);

    await write('parallax.json', JSON.stringify({ ...config, gate: { pipelines: ['nime'] } }));
    await vscode.commands.executeCommand('parallax.evaluateWorkspace');
    const broken = await find(SET);
    await write('parallax.json', before);
    assert.equal(broken.outcome, 'errored');
    assert.match(broken.messages![0]!, /there is no pipeline "nime"/u);
  },
  { timeout: 120_000 },
);

hostTest(
  'a task runs the gate with the bundled command line',
  async () => {
    const before = await read('parallax.json');
    const gate = { pipelines: ['bm25'], thresholds: [{ metric: 'MRecall@5', min: 0 }] };
    await write('parallax.json', JSON.stringify({ ...(JSON.parse(before) as object), gate }));
    try {
      const task = await until(async () => {
        const all = await vscode.tasks.fetchTasks({ type: 'parallax' });
        return all.find(({ name }) => name === `gate: ${SET}`);
      }, 'no task for the eval set');
      const ended = new Promise<number | undefined>((resolve) => {
        const subscription = vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) => {
          if (execution.task.name !== task.name) return;
          subscription.dispose();
          resolve(exitCode);
        });
      });
      // The editor looks the task up again, and gives all task providers five seconds.
      await until(() => started(task), 'the task was not started');
      assert.equal(await ended, 0);
    } finally {
      await write('parallax.json', before);
    }
  },
  { timeout: 120_000 },
);

hostTest(
  'run on save is off by default and runs tests once it is switched on',
  async () => {
    const before = await read('parallax.json');
    const settings = vscode.workspace.getConfiguration();
    const document = await vscode.workspace.openTextDocument(uriOf('parallax.json'));
    const save = async (gate: object): Promise<void> => {
      // The editor refuses to overwrite a file whose external change it has not seen.
      await until(
        async () => (document.getText() === (await read('parallax.json')) ? true : undefined),
        'stale',
      );
      const edit = new vscode.WorkspaceEdit();
      const all = new vscode.Range(0, 0, document.lineCount, 0);
      edit.replace(document.uri, all, JSON.stringify({ ...(JSON.parse(before) as object), gate }));
      await vscode.workspace.applyEdit(edit);
      await document.save();
    };
    const demanding = (min: number): object => ({
      pipelines: ['bm25'],
      thresholds: [{ metric: 'MRecall@5', min }],
    });
    try {
      await save(demanding(1));
      await sleep(3_000);
      assert.equal((await find(SET)).outcome, 'errored', 'it ran without being asked to');
      await settings.update('parallax.testing.runOnSave', true, vscode.ConfigurationTarget.Global);
      await save(demanding(0.999));
      await until(async () => ((await find(SET)).outcome === 'failed' ? true : undefined), 'it never ran');
    } finally {
      await settings.update('parallax.testing.runOnSave', undefined, vscode.ConfigurationTarget.Global);
      await write('parallax.json', before);
    }
  },
  { timeout: 120_000 },
);

hostTest('errors in an eval set are marked while it is edited, and keys are completed', async () => {
  const path = 'eval/edited.parallax.jsonl';
  await write(
    path,
    '{"_id": "a", "text": "?", "perspectives": [{"text": "x", "stance": "pro"}]}\n{"_id": "b", }\n',
  );
  const document = await vscode.workspace.openTextDocument(uriOf(path));
  const editor = await vscode.window.showTextDocument(document);
  const marks = (): { text: string; message: string }[] =>
    vscode.languages
      .getDiagnostics(document.uri)
      .filter(({ source }) => source === 'Parallax')
      .map(({ range, message }) => ({ text: document.getText(range), message }));
  const found = await until(
    async () => (marks().length === 2 ? marks() : undefined),
    JSON.stringify(marks()),
  );
  assert.equal(found[0]!.text, '"pro"');
  assert.match(found[0]!.message, /^perspectives\.0\.stance: /u);
  assert.equal(found[1]!.text, '}');

  const at = new vscode.Position(1, '{"_id": "b", '.length);
  const { items } = await vscode.commands.executeCommand<vscode.CompletionList>(
    'vscode.executeCompletionItemProvider',
    document.uri,
    at,
  );
  const own = items.filter(({ kind }) => kind === vscode.CompletionItemKind.Property);
  assert.deepEqual(
    own.map(({ label }) => label),
    ['text', 'perspectives', 'answers', 'metadata'],
  );
  assert.equal(own[0]!.insertText, '"text": ""');
  const [hover] = await vscode.commands.executeCommand<vscode.Hover[]>(
    'vscode.executeHoverProvider',
    document.uri,
    new vscode.Position(0, 15),
  );
  assert.match((hover!.contents[0] as vscode.MarkdownString).value, /The question/u);

  await editor.edit((edit) =>
    edit.replace(new vscode.Range(0, 0, 2, 0), '{"_id": "a", "text": "?", "perspectives": ["x"]}\n'),
  );
  await until(async () => (marks().length === 0 ? true : undefined), JSON.stringify(marks()));
  await document.save();
  await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  await vscode.workspace.fs.delete(uriOf(path));
});

hostTest(
  'the history and the coverage gaps are shown',
  async () => {
    for (const [command, title] of [
      ['parallax.showEvaluationHistory', /^Evaluation History$/u],
      ['parallax.showUnreached', /What no question reaches \d/u],
    ] as const) {
      await vscode.commands.executeCommand(command);
      const labels = (): string[] =>
        vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ label }) => label));
      const isShown = async (): Promise<true | undefined> =>
        labels().some((label) => title.test(label)) ? true : undefined;
      await until(isShown, `${command} showed nothing`);
    }
    await vscode.workspace.fs.delete(uriOf(BASELINE));
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  },
  { timeout: 120_000 },
);
