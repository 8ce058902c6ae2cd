/** Why a document is missing from what a real store returns. */
import assert from 'node:assert/strict';
import { after, test, type TestContext } from 'node:test';
import { causeText } from '../../../src/features/explain/core/wording.ts';
import { parsePipeline, type PipelineInput } from '../../../src/core/pipeline.ts';
import type { Result } from '../../../src/shared/rpc.ts';
import { loadChroma, loadPostgres, type Loaded } from '../../fixtures/stores/loading.ts';
import {
  orReason,
  startChroma,
  startPostgres,
  type StartedServer,
} from '../../fixtures/stores/real-servers.ts';
import { testWorkspace, type WorkspaceConfig } from '../../fixtures/workspace.ts';
import { embedded } from '../external/stores/support.ts';

const QUESTION = 'harbours bring trade';
const FILES = {
  'docs/trade.md': 'Harbours bring trade, and towns around them grow rich.\n',
  'docs/silt.md': 'Harbours silt up, and dredging them costs more than the trade brings.\n',
  'docs/ships.md': 'Ships wait before harbours until the tide is high.\n',
  'docs/new.md': 'Nobody has put this page on harbours and trade into the store yet.\n',
  'docs/plan.xyz': 'A kind that no reader knows.\n',
};
/** In the store, where `even` is a field of a record. */
const RECORDS = [
  { id: 'docs/trade.md', even: true },
  { id: 'docs/silt.md', even: false },
  { id: 'docs/ships.md', even: true },
];

type Retriever = PipelineInput['retriever'];

interface Store {
  readonly name: string;
  readonly start: () => Promise<StartedServer>;
  readonly load: (port: number, records: readonly Loaded[]) => Promise<unknown>;
  readonly retriever: (port: number, where?: { readonly even: boolean }) => Retriever;
}

const STORES: Store[] = [
  {
    name: 'Chroma',
    start: startChroma,
    load: (port, records) => loadChroma(port, 'harbours', records),
    retriever: (port, where) => ({
      ...{ type: 'chroma', url: `http://127.0.0.1:${port}`, collection: 'harbours', embedder: 'hashing' },
      ...(where ? { where } : {}),
    }),
  },
  {
    name: 'pgvector',
    start: startPostgres,
    load: (port, records) => loadPostgres(port, 'harbours', records),
    retriever: (port, where) =>
      ({
        ...{ type: 'postgres', port, database: 'postgres', user: 'postgres', table: 'harbours' },
        ...{ columns: { text: 'te"xt' }, embedder: 'hashing', ...(where ? { where } : {}) },
      }) as Retriever,
  },
];

for (const { name, start, load, retriever } of STORES) {
  const { server, skip } = await orReason(start);
  after(() => server?.stop());
  if (!server) {
    test(name, { skip }, () => undefined);
    continue;
  }
  const { port } = server;
  const passages = await embedded(
    RECORDS.map(({ id }) => ({ id, text: FILES[id as keyof typeof FILES].trim() })),
  );
  await load(
    port,
    passages.map((passage, at) => ({ ...passage, even: RECORDS[at]!.even })),
  );
  const ask = async (
    t: TestContext,
    corpus: NonNullable<WorkspaceConfig['corpora']>[string],
    pipeline: PipelineInput,
    document: string,
  ): Promise<Result<'explain'>> => {
    const workspace = await testWorkspace(t, { files: FILES, corpora: { docs: corpus } });
    const asked = { corpus: 'docs', query: { text: QUESTION }, perspectives: [] };
    return workspace.request('explain', {
      ...{ ...asked, pipeline: parsePipeline(pipeline), document, tryChanges: true },
    });
  };
  const files = { roots: ['docs'], split: { type: 'none' } } as const;

  test(`${name}: a document is below k, filtered out, not stored, or not read`, async (t) => {
    const plain = { retriever: retriever(port), k: 1 };
    const filtered = { retriever: retriever(port, { even: true }), k: 1 };
    const below = await ask(t, files, plain, 'docs/ships.md');
    assert.deepEqual([below.cause, below.rank, below.change!.label], ['below-k', 3, 'k 1 → 3']);
    const out = await ask(t, files, { ...filtered, k: 2 }, 'docs/silt.md');
    assert.equal(out.cause, 'filtered');
    assert.match(causeText(out), /^The filter of the store leaves it out: .*even/);
    assert.deepEqual([out.change!.label, out.change!.rank], ['without the filter', 2]);
    const missing = await ask(t, files, plain, 'docs/new.md');
    assert.equal(missing.cause, 'not-indexed');
    assert.match(causeText(missing), /has no record of it, although it has those of other passages\.$/);
    assert.equal((await ask(t, files, filtered, 'docs/new.md')).cause, 'not-indexed');
    assert.equal((await ask(t, files, plain, 'docs/plan.xyz')).cause, 'not-read');
  });

  test(`${name}: a corpus in the store is asked by the ids of its records`, async (t) => {
    const corpus = { store: retriever(port) } as NonNullable<WorkspaceConfig['corpora']>[string];
    const filtered = { retriever: retriever(port, { even: true }), k: 1 };
    const below = await ask(t, corpus, { retriever: retriever(port), k: 1 }, 'docs/ships.md');
    assert.deepEqual([below.cause, below.rank], ['below-k', 3]);
    assert.equal((await ask(t, corpus, filtered, 'docs/silt.md')).cause, 'filtered');
    const unknown = await ask(t, corpus, filtered, 'docs/new.md');
    assert.equal(unknown.cause, 'unknown');
    assert.match(causeText(unknown), /has no record with this id\./);
  });
}
