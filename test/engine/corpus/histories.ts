/** Histories of an index: additions, changes and deletions, compared with a fresh index of the same files. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { testWorkspace, type TestWorkspace } from '../../fixtures/workspace.ts';

/** Few words, so that scores tie. */
const WORDS = ['office', 'cats', 'calm', 'noise'];
const FILES = ['a.md', 'b.md', 'c/d.md', 'c/e.md', 'f.jsonl'];
const QUERIES = ['office', 'cats calm', 'noise office'];
export const PIPELINES = (['bm25', 'dense'] as const).map((type) =>
  parsePipeline({ retriever: { type }, k: 5 }),
);

const paragraph = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 })
  .map((words) => words.join(' '));
const texts = fc.array(paragraph, { minLength: 1, maxLength: 5 });
const write = fc.record({ file: fc.constantFrom(...FILES), texts });
const remove = fc.record({ file: fc.constantFrom(...FILES), texts: fc.constant(undefined) });
/** A few changes between two updates. */
export const history = fc.array(
  fc.array(fc.oneof({ weight: 3, arbitrary: write }, remove), { minLength: 1, maxLength: 3 }),
  {
    minLength: 1,
    maxLength: 6,
  },
);

type Change = { readonly file: string; readonly texts: readonly string[] | undefined };

function apply(workspace: TestWorkspace, { file, texts: parts }: Change, former: Map<string, string>): void {
  const place = `docs/${file}`;
  if (parts === undefined) {
    rmSync(path.join(workspace.folder, place), { force: true });
    former.delete(place);
    return;
  }
  const text = file.endsWith('.jsonl')
    ? parts.map((own) => `${JSON.stringify({ text: own })}\n`).join('')
    : parts.map((own, at) => `# ${at}\n\n${own}\n`).join('\n');
  workspace.write(place, text);
  former.set(place, text);
}

export async function resultsOf(workspace: TestWorkspace): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const pipeline of PIPELINES)
    for (const text of QUERIES) {
      const { candidates } = await workspace.request('search', {
        corpus: 'docs',
        query: { text },
        perspectives: [],
        pipeline,
        judge: 'labels',
      });
      found.push(candidates.map(({ id, score, text: own }) => [id, score, own]));
    }
  return found;
}

export const corpora = { docs: { roots: ['docs'], split: { type: 'sections', size: 20 } } } as const;

/** Closes what it opens at the end of a run, not of the test. */
async function withWorkspace(use: (workspace: TestWorkspace) => Promise<void>): Promise<void> {
  const closing: (() => Promise<void>)[] = [];
  const workspace = await testWorkspace(
    { after: (close) => void closing.push(close) },
    { corpora, unindexed: ['docs'], approximateAbove: 100_000 },
  );
  try {
    await use(workspace);
  } finally {
    for (const close of closing) await close();
  }
}

/** @param reopens whether the engine is started again after each update */
export async function assertAsFresh(
  updates: readonly (readonly Change[])[],
  reopens: boolean,
): Promise<void> {
  const files = new Map<string, string>();
  await withWorkspace(async (workspace) => {
    // A file that always exists, so that the corpus is never empty.
    apply(workspace, { file: 'z.md', texts: ['office cats'] }, files);
    for (const changes of updates) {
      for (const change of changes) apply(workspace, change, files);
      await workspace.index('docs');
      // A search creates missing vectors, so their order depends on the history, too.
      await resultsOf(workspace);
      if (reopens) await workspace.restart();
    }
    const grown = await resultsOf(workspace);
    await withWorkspace(async (fresh) => {
      for (const [place, text] of files) fresh.write(place, text);
      await fresh.index('docs');
      assert.deepEqual(grown, await resultsOf(fresh));
    });
  });
}
