/** A comparison as the compare panel asks for it, of the whole engine with its own caches. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { formatLabel } from '../../src/core/formats/labels.ts';
import { labelsFromQrels } from '../../src/core/formats/import-qrels.ts';
import type { Qrels, Query } from '../../src/core/model.ts';
import type { Pipeline } from '../../src/core/pipeline.ts';
import { createEngine } from '../../src/engine/engine.ts';
import type { RequestContext } from '../../src/engine/requests/request.ts';
import { corpusSchema } from '../../src/shared/config.ts';
import { seconds } from './report.ts';

const context: RequestContext = { signal: new AbortController().signal, report: () => undefined };

/**
 * @returns seconds of a first comparison on indexes that are ready, and of the same again, when nothing changed
 */
export async function timedComparison(
  corpusFile: string,
  queries: readonly Query[],
  qrels: Qrels,
  pipelines: readonly Pipeline[],
): Promise<{ first: number; again: number }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'parallax-bench-'));
  const engine = createEngine(undefined, (message) => void process.stderr.write(`${message}\n`));
  const labelsFile = path.join(folder, 'judgements.jsonl');
  const { labels } = labelsFromQrels(qrels, queries, 'debate', new Date().toISOString());
  writeFileSync(labelsFile, labels.map(formatLabel).join(''));
  const config = corpusSchema.parse({ roots: [path.resolve(corpusFile)], split: { type: 'none' } });
  await engine.configure({
    storage: path.join(folder, 'storage'),
    base: folder,
    trusted: true,
    corpora: [{ name: 'corpus', base: folder, config, excludeGlobs: [], store: path.join(folder, 'index') }],
    embedders: {},
    judges: {},
    keys: {},
    labelsFile,
    approximateAbove: 100_000,
  });
  await engine.index({ corpus: 'corpus', rebuild: false }, context);
  const compare = (asked: readonly Query[]): Promise<unknown> =>
    engine.compare(
      {
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
      },
      context,
    );
  // A single query makes every index and every vector ready that the others need, but for their own text.
  await compare(queries.slice(0, 1));
  const first = await seconds(() => compare(queries));
  const again = await seconds(() => compare(queries));
  await engine.close();
  rmSync(folder, { recursive: true });
  return { first, again };
}
