/** Checks that a store can be filled with a corpus in files, and then answers like the corpus's index. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { parsePipeline } from '../../../../src/core/pipeline.ts';
import { records, testWorkspace, type TestWorkspace } from '../../../fixtures/workspace.ts';
import { storeSpec } from './support.ts';

const TOPICS = ['rivers', 'mountains', 'harbours', 'deserts', 'forests', 'islands', 'plains'];
const QUERIES = [
  'harbours and islands',
  'number 31676',
  'what is known about deserts',
  'Passage 12, mountains',
];
export const COUNT = 300;

export function corpus(count: number): string {
  const texts = Array.from({ length: count }, (_, index) => [
    `p${index}`,
    `Passage ${index} is about ${TOPICS[index % 7]} and ${TOPICS[(index * 3) % 7]}, number ${index * 7919}.`,
  ]);
  return records(Object.fromEntries(texts) as Record<string, string>);
}
export const DOCS = { roots: ['corpus.jsonl'], split: { type: 'none' as const } };

export function workspace(t: TestContext, store: object): Promise<TestWorkspace> {
  return testWorkspace(t, {
    files: { 'corpus.jsonl': corpus(COUNT) },
    corpora: { docs: DOCS, there: { store: storeSpec(store) } },
    // It does not exist yet.
    unindexed: ['there'],
    approximateAbove: 1_000_000,
  });
}

/** Asserts that the store, as a corpus, returns the same passages as the local index, best first. */
export async function assertAgrees(
  opened: TestWorkspace,
  store: object,
  queries: readonly string[] = QUERIES,
  k = 10,
): Promise<void> {
  const found = async (name: string, retriever: object, text: string): Promise<string[]> => {
    const pipeline = parsePipeline({ retriever, k });
    const asked = { corpus: name, query: { text }, perspectives: [], pipeline };
    return (await opened.request('search', asked)).candidates
      .slice(0, k)
      .map(({ id, text: said }) => `${id}: ${said}`);
  };
  for (const query of queries) {
    const here = await found('docs', { type: 'dense', embedder: 'hashing' }, query);
    assert.equal(here.length, k);
    assert.deepEqual(await found('there', store, query), here, query);
  }
}

/**
 * Asserts that a cancelled run has added passages, and that the next one adds the rest, without gaps and duplicates.
 */
export async function assertGoesOn(opened: TestWorkspace, store: object): Promise<void> {
  const task = { corpus: 'docs', store: storeSpec(store), create: true };
  const stop = new AbortController();
  const stopped = opened.request('push', task, {
    signal: stop.signal,
    onNote: (note) => {
      if (note.type === 'progress' && note.progress.detail && note.progress.done > 0) stop.abort();
    },
  });
  await assert.rejects(stopped, { id: 'cancelled' });
  const { added, held } = await opened.request('push', task);
  assert.ok(held > 0 && added > 0, `${held} were held`);
  assert.equal(added + held, COUNT);
}

export async function assertFills(t: TestContext, store: object): Promise<void> {
  const opened = await workspace(t, store);
  const task = { corpus: 'docs', store: storeSpec(store) };
  await assert.rejects(opened.request('push', { ...task, create: false }), {
    id: 'not-found',
    message: /is not there yet; --create makes it/,
  });
  const pushed = await opened.request('push', { ...task, create: true });
  assert.deepEqual(pushed, { added: COUNT, held: 0, differing: 0 });
  await assertAgrees(opened, store);
  const again = await opened.request('push', { ...task, create: true });
  assert.deepEqual(again, { added: 0, held: COUNT, differing: 0 });
  assert.equal((await opened.request('index', { corpus: 'there', rebuild: false })).passages, COUNT);
}
