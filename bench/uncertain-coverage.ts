/**
 * Reranking for coverage with judges that err: BM25's top 100 on the debates, judges with the error rates of published
 * tables, and every rule with the same judges. The numbers of the sequential test's model were fitted on every other
 * claim, and its rules chosen there; the table is for the other half. Kialo's questions have perspectives and no
 * labelled passages, so support is sampled for them.
 *
 *   npm run bench -- uncertain-coverage
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEvalSet } from '../src/core/formats/queries.ts';
import { parseQrels } from '../src/core/formats/exchange/trec.ts';
import type { Verdict } from '../src/core/model.ts';
import { BUILT_IN_PIPELINES } from '../src/core/pipeline.ts';
import { coverageReasons } from '../src/core/rerank/coverage-reasons.ts';
import { coverageRerank } from '../src/core/rerank/coverage.ts';
import { CAUTIOUS_ERRORS, type JudgeErrors } from '../src/core/rerank/judge-errors.ts';
import {
  sequentialCoverageRerank,
  type SequentialCoverageInput,
} from '../src/core/rerank/sequential-coverage.ts';
import type { Likeness } from '../src/core/rerank/support-beliefs.ts';
import { wordLikeness } from '../src/core/rerank/word-likeness.ts';
import { mean } from '../src/core/statistics/mean.ts';
import { DEBATE, openDebate } from './support/debate.ts';
import { evaluate } from './support/evaluate.ts';
import { seededRandom } from './support/random.ts';
import { table } from './support/report.ts';

const KIALO = '../shared/data/berds/kialo.dev.jsonl';
const K = 5;
const CANDIDATES = 100;
const DRAWS = Number(process.env['DRAWS'] ?? 4);
const BUDGETS = [10, 20, 40] as const;
/** As in a pipeline step. */
const AT_A_TIME = 2;
const OPINIONS = 4;
/** Correlations of the errors of two judges, which determine the value of a second opinion. */
const CORRELATIONS = [0, 0.2, 0.44, 0.6, 0.8, 1];

if (!existsSync(DEBATE)) {
  process.stderr.write(`${DEBATE} is absent: there is nothing to measure.\n`);
  process.exit(1);
}

const JUDGES: Readonly<Record<string, JudgeErrors>> = {
  'DREAM, Table 1': { yesOfSupport: 0.984, yesOfNone: 0.081 },
  'GPT-4 one-shot, BERDS Table 4': { yesOfSupport: 0.65, yesOfNone: 0.05 },
};

/** A query's candidates with their true support. */
interface Case {
  /** [n, m]. */
  readonly truth: readonly (readonly boolean[])[];
  readonly likeness?: Likeness | undefined;
}

interface Outcome {
  readonly mrecall: number;
  readonly precision: number;
  readonly requests: number;
  /** The probability of MRecall that the rule states. */
  readonly stated?: number | undefined;
  /** Stated probabilities that a passage is the only one for a perspective, and whether it is. */
  readonly only?: readonly (readonly [number, number])[] | undefined;
}

/** @param opinion index from 0 */
type Ask = (candidate: number, perspective: number, opinion: number) => Verdict;
type Rule = (own: Case, ask: Ask, errors: JudgeErrors) => Outcome;

const debates = await readDebates();
const heldOut = debates.filter((_, place) => place % 2 === 1);
const kialo = drawnKialo();
const HEADS = [
  'judge',
  'rule',
  `MRecall@${K}`,
  '95% interval',
  `Precision@${K}`,
  'requests',
  'MRecall stated',
  'only: stated, true',
];

report(`${heldOut.length} claims that nothing was fitted to`, heldOut);
report(`${kialo.length} questions of Kialo, support drawn`, kialo);

function report(title: string, cases: readonly Case[]): void {
  const rows = Object.entries(JUDGES).flatMap(([judge, errors]) => [
    ...rules(cases.some(({ likeness }) => likeness)).map(([rule, rank, correlation]) => [
      judge,
      rule,
      ...cells(outcomes(cases, errors, rank, correlation)),
    ]),
    ...BUDGETS.map((requests) => [
      judge,
      `one budget for all questions, ${requests} requests for each`,
      ...cells(divided(cases, errors, requests)),
    ]),
  ]);
  const plain = cases.map((own) => [score(own, { order: own.truth.map((_, at) => at), requests: 0 })]);
  const ceiling = cases.map((own) => [
    trusting(own, (candidate, at) => (own.truth[candidate]![at]! ? 'yes' : 'no')),
  ]);
  process.stdout.write(
    `${title}; k = ${K}, ${DRAWS} draws of the judge, intervals over questions\n\n${table(HEADS, [
      ['nobody', 'plain', ...cells(plain)],
      ['the gold', 'the ceiling', ...cells(ceiling)],
      ...rows,
    ])}\n\n`,
  );
}

