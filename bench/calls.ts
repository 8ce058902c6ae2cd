/**
 * The number of calls that a judge needs for exact figures: the debate data, BM25, gold labels as the model. The full
 * matrix of the same run is the reference; both must have identical figures.
 *
 *   npm run bench -- calls
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEvalSet } from '../src/core/formats/queries.ts';
import { parseQrels } from '../src/core/formats/exchange/trec.ts';
import { FewestCalls } from '../src/core/judging/fewest-calls.ts';
import { judgeLexically } from '../src/core/judging/lexical.ts';
import type { WantedPair } from '../src/core/judging/open-figures.ts';
import { evaluateRun } from '../src/core/metrics/evaluate.ts';
import { parseMeasure } from '../src/core/metrics/measures.ts';
import { BUILT_IN_PIPELINES } from '../src/core/pipeline.ts';
import { analyze } from '../src/core/text/analyzer.ts';
import { DEBATE, openDebate } from './support/debate.ts';
import { evaluate } from './support/evaluate.ts';
import { table, thousands } from './support/report.ts';

if (!existsSync(DEBATE)) {
  process.stderr.write(`${DEBATE} is absent: there is nothing to measure.\n`);
  process.exit(1);
}

const read = (name: string): string => readFileSync(path.join(DEBATE, name), 'utf8');
const { queries } = parseEvalSet(read('queries.jsonl'), 'queries.jsonl');
const { qrels } = parseQrels(read('qrels.diversity.txt'));
const store = mkdtempSync(path.join(tmpdir(), 'parallax-bench-'));
const { corpus, services, close } = await openDebate(store);
const { run } = await evaluate({ corpus, services }, BUILT_IN_PIPELINES.bm25, queries, qrels, [], 10);
const texts = new Map(
  [...run.values()].flat().map(({ item }) => [item, corpus.passageById(item)?.text ?? '']),
);
await close();
rmSync(store, { recursive: true });

type Judged = Map<string, Map<string, Map<string, number>>>;
interface Asked {
  readonly calls: number;
  readonly pairs: number;
  readonly judged: Judged;
}

/** The orders in which pairs are asked. The last has the answers, so no order can save more. */
const ORDERS = ['ranking', 'shared words', 'the answers'] as const;

/** Answers every requested pair from the gold labels; a pair without one is a "no". */
function ask(k: number, order: (typeof ORDERS)[number]): Asked {
  let calls = 0;
  let pairs = 0;
  const judged: Judged = new Map();
  for (const { id, perspectives } of queries) {
    const textOf = new Map(perspectives.map((perspective) => [perspective.id, perspective.text]));
    const relevanceOf = ({ passageId, perspectiveId }: WantedPair): number =>
      qrels.get(id)?.get(perspectiveId)?.get(passageId) ?? 0;
    const sharedWords = ({ passageId, perspectiveId }: WantedPair): number =>
      judgeLexically(texts.get(passageId)!, textOf.get(perspectiveId)!, (text) => analyze(text, 'english'))
        .score;
    const prior = { ranking: undefined, 'shared words': sharedWords, 'the answers': relevanceOf }[order];
    const figures = new FewestCalls({
      perspectives: [...textOf.keys()],
      rankings: [(run.get(id) ?? []).map(({ item }) => item)],
      cutoffs: [k],
      prior,
    });
    const topic = new Map([...textOf.keys()].map((perspective) => [perspective, new Map<string, number>()]));
    judged.set(id, topic);
    pairs += figures.pairs;
    for (let batch = figures.next(); batch.length > 0; batch = figures.next())
      for (const pair of batch) {
        const relevance = relevanceOf(pair);
        topic.get(pair.perspectiveId)!.set(pair.passageId, relevance);
        figures.learn(pair, relevance > 0);
        calls++;
      }
  }
  return { calls, pairs, judged };
}

const rows = [5, 10].flatMap((k) => {
  const measures = [parseMeasure(`MRecall@${k}`), parseMeasure(`Precision@${k}`)];
  const full = evaluateRun(run, qrels, measures).mean;
  return ORDERS.map((order) => {
    const { calls, pairs, judged } = ask(k, order);
    const { mean } = evaluateRun(run, judged, measures);
    const same = measures.every(({ family }) => mean[`${family}@${k}`] === full[`${family}@${k}`]);
    return [
      `k = ${k}, ordered by ${order}`,
      thousands(pairs),
      thousands(calls),
      `${(100 * (1 - calls / pairs)).toFixed(1)}%`,
      same ? 'identical' : 'DIFFERENT',
    ];
  });
});
process.stdout.write(
  `${table(['debate, 178 queries, BM25', 'full matrix', 'calls', 'saved', 'figures'], rows)}\n`,
);
