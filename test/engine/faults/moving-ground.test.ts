/** A clock that jumps, and a corpus that changes while it is indexed. The next update brings the index up to date. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { between, seededRandom } from '../../../bench/support/random.ts';
import type { ProgressNote } from '../../../src/shared/rpc.ts';
import { startModelServer, verdictReply } from '../../fixtures/model-server.ts';
import { findings, index, undisturbed } from './support/engines.ts';
import { BM25, CORPUS, densePipeline, JUDGE, Workspace } from './support/workspace.ts';

const PIPELINES = [BM25, densePipeline('small')];
const YEAR_MS = 365 * 24 * 3600 * 1000;
/** Within the range of Node's timers. */
const JUMP_MS = 10 * 24 * 3600 * 1000;

function workspaceFor(t: TestContext, options: ConstructorParameters<typeof Workspace>[0]): Workspace {
  const workspace = new Workspace(options);
  t.after(() => workspace.remove());
  return workspace;
}

/** The results of an index built from scratch on the current corpus. */
function expectedOf(workspace: Workspace): Promise<unknown> {
  const config = workspace.config('undisturbed');
  rmSync(config.storage, { recursive: true, force: true });
  return undisturbed(config, async (engine) => {
    await index(engine);
    return findings(engine, PIPELINES);
  });
}

test('files whose times jump are read again if they changed, and found if they did not', async (t) => {
  const workspace = workspaceFor(t, { seed: 5, files: 20 });
  await undisturbed(workspace.config(), async (engine) => {
    await index(engine);
    for (const years of [3, -20, 50, 0]) {
      const at = new Date(Date.now() + years * YEAR_MS);
      for (const name of workspace.files.slice(0, 5)) workspace.rewrite(name);
      for (const name of workspace.files) utimesSync(workspace.file(name), at, at);
      const { changed, unchanged } = await index(engine);
      assert.deepEqual([changed, unchanged], [5, 15], `${years} years`);
      assert.deepEqual(await findings(engine, PIPELINES), await expectedOf(workspace));
    }
  });
});

test('a clock that jumps during judging changes no answer and no order', async (t) => {
  const workspace = workspaceFor(t, { seed: 6, files: 10 });
  const server = await startModelServer({
    chat: ({ index: place }) => verdictReply(place % 2 === 0 ? 'yes' : 'no'),
  });
  t.after(() => server.close());
  const real = Date.now;
  let calls = 0;
  const jumps = t.mock.method(
    Date,
    'now',
    () => real() + [0, -JUMP_MS, JUMP_MS, -1, 3_600_000][calls++ % 5]!,
  );
  await undisturbed(workspace.config('storage', server.url), async (engine) => {
    await index(engine);
    const { candidates } = await engine.request('search', {
      corpus: CORPUS,
      query: { text: 'worda0' },
      perspectives: [],
      pipeline: BM25,
    });
    const judgingTask = {
      corpus: CORPUS,
      judge: JUDGE,
      query: { text: 'Which?' },
      perspectives: [{ id: 'p', text: 'It is so.' }],
      slots: candidates.slice(0, 20).map(({ slot }) => slot),
    };
    const notes: ProgressNote[] = [];
    const report = await engine.request('judge', judgingTask, { onNote: (note) => notes.push(note) });
    assert.deepEqual([report.answered, report.failed], [20, 0]);
    const reported = notes.flatMap((note) => (note.type === 'judgement' ? note.pair : []));
    const { pairs } = await engine.request('judgements', judgingTask);
    const verdicts = (own: typeof pairs): string[] =>
      own.map(({ slot, judgement }) => `${slot} ${judgement.verdict}`).sort();
    assert.deepEqual(verdicts(pairs), verdicts(reported));
    for (const { judgement } of pairs) assert.ok((judgement.cost?.milliseconds ?? 0) >= 0);
    assert.equal((await engine.request('judge', judgingTask)).asked, 0, 'nothing is asked again');
  });
  assert.ok(jumps.mock.callCount() > 20);
});

/** Changes to a corpus while it is indexed. Each may affect a file before, while or after it is read. */
const DISTURBANCES: readonly ((workspace: Workspace, name: string) => void)[] = [
  (workspace) => workspace.addFile(),
  (workspace) => workspace.removeFile(),
  (workspace) => workspace.writeRecords(600),
  (workspace, name) => workspace.rewrite(name),
  (workspace, name) => writeFileSync(workspace.file(name), ''),
  (workspace, name) => {
    rmSync(workspace.file(name));
    mkdirSync(workspace.file(name));
    writeFileSync(`${workspace.file(name)}/inside.md`, 'worda0 in a folder that was a file');
  },
];

test('a corpus that changes while it is indexed is up to date after the next update', async (t) => {
  for (const seed of [1, 2, 3]) {
    const workspace = workspaceFor(t, { seed, files: 30, records: 600 });
    const random = seededRandom(seed);
    let disturbed = 0;
    const disturb = (): void => {
      if (random() > 0.4) return;
      const files = workspace.files.filter((name) => statSync(workspace.file(name)).isFile());
      const change = DISTURBANCES[between(random, 0, DISTURBANCES.length - 1)]!;
      change(workspace, files[between(random, 0, files.length - 1)]!);
      disturbed++;
    };
    await undisturbed(workspace.config(), async (engine) => {
      for (let round = 0; round < 3; round++) await index(engine, disturb);
      await index(engine);
      assert.deepEqual(await findings(engine, PIPELINES), await expectedOf(workspace));
    });
    assert.ok(disturbed > 5, `${disturbed} changes`);
  }
});