/** As {@link outcomes}, with one budget: what a question does not need goes to those that want more. */
function divided(cases: readonly Case[], errors: JudgeErrors, requests: number): Outcome[][] {
  const byDraw = Array.from({ length: DRAWS }, (_, draw) => {
    const run = (place: number, most: number): Outcome =>
      tested({ requests: most, correlation: 0 }, OPINIONS)(
        cases[place]!,
        answers(cases[place]!, errors, draw * 1009 + place, 0),
        errors,
      );
    const results = cases.map((_case, place) => run(place, requests));
    let most = requests;
    for (;;) {
      const open = results.flatMap(({ requests: spent }, place) => (spent === most ? [place] : []));
      const spent = results.reduce((sum, result) => sum + result.requests, 0);
      const more = Math.floor((requests * cases.length - spent) / Math.max(1, open.length));
      if (open.length === 0 || more === 0) return results;
      most += more;
      for (const place of open) results[place] = run(place, most);
    }
  });
  return cases.map((_, place) => byDraw.map((results) => results[place]!));
}

/** Each rule with the correlation of the errors of two opinions. @param hasLikeness whether the passages have texts */
function rules(hasLikeness: boolean): (readonly [string, Rule, number])[] {
  const within = (
    name: string,
    change: Partial<SequentialCoverageInput>,
    opinions: number,
    correlation = 0,
  ) =>
    BUDGETS.map(
      (requests) =>
        [
          `${name}, ${requests} requests at most`,
          tested({ ...change, requests, correlation: change.correlation ?? correlation }, opinions),
          correlation,
        ] as const,
    );
  return [
    ['believing every yes', (own, ask) => trusting(own, (candidate, at) => ask(candidate, at, 0)), 0],
    ...within('sequential test', {}, OPINIONS),
    ['sequential test, without limit', tested({ correlation: 0 }, OPINIONS), 0],
    ...within('one judge', {}, 1),
    ...CORRELATIONS.flatMap((correlation) =>
      within(`two judges, errors correlated at ${correlation}`, {}, 2, correlation),
    ),
    ...within('the same, taken for independent', { correlation: 0 }, 2, 0.44),
    ...within('pairs', { unit: 'pair' }, OPINIONS),
    ...(hasLikeness ? within('without likeness', { likeness: undefined }, OPINIONS) : []),
    ...within('cautious errors', { errors: Array<JudgeErrors>(OPINIONS).fill(CAUTIOUS_ERRORS) }, OPINIONS),
  ];
}

function tested(change: Partial<SequentialCoverageInput>, opinions: number): Rule {
  return (own, ask, errors) => {
    const steps = sequentialCoverageRerank({
      ...sizeOf(own),
      k: K,
      errors: Array<JudgeErrors>(opinions).fill(errors),
      likeness: own.likeness,
      lookahead: AT_A_TIME,
      ...change,
    });
    let step = steps.next([]);
    while (!step.done)
      step = steps.next(
        step.value.map(({ candidate, perspectives, judge }) =>
          perspectives.map((perspective) => ask(candidate, perspective, judge)),
        ),
      );
    const found = step.value;
    const top = found.order.slice(0, K);
    return {
      ...score(own, found),
      stated: found.covers,
      only: coverageReasons(found, K).map(({ candidate, perspective, only }) => {
        const others = top.filter((each) => each !== candidate);
        const supports = own.truth[candidate]![perspective]!;
        return [only, supports && !others.some((each) => own.truth[each]![perspective]) ? 1 : 0] as const;
      }),
    };
  };
}

/** Requests pairs, and only about missing perspectives. */
function trusting(own: Case, ask: (candidate: number, perspective: number) => Verdict): Outcome {
  const steps = coverageRerank(sizeOf(own));
  let step = steps.next();
  while (!step.done)
    step = steps.next(step.value.map(({ candidate, perspective }) => ask(candidate, perspective)));
  return score(own, { order: step.value.order, requests: step.value.calls });
}

/** [questions][draws]. */
function outcomes(cases: readonly Case[], errors: JudgeErrors, rule: Rule, correlation: number): Outcome[][] {
  return cases.map((own, place) =>
    Array.from({ length: DRAWS }, (_, draw) =>
      rule(own, answers(own, errors, draw * 1009 + place, correlation), errors),
    ),
  );
}

/**
 * Verdicts of exchangeable judges: after t of them the next one repeats one of those with probability tρ / (1 − ρ +
 * tρ).
 */
