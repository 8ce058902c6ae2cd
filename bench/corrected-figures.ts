/**
 * Figures that are corrected for what a judge gets wrong: BM25's first five on the debate data, judges that answer wrongly
 * at known rates, and 100 labels of people, drawn anew again and again. How often does the 95% interval hold the figure
 * that people alone would have come to, and how wide is it beside that of the labels alone?
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
import {
  correctedMean,
  type CorrectedMean,
  type PredictedUnit,
} from '../src/core/statistics/prediction-powered.ts';
import { DEBATE, openDebate } from './support/debate.ts';
import { evaluate } from './support/evaluate.ts';
import { seededRandom, type Random } from './support/random.ts';
import { table } from './support/report.ts';

const K = 5;
const DRAWS = Number(process.env['DRAWS'] ?? 1000);
const BUDGETS = (process.env['LABELS'] ?? '50,100,200').split(',').map(Number);

if (!existsSync(DEBATE)) {
  process.stderr.write(`${DEBATE} is absent: there is nothing to measure.\n`);
  process.exit(1);
}

/** [K, m]: whether a passage supports a perspective, in truth or as a judge has it. */
type Verdicts = readonly (readonly boolean[])[];
type Figure = (top: Verdicts) => number;

/** How often a judge says yes of a pair. */
type YesRate = (supports: boolean, perspective: number, rank: number) => number;

const JUDGES: Readonly<Record<string, YesRate>> = {
  'right in 0.9 of either kind': (supports) => (supports ? 0.9 : 0.1),
  'DREAM, Table 1 (0.984 / 0.081)': (supports) => (supports ? 0.984 : 0.081),
  'GPT-4 one-shot, BERDS Table 4 (0.65 / 0.05)': (supports) => (supports ? 0.65 : 0.05),
  'blind for one side (0.98 / 0.15 and 0.50 / 0.02)': (supports, side) =>
    side === 0 ? (supports ? 0.98 : 0.15) : supports ? 0.5 : 0.02,
  'worse by rank (0.95 to 0.47 / 0.15 to 0.03)': (supports, _, rank) =>
    supports ? 0.95 - 0.12 * (rank - 1) : 0.15 - 0.03 * (rank - 1),
};

const FIGURES: Readonly<Record<string, { readonly of: Figure; readonly labels: LabelCost }>> = {
  [`MRecall@${K}`]: {
    of: (top) => (sidesOf(top).every((side) => top.some((own) => own[side])) ? 1 : 0),
    labels: labelsForCoverage,
  },
  [`Precision@${K}`]: {
    of: (top) => top.filter((own) => own.includes(true)).length / K,
    labels: labelsForPrecision,
  },
};

/** How many labels it takes until people have decided a figure, asking first where the judge says yes. */
type LabelCost = (truth: Verdicts, judge: Verdicts | undefined) => number;

interface Way {
  readonly name: string;
  readonly usesJudge: boolean;
  readonly labels: (figure: LabelCost) => LabelCost;
  /** How likely a question is to be picked, in any unit; alike where it is left out. */
  readonly pick?: (truth: Verdicts, judge: Verdicts, figure: Figure) => number;
  /** Whether the estimate is told how likely. */
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
for (const [name, { of, labels }] of Object.entries(FIGURES)) {
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
        ...row(simulate(rate, of, labels, way, budget), truth),
      ]),
      [judge, String(budget), 'by error rates, pairs drawn alike', ...row(byRates(rate, of, budget), truth)],
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

interface Draw {
  readonly counted: number;
  /** Absent where too few questions were decided. */
  readonly found: CorrectedMean | undefined;
  readonly questions: number;
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
 * Questions in a random order, until the labels are spent; the one in work is not decided. The chance of a question
 * follows from where the order was left (priority sampling, Duffield, Lund and Thorup 2007).
 */
function labelled(sizes: readonly number[], budget: number, random: Random, cost: (at: number) => number) {
  const places = sizes.map((size) => random() / size);
  const order = sizes.map((_, at) => at).sort((a, b) => places[a]! - places[b]!);
  const decided = new Set<number>();
  let left = budget;
  let end = Infinity;
  for (const at of order) {
    left -= cost(at);
    if (left < 0) {
      end = places[at]!;
      break;
    }
    decided.add(at);
  }
  return { decided, chances: sizes.map((size) => Math.min(1, end * size)) };
}

/**
 * The figure under a judge's error rates: pairs are labelled one by one, support among its "yes" and among its
 * "no" is counted, and every pair of the judge is drawn anew with that chance. Assumes that errors know neither side nor
 * rank nor question.
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

function answers(truth: Verdicts, rate: YesRate, random: Random): Verdicts {
  return truth.map((own, at) => own.map((supports, side) => random() < rate(supports, side, at + 1)));
}

function sidesOf(top: Verdicts): number[] {
  return top[0]!.map((_, side) => side);
}

function countOf(top: Verdicts): number {
  return top.flat().filter(Boolean).length;
}

/** The side with the fewest "yes" first: where nothing supports it, that decides. */
function labelsForCoverage(truth: Verdicts, judge: Verdicts | undefined): number {
  const yes = (at: number, side: number): number => Number(judge?.[at]![side] ?? false);
  const inSum = (side: number): number => truth.reduce((sum, _, at) => sum + yes(at, side), 0);
  let labels = 0;
  for (const side of sidesOf(truth).sort((a, b) => inSum(a) - inSum(b))) {
    const order = truth.map((_, at) => at).sort((a, b) => yes(b, side) - yes(a, side));
    const place = order.findIndex((at) => truth[at]![side]);
    if (place < 0) return labels + K;
    labels += place + 1;
  }
  return labels;
}

function labelsForPrecision(truth: Verdicts, judge: Verdicts | undefined): number {
  return truth.reduce((sum, own, at) => {
    const order = sidesOf(truth).sort((a, b) => Number(judge?.[at]![b] ?? 0) - Number(judge?.[at]![a] ?? 0));
    const place = order.findIndex((side) => own[side]);
    return sum + (place < 0 ? own.length : place + 1);
  }, 0);
}

function row(draws: readonly Draw[], truth: number): string[] {
  const found = draws.flatMap((draw) => draw.found ?? []);
  if (found.length < draws.length / 2)
    return [percent(mean(draws.map(({ counted }) => counted))), 'too few', '', '', ''];
  const covers = found.filter(({ low, high }) => low <= truth && truth <= high).length / found.length;
  return [
    percent(mean(draws.map(({ counted }) => counted))),
    percent(mean(found.map(({ value }) => value))),
    percent(covers),
    percent(mean(found.map(({ low, high }) => (high - low) / 2))),
    mean(draws.map(({ questions }) => questions)).toFixed(1),
  ];
}

function percent(share: number): string {
  return (100 * share).toFixed(1);
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
