/**
 * Figures corrected for a judge's errors: BM25's top 5 on the debate data, judges with known error rates, and repeated
 * samples of 100 labels. Measures how often the 95% interval contains the figure that people alone would find, and its
 * width compared with that of the labels alone.
 *
 *   npm run bench -- corrected-figures
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEvalSet } from '../src/core/formats/queries.ts';
import { parseQrels } from '../src/core/formats/exchange/trec.ts';
import { BUILT_IN_PIPELINES } from '../src/core/pipeline.ts';
import { mean } from '../src/core/statistics/mean.ts';
import { correctedMean, type PredictedUnit } from '../src/core/statistics/prediction-powered.ts';
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
const BUDGETS = (process.env['LABELS'] ?? '50,100,200').split(',').map(Number);

if (!existsSync(DEBATE)) {
  process.stderr.write(`${DEBATE} is absent: there is nothing to measure.\n`);
  process.exit(1);
}

/** The number of labels until people have decided a figure, asking first about the judge's "yes". */
type LabelCost = (truth: Verdicts, judge: Verdicts | undefined) => number;

interface Way {
  readonly name: string;
  readonly usesJudge: boolean;
  readonly labels: (figure: LabelCost) => LabelCost;
  /** The relative probability of sampling a question. Defaults to equal. */
  readonly pick?: (truth: Verdicts, judge: Verdicts, figure: Figure) => number;
  /** Whether the estimate receives these probabilities. */
  readonly isKnown?: boolean;
}

const WAYS: readonly Way[] = [
  { name: 'corrected, questions drawn alike', usesJudge: true, labels: (cost) => cost },
  {
    name: 'corrected, doubtful ones twice as likely, known',
    usesJudge: true,
    labels: (cost) => cost,
    pick: (_, judge) => (countOf(judge) <= 3 ? 2 : 1),
    isKnown: true,
  },
  {
    name: 'corrected, covered ones picked twice as often, not known',
    usesJudge: true,
    labels: (cost) => cost,
    pick: (truth, _, figure) => (figure(truth) > 0.5 ? 2 : 1),
  },
  { name: 'labels alone, until a question is decided', usesJudge: false, labels: (cost) => cost },
  {
    name: 'labels alone, all pairs of a question',
    usesJudge: false,
    labels: () => (truth) => K * truth[0]!.length,
  },
];

const cases = await readCases();
for (const [name, { of, label }] of Object.entries(FIGURES)) {
  const labels = costOf(label);
  const truth = mean(cases.map(of));
  process.stdout.write(
    `\n${name} of ${cases.length} claims is ${percent(truth)} in truth; ${DRAWS} draws of the judge and of the labels.\n\n`,
  );
  const rows = Object.entries(JUDGES).flatMap(([judge, rate]) =>
    BUDGETS.flatMap((budget) => [
      ...WAYS.map((way) => [
        judge,
        String(budget),
        way.name,
        ...summary(simulate(rate, of, labels, way, budget), truth),
      ]),
      [
        judge,
        String(budget),
        'by error rates, pairs drawn alike',
        ...summary(byRates(rate, of, budget), truth),
      ],
    ]),
  );
  process.stdout.write(
    table(
      [
        'judge (yes of support / of the rest)',
        'labels',
        'way',
        'as counted',
        'mean',
        'covers',
        'half-width',
        'questions',
      ],
      rows,
    ) + '\n',
  );
}

function simulate(rate: YesRate, figure: Figure, cost: LabelCost, way: Way, budget: number): Draw[] {
  const truths = cases.map(figure);
  return Array.from({ length: DRAWS }, (_, draw) => {
    const random = seededRandom(7919 * draw + 13);
    const judged = cases.map((truth) => answers(truth, rate, random));
    const sizes = cases.map((truth, at) => way.pick?.(truth, judged[at]!, figure) ?? 1);
    const { decided, chances } = labelled(sizes, budget, random, (at) =>
      way.labels(cost)(cases[at]!, way.usesJudge ? judged[at] : undefined),
    );
    const counted = judged.map(figure);
    const units = counted.map((predicted, at): PredictedUnit => ({
      predicted: way.usesJudge ? predicted : 0,
      ...(decided.has(at) ? { truth: truths[at]!, chance: way.isKnown ? chances[at]! : undefined } : {}),
    }));
    return { counted: mean(counted), found: correctedMean(units), questions: decided.size };
  });
}

/**
 * The figure from a judge's error rates: pairs are labelled one by one, support among its "yes" and among its "no" is
 * counted, and every pair of the judge is sampled with that probability. Assumes that errors do not depend on side,
 * rank or question.
 */
function byRates(rate: YesRate, figure: Figure, budget: number): Draw[] {
  return Array.from({ length: Math.ceil(DRAWS / 5) }, (_, draw) => {
    const random = seededRandom(7919 * draw + 13);
    const judged = cases.map((truth) => answers(truth, rate, random));
    const pairs = judged.flatMap((top, at) =>
      top.flatMap((own, rank) => own.map((says, side) => ({ says, supports: cases[at]![rank]![side]! }))),
    );
    const seen = Array.from({ length: budget }, () => pairs[Math.floor(random() * pairs.length)]!);
    const samples = Array.from({ length: 200 }, () => {
      const again = seen.map(() => seen[Math.floor(random() * seen.length)]!);
      const [ofYes, ofNo] = [true, false].map((says) => {
        const own = again.filter((pair) => pair.says === says);
        return (own.filter(({ supports }) => supports).length + 0.5) / (own.length + 1);
      }) as [number, number];
      return mean(
        judged.map((top) => figure(top.map((own) => own.map((says) => random() < (says ? ofYes : ofNo))))),
      );
    }).sort((a, b) => a - b);
    const found = { value: mean(samples), low: samples[5]!, high: samples[194]! };
    return { counted: mean(judged.map(figure)), found, questions: 0 };
  });
}

/** Labels of one question without earlier labels. */
function costOf(label: NamedFigure['label']): LabelCost {
  return (truth, judge) => {
    const known = new Set<string>();
    label({ truth, judge, top: truth.map((_, place) => place), known });
    return known.size;
  };
}

function countOf(top: Verdicts): number {
  return top.flat().filter(Boolean).length;
}

async function readCases(): Promise<Verdicts[]> {
  const read = (name: string): string => readFileSync(path.join(DEBATE, name), 'utf8');
  const { queries } = parseEvalSet(read('queries.jsonl'), 'queries.jsonl');
  const { qrels } = parseQrels(read('qrels.diversity.txt'));
  const store = mkdtempSync(path.join(tmpdir(), 'parallax-bench-'));
  const { corpus, services, close } = await openDebate(store);
  const { run } = await evaluate({ corpus, services }, BUILT_IN_PIPELINES.bm25, queries, qrels, [], K);
  await close();
  rmSync(store, { recursive: true });
  return queries.map(({ id, perspectives }) =>
    run
      .get(id)!
      .map(({ item }) => perspectives.map((each) => (qrels.get(id)?.get(each.id)?.get(item) ?? 0) > 0)),
  );
}
