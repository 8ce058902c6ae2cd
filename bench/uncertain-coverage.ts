/**
 * Reranking for coverage with a judge that errs: BM25's first 100 on the debate data, judges that answer wrongly at
 * known rates, and every rule of reranking against the same judges in the same run.
 *
 *   npm run bench -- uncertain-coverage
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEvalSet } from '../src/core/formats/queries.ts';
import { parseQrels } from '../src/core/formats/exchange/trec.ts';
import { alphaNdcg } from '../src/core/metrics/diversity-measures.ts';
import type { TopicJudgements } from '../src/core/metrics/judgements.ts';
import type { Verdict } from '../src/core/model.ts';
import { BUILT_IN_PIPELINES } from '../src/core/pipeline.ts';
import { coverageRerank, type CoveragePair, type CoverageVerdicts } from '../src/core/rerank/coverage.ts';
import { expectedCoverageRerank, supportByRank } from '../src/core/rerank/expected-coverage.ts';
import { CAUTIOUS_ERRORS, type JudgeErrors } from '../src/core/rerank/judge-errors.ts';
import type { CoverageAim } from '../src/core/rerank/expected-aims.ts';
import { mean } from '../src/core/statistics/mean.ts';
import { DEBATE, openDebate } from './support/debate.ts';
import { evaluate } from './support/evaluate.ts';
import { seededRandom } from './support/random.ts';
import { table } from './support/report.ts';

const K = 5;
const CANDIDATES = 100;
const DRAWS = Number(process.env['DRAWS'] ?? 8);
const BUDGETS = [10, 20, 40, 80] as const;
/** Correlations of the errors of two judges; about 0.44 was found for models of several families (arXiv 2605.29800). */
const TOGETHER = [0, 0.2, 0.44, 0.6, 1] as const;

if (!existsSync(DEBATE)) {
  process.stderr.write(`${DEBATE} is absent: there is nothing to measure.\n`);
  process.exit(1);
}

const JUDGES: Readonly<Record<string, JudgeErrors>> = {
  'DREAM, Table 1': { yesOfSupport: 0.984, yesOfNone: 0.081 },
  'GPT-4 one-shot, BERDS Table 4': { yesOfSupport: 0.65, yesOfNone: 0.05 },
  'the same with 0.02 false yes': { yesOfSupport: 0.65, yesOfNone: 0.02 },
};

/** A query's candidates as the truth has them. */
interface Case {
  readonly id: string;
  /** [n, m]. */
  readonly truth: readonly (readonly boolean[])[];
}

interface Outcome {
  readonly mrecall: number;
  readonly precision: number;
  readonly alphaNdcg: number;
  readonly calls: number;
  /** The rule's own expectation of MRecall, where it states one. */
  readonly stated?: number | undefined;
}

type Ask = (pair: CoveragePair, again?: boolean) => Verdict;
interface Ranked {
  readonly order: readonly number[];
  readonly calls: number;
  /** Expected MRecall. */
  readonly aim?: number | undefined;
}

const cases = await readCases();
/** From the other half of the queries, so that no query is in its own prior. */
const priors = [0, 1].map((half) => priorOf(cases.filter((_, place) => place % 2 !== half)));

const rows = Object.entries(JUDGES).flatMap(([judge, errors]) => rowsOf(judge, errors));
const plain = cases.map(({ truth }) => score(truth, { order: truth.map((_, at) => at), calls: 0 }));
const ceiling = cases.map(({ truth }) =>
  score(
    truth,
    rerankWith(coverageRerank(sizeOf(truth)), (pair) => truthful(truth, pair)),
  ),
);
const surest = cases.map(({ truth }, place) =>
  score(
    truth,
    rerankWith(
      expectedCoverageRerank({
        ...sizeOf(truth),
        k: K,
        errors: { yesOfSupport: 1, yesOfNone: 0 },
        prior: priors[place % 2]!,
      }),
      (pair) => truthful(truth, pair),
    ),
  ),
);
process.stdout.write(
  `${cases.length} claims, BM25's first ${CANDIDATES}, k = ${K}; means over ${DRAWS} draws of the judge, 95% intervals over claims.\n` +
    `Priors by rank come from the other half of the claims, but for the rows that say otherwise.\n\n` +
    table(
      [
        'judge',
        'rule',
        `MRecall@${K}`,
        '95% interval',
        `Precision@${K}`,
        `α-nDCG@${K}`,
        'pairs asked a query',
        'MRecall stated',
      ],
      [
        ['nobody', 'plain BM25', ...cells([plain])],
        ['the gold', "today's rule: the ceiling", ...cells([ceiling])],
        ['the gold', 'expected coverage', ...cells([surest])],
        ...rows,
      ],
    ),
);