function answers(
  { truth }: Case,
  { yesOfSupport, yesOfNone }: JudgeErrors,
  seed: number,
  correlation: number,
): Ask {
  const random = seededRandom(seed);
  const drawn = truth.map((own) =>
    own.map((supports) => {
      const verdicts: boolean[] = [];
      for (let opinion = 0; opinion < OPINIONS; opinion++) {
        const [again, which, fresh] = [random(), random(), random()];
        const chance = (opinion * correlation) / (1 - correlation + opinion * correlation);
        verdicts.push(
          again < chance
            ? verdicts[Math.floor(which * opinion)]!
            : fresh < (supports ? yesOfSupport : yesOfNone),
        );
      }
      return verdicts;
    }),
  );
  return (candidate, perspective, opinion) => (drawn[candidate]![perspective]![opinion]! ? 'yes' : 'no');
}

function sizeOf({ truth }: Case): { readonly candidates: number; readonly perspectives: number } {
  return { candidates: truth.length, perspectives: truth[0]!.length };
}

function score(
  { truth }: Case,
  { order, requests }: { order: readonly number[]; requests: number },
): Outcome {
  const top = order.slice(0, K).map((candidate) => truth[candidate]!);
  const perspectives = truth[0]!.length;
  const covered = truth[0]!.filter((_, perspective) => top.some((own) => own[perspective])).length;
  return {
    mrecall: covered >= Math.min(K, perspectives) ? 1 : 0,
    precision: top.filter((own) => own.includes(true)).length / K,
    requests,
  };
}

function cells(found: readonly (readonly Outcome[])[]): string[] {
  const perCase = found.map((draws) => mean(draws.map(({ mrecall }) => mrecall)));
  const average = mean(perCase);
  const error = Math.sqrt(mean(perCase.map((value) => (value - average) ** 2)) / (perCase.length - 1));
  const all = found.flat();
  const stated = all.flatMap((own) => own.stated ?? []);
  const only = all.flatMap((own) => own.only ?? []);
  return [
    percent(average),
    `[${percent(average - 1.96 * error)}, ${percent(Math.min(1, average + 1.96 * error))}]`,
    percent(mean(all.map(({ precision }) => precision))),
    mean(all.map(({ requests }) => requests)).toFixed(1),
    stated.length === 0 ? '' : percent(mean(stated)),
    only.length === 0 ? '' : onlyIn(only),
  ];
}

/** Counts all passages moved up, and those that are likely the only one. */
function onlyIn(only: readonly (readonly [number, number])[]): string {
  const both = (pairs: typeof only): string =>
    pairs.length === 0
      ? ''
      : `${percent(mean(pairs.map(([own]) => own)))}, ${percent(mean(pairs.map(([, own]) => own)))}`;
  return `${both(only)}; from 0.5: ${both(only.filter(([chance]) => chance >= 0.5))}`;
}

function percent(value: number): string {
  return (100 * value).toFixed(1);
}

async function readDebates(): Promise<Case[]> {
  const read = (name: string): string => readFileSync(path.join(DEBATE, name), 'utf8');
  const { queries } = parseEvalSet(read('queries.jsonl'), 'queries.jsonl');
  const { qrels } = parseQrels(read('qrels.diversity.txt'));
  const store = mkdtempSync(path.join(tmpdir(), 'parallax-bench-'));
  const debate = await openDebate(store);
  const { run } = await evaluate(debate, BUILT_IN_PIPELINES.bm25, queries, qrels, [], CANDIDATES);
  const cases = queries.map(({ id, perspectives }) => {
    const found = run.get(id)!;
    const slots = found.map(({ item }) => debate.corpus.passageById(item)!.slot);
    return {
      truth: found.map(({ item }) =>
        perspectives.map((each) => (qrels.get(id)?.get(each.id)?.get(item) ?? 0) > 0),
      ),
      likeness: wordLikeness(debate.services.texts(slots)),
    };
  });
  await debate.close();
  rmSync(store, { recursive: true });
  return cases;
}

/**
 * Whether a passage supports a perspective depends on its rank, the question and the perspective, not on other
 * perspectives.
 */
function drawnKialo(): Case[] {
  if (!existsSync(KIALO)) return [];
  const random = seededRandom(11);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return parseEvalSet(readFileSync(KIALO, 'utf8'), KIALO).queries.map(({ perspectives }) => {
    const question = normal();
    const own = perspectives.map(() => question + 0.5 * normal());
    return {
      truth: Array.from({ length: CANDIDATES }, (_, at) =>
        own.map((deviation) => random() < 0.35 / (1 + Math.exp(1.5 * Math.log(at + 1) - 2 - deviation))),
      ),
    };
  });
}
