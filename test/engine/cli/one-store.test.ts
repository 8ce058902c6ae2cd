/** Answers and indexes that one command stores with --store are available to all others. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { indexCommand } from '../../../src/cli/commands/index-command.ts';
import { evalCommand } from '../../../src/cli/commands/eval-command.ts';
import { poolView } from '../../../src/features/papers/cli/pool-view.ts';
import { searchCommand } from '../../../src/cli/commands/search-command.ts';
import type { ModelServer } from '../../fixtures/model-server.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { SmallDisk } from '../faults/support/small-disk.ts';
import { workspace } from './gate-support.ts';
import { judgeServer } from './judging-support.ts';
import { run } from './support.ts';

const GATE = { thresholds: [{ metric: 'MRecall@2', min: 0 }] };

interface Paid {
  /** The store of two corpora, one of which was judged. */
  readonly store: string;
  readonly server: ModelServer;
  /** The arguments, except for the store, of a search for a judged perspective. */
  readonly asked: readonly string[];
}

async function twoCorpora(t: TestContext): Promise<Paid> {
  const own = await workspace(t, 2, GATE);
  await writeFile(path.join(own.folder, '.parallax/judgements.jsonl'), '');
  const { server, judge } = await judgeServer(t);
  const docs = { roots: ['corpus.jsonl'], split: { type: 'none' } };
  await own.configure({
    corpora: { docs, others: docs },
    corpus: 'docs',
    judges: { gpt: JSON.parse(judge) as object },
    pipelines: { mine: { retriever: { type: 'bm25' }, k: 2 } },
  });
  const store = path.join(own.folder, 'store');
  const judged = await own.gate('--judge', 'gpt', '--store', store);
  assert.equal(judged.code, 0, judged.stderr);
  const asked = ['topic1', '--config', own.config, '--judge', 'gpt', '--perspective', 'first or second'];
  return { store, server, asked };
}

const COVERED = /first or second\n {2}covered/u;

describe('one store', () => {
  for (const corpora of [1, 2])
    test(`answers of a judge are paid once by gate, eval and pool, of ${corpora} corpora`, async (t) => {
      const own = await workspace(t, 2, GATE);
      await writeFile(path.join(own.folder, '.parallax/judgements.jsonl'), '');
      const { server, judge } = await judgeServer(t);
      const docs = { roots: ['corpus.jsonl'], split: { type: 'none' } };
      await own.configure({
        corpora: corpora === 1 ? { docs } : { docs, others: docs },
        corpus: 'docs',
        judges: { gpt: JSON.parse(judge) as object },
        pipelines: { mine: { retriever: { type: 'bm25' }, k: 2 } },
      });
      const store = ['--store', path.join(own.folder, 'store')];
      const judged = await own.gate('--judge', 'gpt', ...store);
      assert.equal(judged.code, 0, judged.stderr);
      const paid = server.chatRequests.length;
      assert.ok(paid > 0);

      const asked = [
        '--queries',
        path.join(own.folder, 'questions.jsonl'),
        '--config',
        own.config,
        '--k',
        '2',
      ];
      const judging = ['--pipeline', 'mine', '--judge', 'gpt', ...store];
      const evaluated = await run(evalCommand, ...asked, ...judging);
      assert.equal(evaluated.code, 0, evaluated.stderr);
      assert.equal(server.chatRequests.length, paid);

      await run(poolView, ...asked, ...judging);
      const pooled = server.chatRequests.length;
      const again = await own.report('--judge', 'gpt', ...store);
      assert.equal(again.asked?.requests, 0);
      assert.equal(server.chatRequests.length, pooled);
      const index = path.join(own.folder, 'store', corpora === 1 ? '' : 'docs');
      const found = await run(searchCommand, 'topic1', '--store', index);
      assert.match(found.stdout, /topic1/u);
    });

  test('an index named by its path uses the shared answers and stores new ones there', async (t) => {
    const { server, store, asked } = await twoCorpora(t);
    const { length } = server.chatRequests;
    const index = path.join(store, 'docs');
    const found = await run(searchCommand, ...asked, '--store', index);
    assert.match(found.stdout, COVERED, found.stdout);
    assert.ok(!existsSync(path.join(index, 'judgements.sqlite')));
    assert.equal(server.chatRequests.length, length);
  });

  test('an index moved out of the folder has separate answers', async (t) => {
    const { store, asked } = await twoCorpora(t);
    const away = path.join(path.dirname(store), 'elsewhere', 'docs');
    await cp(path.join(store, 'docs'), away, { recursive: true });
    const found = await run(searchCommand, ...asked, '--store', away);
    assert.doesNotMatch(found.stdout, COVERED);
    assert.ok(existsSync(path.join(away, 'judgements.sqlite')), found.stderr);
    assert.deepEqual(await readdir(path.dirname(away)), ['docs']);
  });

  test('without write access, paid answers are copied with the index', async (t) => {
    const disk = SmallDisk.mount(50 * 2 ** 20);
    if (!disk) return t.skip('cannot run here: mounting a file system is not permitted');
    t.after(() => disk.unmount());
    const caches = process.env['XDG_CACHE_HOME'];
    process.env['XDG_CACHE_HOME'] = temporaryFolder(t);
    t.after(() => {
      if (caches === undefined) delete process.env['XDG_CACHE_HOME'];
      else process.env['XDG_CACHE_HOME'] = caches;
    });
    const { store, asked } = await twoCorpora(t);
    const baked = path.join(disk.folder, 'store');
    await cp(store, baked, { recursive: true });
    disk.makeReadOnly();
    const found = await run(searchCommand, ...asked, '--store', path.join(baked, 'docs'));
    assert.match(found.stdout, COVERED, found.stdout + found.stderr);
  });
});

describe('code', () => {
  /** Notes and a program: the editor indexes the notes alone. */
  async function notes(t: Parameters<typeof temporaryFolder>[0]): Promise<{ docs: string; store: string }> {
    const folder = temporaryFolder(t);
    const docs = path.join(folder, 'docs');
    await mkdir(docs);
    for (const name of ['a', 'b', 'c'])
      await writeFile(path.join(docs, `${name}.md`), `# ${name}\n\nSugar is taxed in ${name}.\n`);
    await writeFile(path.join(docs, 'tool.py'), 'def sugar():\n    return "sugar sugar sugar"\n');
    return { docs, store: path.join(folder, 'store') };
  }

  test('is omitted beside texts, as in the editor, unless --code says otherwise', async (t) => {
    const { docs, store } = await notes(t);
    const left = await run(indexCommand, docs, '--store', store);
    assert.match(left.stdout, /^3 documents,/u);
    const taken = await run(indexCommand, docs, '--store', store, '--code', 'true');
    assert.match(taken.stdout, /^4 documents,/u);
    const kept = await run(indexCommand, docs, '--store', store);
    assert.match(kept.stdout, /^4 documents,/u, 'an index keeps what it was made with');
    await assert.rejects(
      run(indexCommand, docs, '--store', store, '--code', 'perhaps'),
      /--code is true, false or auto/u,
    );
  });

  test('is indexed if there is hardly anything else, or if it is named', async (t) => {
    const { docs, store } = await notes(t);
    const program = path.join(docs, 'tool.py');
    assert.match((await run(indexCommand, program, '--store', store)).stdout, /^1 document,/u);
    assert.ok((await readdir(store)).includes('parallax-store.json'));
  });
});