function rowsOf(judge: string, errors: JudgeErrors): string[][] {
  const draws = (
    rule: (truth: Case['truth'], ask: Ask, place: number) => Ranked,
    together?: number,
  ): Outcome[][] =>
    Array.from({ length: DRAWS }, (_, draw) =>
      cases.map(({ truth }, place) =>
        score(truth, rule(truth, answers(truth, errors, draw * 1009 + place, together), place)),
      ),
    );
  const expected = (calls: number, used: JudgeErrors, prior?: (rank: number) => number, aim?: CoverageAim) =>
    draws((truth, ask, place) =>
      rerankWith(
        expectedCoverageRerank({
          ...sizeOf(truth),
          k: K,
          calls,
          errors: used,
          aim,
          prior: prior ?? priors[place % 2]!,
        }),
        (pair) => ask(pair),
      ),
    );
  const all = (depth: number) =>
    draws((truth, ask, place) => judgedThenChosen(truth, ask, depth, errors, priors[place % 2]!));
  return [
    [
      "today's rule",
      draws((truth, ask) => rerankWith(coverageRerank(sizeOf(truth)), (pair) => ask(pair))),
    ] as const,
    ...TOGETHER.map(
      (together) =>
        [
          `a second opinion on every yes, errors correlated at ${together}`,
          draws(secondOpinion, together),
        ] as const,
    ),
    ['the first 20 judged, by verdicts', draws((truth, ask) => sortedByVerdicts(truth, ask, 20))] as const,
    ['the first 40 judged, by verdicts', draws((truth, ask) => sortedByVerdicts(truth, ask, 40))] as const,
    ...BUDGETS.map(
      (calls) => [`expected coverage, ${calls} pairs at most`, expected(calls, errors)] as const,
    ),
    ['40 pairs, with α-nDCG as the aim', expected(40, errors, undefined, 'alpha_nDCG')] as const,
    ['expected coverage without limit', expected(Infinity, errors)] as const,
    [
      '40 pairs, cautious errors and the default prior',
      expected(40, CAUTIOUS_ERRORS, supportByRank),
    ] as const,
    ['all of the first 20 judged, best set', all(20)] as const,
    ['all 100 judged, best set', all(CANDIDATES)] as const,
  ].map(([rule, outcomes]) => [judge, rule, ...cells(outcomes)]);
}

/**
 * Verdicts are drawn once for each pair, and once more for a second opinion.
 *
 * @param together correlation of the errors of both: so often, the second opinion is the first one again
 */
function answers(
  truth: Case['truth'],
  { yesOfSupport, yesOfNone }: JudgeErrors,
  seed: number,
  together = 0,
): Ask {
  const random = seededRandom(seed);
  const drawn = (): boolean[][] =>
    truth.map((own) => own.map((supports) => random() < (supports ? yesOfSupport : yesOfNone)));
  const first = drawn();
  const again = drawn();
  const second = again.map((own, candidate) =>
    own.map((verdict, perspective) => (random() < together ? first[candidate]![perspective]! : verdict)),
  );
  return ({ candidate, perspective }, again = false) =>
    (again ? second : first)[candidate]![perspective]! ? 'yes' : 'no';
}

function truthful(truth: Case['truth'], { candidate, perspective }: CoveragePair): Verdict {
  return truth[candidate]![perspective]! ? 'yes' : 'no';
}

function rerankWith(
  steps: Generator<readonly CoveragePair[], Ranked, CoverageVerdicts>,
  ask: (pair: CoveragePair) => Verdict,
): Ranked {
  let step = steps.next();
  while (!step.done) step = steps.next(step.value.map((pair) => ask(pair)));
  return step.value;
}

function secondOpinion(truth: Case['truth'], ask: Ask): Ranked {
  let more = 0;
  const { order, calls } = rerankWith(coverageRerank(sizeOf(truth)), (pair) => {
    if (ask(pair) === 'no') return 'no';
    more++;
    return ask(pair, true);
  });
  return { order, calls: calls + more };
}

/** Whatever supports most that is not there yet comes next, as the verdicts have it. */
function sortedByVerdicts(truth: Case['truth'], ask: Ask, depth: number): Ranked {
  const pairs = pairsOf(truth, depth);
  const verdicts = new Map(pairs.map((pair) => [`${pair.candidate} ${pair.perspective}`, ask(pair)]));
  const yes = (candidate: number): number =>
    truth[candidate]!.filter((_, perspective) => verdicts.get(`${candidate} ${perspective}`) === 'yes')
      .length;
  const covering = rerankWith(
    coverageRerank({ candidates: Math.min(depth, truth.length), perspectives: truth[0]!.length }),
    ({ candidate, perspective }) => verdicts.get(`${candidate} ${perspective}`)!,
  ).order.slice(0, truth[0]!.length);
  const rest = truth.map((_, at) => at).filter((at) => !covering.includes(at));
  return { order: [...covering, ...rest.sort((a, b) => yes(b) - yes(a))], calls: pairs.length };
}

