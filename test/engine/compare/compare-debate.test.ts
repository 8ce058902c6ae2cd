/** The debate data as two data sets of different size, with its gold labels as judgements. */
import { sumOf } from '../../../src/evaluation/reading.ts';
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { labelsFromQrels } from '../../../src/core/formats/import-qrels.ts';
import { parseQrels } from '../../../src/core/formats/exchange/trec.ts';
import type { PipelineInput } from '../../../src/core/pipeline.ts';
import type { Evaluation } from '../../../src/evaluation/evaluation.ts';
import { BM25, readEvalSet, Workspace } from './compare-support.ts';

const DATA = '../shared/data/debate';
const skip = existsSync(DATA) ? false : `cannot run here: ${DATA} is absent`;

test(
  'debate: macro-average, differences per data set, ceiling and approximate misses',
  { skip },
  async (t) => {
    const workspace = new Workspace(t);
    await workspace.addCorpus('debate', path.join(DATA, 'corpus.jsonl'));
    await workspace.index('debate');
    const queries = readEvalSet(path.join(DATA, 'queries.jsonl')).slice(0, 20);
    const { qrels } = parseQrels(readFileSync(path.join(DATA, 'qrels.diversity.txt'), 'utf8'));
    workspace.addLabels(labelsFromQrels(qrels, queries, 'debate', '2024-01-01T00:00:00Z').labels);

    const coverage: PipelineInput = { ...BM25, rerank: [{ type: 'coverage', judge: 'labels' }] };
    const approximate: PipelineInput = {
      retriever: { type: 'dense', embedder: 'hashing', search: 'approximate', ef: 1 },
    };
    const compare = (sizes: Readonly<Record<string, typeof queries>>): Promise<Evaluation> =>
      workspace.compare(
        { bm25: BM25, coverage, approximate },
        Object.entries(sizes).map(([name, own]) => ({ name, corpus: 'debate', queries: own })),
      );
    const { datasets, macro } = await compare({ small: queries.slice(0, 5), large: queries.slice(5) });
    const [whole] = (await compare({ whole: queries })).datasets;

    const of = (dataset: typeof whole, pipeline: number) => dataset!.pipelines[pipeline]!;
    const mrecall = (dataset: typeof whole, pipeline: number): number =>
      of(dataset, pipeline).measures['MRecall@5']!.value;
    const [small, large] = datasets;
    for (const pipeline of [0, 1, 2]) {
      const values = [mrecall(small, pipeline), mrecall(large, pipeline)] as const;
      assert.ok(Math.abs(macro![pipeline]!['MRecall@5']!.value - (values[0] + values[1]) / 2) < 1e-12);
      assert.ok(Math.abs(mrecall(whole, pipeline) - (5 * values[0] + 15 * values[1]) / 20) < 1e-12);
    }
    assert.equal(
      mrecall(whole, 1),
      of(whole, 0).coverageCurve[99],
      'gold labels reach what the top 100 allow',
    );
    const [first, gold] = [0, 1].map((pipeline) => of(whole, pipeline).measures['MRecall@5']!);
    assert.equal(first!.bound, 'least', 'not all of its top 5 is judged');
    const { value, low, wins, losses, ties } = gold!.difference!;
    assert.ok(value > 0.2 && low > 0, `${value} on the queries that are fully judged`);
    assert.deepEqual([wins, losses, ties], [4, 0, 7]);
    assert.ok(gold!.value > first!.value);

    const { places, search } = of(whole, 2);
    assert.equal(search, 'approximate');
    assert.ok(places['approximate-miss'] > 0, `so narrow a search misses some: ${JSON.stringify(places)}`);
    assert.equal(sumOf(places), 2 * 20);
  },
);
