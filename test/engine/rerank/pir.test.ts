import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { goldOfRoots, perspectiveRecall, rootRecall } from '../../../src/core/analysis/p-recall.ts';
import { parsePirTask } from '../../../src/core/formats/pir.ts';
import type { Run } from '../../../src/core/model.ts';
import { Bm25Index } from '../../../src/engine/bm25/bm25-index.ts';
import '../../fixtures/built.ts';

const DATA = '../shared/data/pir';
const skip = existsSync(DATA) ? false : 'cannot run here: ../shared/data is absent';
/** BM25 of the authors' notebook: rank_bm25's Okapi over words between spaces. */
const NOTEBOOK = { k1: 1.5, b: 0.75, variant: 'okapi', epsilon: 0.25 } as const;
const K = 5;

for (const [task, expected] of [
  ['perspectrum', { queries: 100, roots: 16, pRecall: 37.8 }],
  ['story', { queries: 100, roots: 50, pRecall: 66.0 }],
  ['ambigqa', { queries: 100, roots: 26, pRecall: 22.7 }],
] as const)
  test(
    `PIR sample, ${task}: p-Recall@5 of the notebook's BM25 is ${expected.pRecall}`,
    { skip },
    async () => {
      const { corpus, queries } = parsePirTask(await readFile(`${DATA}/${task}.json`, 'utf8'), task);
      const { index } = await Bm25Index.open(undefined, 'whitespace');
      corpus.forEach(({ text }, slot) => index.add(slot, text));
      await index.flush();
      const live = { count: corpus.length, has: () => true };
      const runOf = (texts: Iterable<readonly [string, string]>): Run =>
        new Map(
          [...texts].map(([id, text]) => [
            id,
            index.search(text, NOTEBOOK, K, live).map(({ item, score }) => ({ item: String(item), score })),
          ]),
        );

      const result = perspectiveRecall(runOf(queries.map(({ id, text }) => [id, text])), queries, K);
      assert.deepEqual([result.queries, result.roots], [expected.queries, expected.roots]);
      assert.equal((100 * result.pRecall).toFixed(1), expected.pRecall.toFixed(1));
      assert.equal(result.pRecallAuthors, result.pRecall, 'no root of the sample has a single query');

      const roots = [...goldOfRoots(queries).keys()];
      const withoutPerspective = rootRecall(runOf(roots.map((root) => [root, root])), queries, K);
      assert.ok(withoutPerspective > result.recall, 'as in figure 2 of the paper');
    },
  );