/** No rule that asks about the same pairs, and believes the same of them, chooses a set of higher expectation. */
function judgedThenChosen(
  truth: Case['truth'],
  ask: Ask,
  depth: number,
  errors: JudgeErrors,
  prior: (rank: number) => number,
): Ranked {
  const known = pairsOf(truth, depth);
  const { yesOfSupport, yesOfNone } = errors;
  const chance = truth.map((own, candidate) =>
    own.map((_, perspective) => {
      const before = prior(candidate + 1);
      if (candidate >= depth) return before;
      const isYes = ask({ candidate, perspective }) === 'yes';
      const [support, none] = isYes ? [yesOfSupport, yesOfNone] : [1 - yesOfSupport, 1 - yesOfNone];
      return (before * support) / (before * support + (1 - before) * none);
    }),
  );
  const steps = expectedCoverageRerank({ ...sizeOf(truth), k: K, calls: 0, chances: chance });
  return { order: rerankWith(steps, () => 'no').order, calls: known.length };
}

function pairsOf(truth: Case['truth'], depth: number): CoveragePair[] {
  return truth
    .slice(0, depth)
    .flatMap((own, candidate) => own.map((_, perspective) => ({ candidate, perspective })));
}

function sizeOf(truth: Case['truth']) {
  return { candidates: truth.length, perspectives: truth[0]!.length };
}

function score(truth: Case['truth'], { order, calls, aim }: Ranked): Outcome {
  const top = order.slice(0, K).map((candidate) => truth[candidate]!);
  const perspectives = truth[0]!.length;
  const covered = truth[0]!.filter((_, perspective) => top.some((own) => own[perspective])).length;
  return {
    mrecall: covered >= Math.min(K, perspectives) ? 1 : 0,
    precision: top.filter((own) => own.includes(true)).length / K,
    alphaNdcg: alphaNdcg(order.map(String), judgementsOf(truth), K, 'open'),
    calls,
    stated: aim,
  };
}

function judgementsOf(truth: Case['truth']): TopicJudgements {
  return new Map(
    truth[0]!.map((_, perspective) => [
      String(perspective),
      new Map(truth.map((own, candidate) => [String(candidate), own[perspective] ? 1 : 0])),
    ]),
  );
}

function cells(draws: readonly (readonly Outcome[])[]): string[] {
  const perCase = draws[0]!.map((_, place) => mean(draws.map((own) => own[place]!.mrecall)));
  const average = mean(perCase);
  const error = Math.sqrt(mean(perCase.map((value) => (value - average) ** 2)) / (perCase.length - 1));
  const percent = (value: number): string => (100 * value).toFixed(1);
  return [
    percent(average),
    `[${percent(average - 1.96 * error)}, ${percent(Math.min(1, average + 1.96 * error))}]`,
    percent(mean(draws.flat().map(({ precision }) => precision))),
    percent(mean(draws.flat().map((own) => own.alphaNdcg))),
    mean(draws.flat().map(({ calls }) => calls)).toFixed(1),
    statedIn(draws.flat()),
  ];
}

function statedIn(outcomes: readonly Outcome[]): string {
  const stated = outcomes.flatMap((own) => own.stated ?? []);
  return stated.length === 0 ? '' : (100 * mean(stated)).toFixed(1);
}

/** The share of support in windows of ranks that grow, with one support in ten pairs added. */
function priorOf(learned: readonly Case[]): (rank: number) => number {
  const edges = [1, 2, 3, 5, 8, 13, 21, 34, 55, 101];
  const shares = edges.slice(0, -1).map((from, at) => {
    const pairs = learned.flatMap(({ truth }) => truth.slice(from - 1, edges[at + 1]! - 1).flat());
    return (pairs.filter(Boolean).length + 1) / (pairs.length + 10);
  });
  return (rank) => shares[edges.findLastIndex((edge) => edge <= rank)] ?? shares.at(-1)!;
}

async function readCases(): Promise<Case[]> {
  const read = (name: string): string => readFileSync(path.join(DEBATE, name), 'utf8');
  const { queries } = parseEvalSet(read('queries.jsonl'), 'queries.jsonl');
  const { qrels } = parseQrels(read('qrels.diversity.txt'));
  const store = mkdtempSync(path.join(tmpdir(), 'parallax-bench-'));
  const { corpus, services, close } = await openDebate(store);
  const { run } = await evaluate(
    { corpus, services },
    BUILT_IN_PIPELINES.bm25,
    queries,
    qrels,
    [],
    CANDIDATES,
  );
  await close();
  rmSync(store, { recursive: true });
  return queries.map(({ id, perspectives }) => ({
    id,
    truth: run
      .get(id)!
      .map(({ item }) => perspectives.map((each) => (qrels.get(id)?.get(each.id)?.get(item) ?? 0) > 0)),
  }));
}
