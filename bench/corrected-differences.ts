/**
 * Differences between two pipelines, corrected for a judge's errors: top 5 on the debate data, judges with known error
 * rates, and repeated samples of labels. Measures how often the 95% interval contains the difference that people alone
 * would find.
 *
 *   npm run bench -- corrected-differences
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseQrels } from '../src/core/formats/exchange/trec.ts';
import { parseEvalSet } from '../src/core/formats/queries.ts';
import { BUILT_IN_PIPELINES, parsePipeline, type Pipeline } from '../src/core/pipeline.ts';
import { mean } from '../src/core/statistics/mean.ts';
import { correctedMean, DIFFERENCES, type PredictedUnit } from '../src/core/statistics/prediction-powered.ts';
import { DEBATE, openDebate } from './support/debate.ts';
import { evaluate } from './support/evaluate.ts';
import { seededRandom } from './support/random.ts';
import { table } from './support/report.ts';
import {
  answers,
  FIGURES,
  JUDGES,
  K,
  labelled,
  percent,
  summary,
  type Draw,
  type Figure,
  type NamedFigure,
  type Verdicts,
  type YesRate,
} from './support/simulated-judges.ts';

const DRAWS = Number(process.env['DRAWS'] ?? 1000);
const BUDGETS = (process.env['LABELS'] ?? '200,400').split(',').map(Number);

/** Compared with BM25: one that finds less, one that finds about the same, and BM25's own passages in another order. */
const OTHERS: Readonly<Record<string, Pipeline>> = {
  dense: BUILT_IN_PIPELINES.dense,
  hybrid: BUILT_IN_PIPELINES.hybrid,
  mmr: parsePipeline({
    retriever: { type: 'bm25' },
    rerank: [{ type: 'mmr', lambda: 0.75, embedder: 'hashing' }],
  }),
};

if (!existsSync(DEBATE)) {
  process.stderr.write(`${DEBATE} is absent: there is nothing to measure.\n`);
  process.exit(1);
}

/** One question: the passages of both pipelines, and the places of each top 5. */
interface Case {
  readonly truth: Verdicts;
  readonly now: readonly number[];
  readonly then: readonly number[];
}

for (const [other, cases] of await readCases())
  for (const [name, figure] of Object.entries(FIGURES)) {
    const truth = mean(cases.map((own) => difference(figure.of, own, own.truth)));
    process.stdout.write(
      `\n${name} of ${other} less that of BM25, ${cases.length} claims: ${percent(truth)} in truth; ${DRAWS} draws.\n\n`,
    );
    const rows = Object.entries(JUDGES).flatMap(([judge, rate]) =>
      BUDGETS.flatMap((budget) =>
        [true, false].map((usesJudge) => [
          judge,
          String(budget),
          usesJudge ? 'corrected' : 'labels alone',
          ...summary(simulate(cases, rate, figure, { budget, usesJudge }), truth),
        ]),
      ),
    );
    const header = ['judge (yes of support / of the rest)', 'labels', 'way', 'as counted'];
    process.stdout.write(`${table([...header, 'mean', 'covers', 'half-width', 'questions'], rows)}\n`);
  }

function simulate(
  cases: readonly Case[],
  rate: YesRate,
  { of, label }: NamedFigure,
  { budget, usesJudge }: { readonly budget: number; readonly usesJudge: boolean },
): Draw[] {
  return Array.from({ length: DRAWS }, (_, draw) => {
    const random = seededRandom(7919 * draw + 13);
    const judged = cases.map((own) => answers(own.truth, rate, random, (place) => rankOf(own, place)));
    const alike = cases.map(() => 1);
    const { decided } = labelled(alike, budget, random, (at) =>
      labelsFor(cases[at]!, usesJudge ? judged[at] : undefined, label),
    );
    const counted = judged.map((verdicts, at) => difference(of, cases[at]!, verdicts));
    const units = counted.map((predicted, at): PredictedUnit => ({
      predicted: usesJudge ? predicted : 0,
      ...(decided.has(at) ? { truth: difference(of, cases[at]!, cases[at]!.truth) } : {}),
    }));
    return { counted: mean(counted), found: correctedMean(units, DIFFERENCES), questions: decided.size };
  });
}

/** Labels until both rankings are decided; common passages are labelled once. */
function labelsFor(
  { truth, now, then }: Case,
  judge: Verdicts | undefined,
  label: NamedFigure['label'],
): number {
  const known = new Set<string>();
  for (const top of [then, now]) label({ truth, judge, top, known });
  return known.size;
}

function difference(of: Figure, { now, then }: Case, verdicts: Verdicts): number {
  const [own, other] = [now, then].map((top) => of(top.map((place) => verdicts[place]!))) as [number, number];
  return own - other;
}

/** From 1, in BM25's ranking, else in the other one. */
function rankOf({ now, then }: Case, place: number): number {
  const rank = then.indexOf(place);
  return (rank < 0 ? now.indexOf(place) : rank) + 1;
}

async function readCases(): Promise<Map<string, Case[]>> {
  const read = (name: string): string => readFileSync(path.join(DEBATE, name), 'utf8');
  const { queries } = parseEvalSet(read('queries.jsonl'), 'queries.jsonl');
  const { qrels } = parseQrels(read('qrels.diversity.txt'));
  const store = mkdtempSync(path.join(tmpdir(), 'parallax-bench-'));
  const { corpus, services, close } = await openDebate(store);
  const topsOf = async (pipeline: Pipeline): Promise<Map<string, string[]>> => {
    const { run } = await evaluate({ corpus, services }, pipeline, queries, qrels, [], K);
    return new Map([...run].map(([id, ranking]) => [id, ranking.map(({ item }) => item)]));
  };
  const then = await topsOf(BUILT_IN_PIPELINES.bm25);
  const found = new Map<string, Case[]>();
  for (const [name, pipeline] of Object.entries(OTHERS)) {
    const now = await topsOf(pipeline);
    found.set(
      name,
      queries.map(({ id, perspectives }) => {
        const passages = [...new Set([...then.get(id)!, ...now.get(id)!])];
        const placesOf = (top: readonly string[]): number[] => top.map((item) => passages.indexOf(item));
        return {
          truth: passages.map((item) =>
            perspectives.map((each) => (qrels.get(id)?.get(each.id)?.get(item) ?? 0) > 0),
          ),
          now: placesOf(now.get(id)!),
          then: placesOf(then.get(id)!),
        };
      }),
    );
  }
  await close();
  rmSync(store, { recursive: true });
  return found;
}
