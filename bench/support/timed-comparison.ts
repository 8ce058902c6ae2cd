/** A comparison as the compare panel requests it, by the whole engine with its own caches. */
import path from 'node:path';
import { formatLabel } from '../../src/core/formats/labels.ts';
import { labelsFromQrels } from '../../src/core/formats/import-qrels.ts';
import type { Qrels, Query } from '../../src/core/model.ts';
import type { Pipeline } from '../../src/core/pipeline.ts';
import { LABELS_FILE } from '../../src/shared/config.ts';
import { testWorkspace } from '../../test/fixtures/workspace.ts';
import { seconds } from './report.ts';

/** @returns seconds of a first comparison on ready indexes, and of a repeated one without changes */
export async function timedComparison(
  corpusFile: string,
  queries: readonly Query[],
  qrels: Qrels,
  pipelines: readonly Pipeline[],
): Promise<{ first: number; again: number }> {
  const closing: (() => Promise<void>)[] = [];
  const { labels } = labelsFromQrels(qrels, queries, 'debate', new Date().toISOString());
  const workspace = await testWorkspace(
    { after: (close) => void closing.push(close) },
    {
      files: { [LABELS_FILE]: labels.map(formatLabel).join('') },
      corpora: { corpus: { roots: [path.resolve(corpusFile)], split: { type: 'none' } } },
      approximateAbove: 100_000,
      log: (message) => void process.stderr.write(`${message}\n`),
    },
  );
  const compare = (asked: readonly Query[]): Promise<unknown> =>
    workspace.request('compare', {
      judge: 'labels',
      datasets: [
        {
          name: 'debate',
          corpus: 'corpus',
          evalSet: 'queries.jsonl',
          queries: asked.map(({ id, text, perspectives }) => ({
            id,
            text,
            perspectives: [...perspectives],
          })),
        },
      ],
      pipelines: pipelines.map((pipeline, index) => ({ name: `pipeline ${index}`, pipeline })),
      k: 5,
    });
  // A single query prepares every index and vector that the others need, except for their own texts.
  await compare(queries.slice(0, 1));
  const first = await seconds(() => compare(queries));
  const again = await seconds(() => compare(queries));
  for (const close of closing) await close();
  return { first, again };
}
