/** Asks judges about labelled pairs and measures how good their answers are. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../../core/errors.ts';
import type { Debate, DecidedVerdict, Stance } from '../../../core/model.ts';
import { seededRandom } from '../../../core/statistics/random.ts';
import {
  automaticAnswer,
  finalAnswer,
  labelsByRound,
  latencyOf,
  meanCost,
  type GivenAnswer,
} from '../core/answers.ts';
import { guesser } from '../core/baselines.ts';
import {
  countOf,
  countPairs,
  decidedByReference,
  figuresOf,
  type Answer,
  type Confusion,
  type Figures,
} from '../core/confusion.ts';
import {
  consensusOverRounds,
  firstConsensus,
  orderConsistency,
  repeatConsistency,
  type DebateHistory,
} from '../core/consistency.ts';
import { ratio } from '../core/figure.ts';
import { intervalsOf, resampledFigures, type Intervals } from '../core/intervals.ts';
import { agreementOfPeople } from '../core/people.ts';
import { paperRows } from '../../papers/engine/door.ts';
import type { ReferencePair, ReferenceSet } from '../core/reference-set.ts';
import type { JudgeView, ValidationReport } from '../core/report.ts';
import type { Judge } from '../../../engine/judges/judge.ts';
import { Pace } from '../../../engine/concurrency/pace.ts';
import type { WorkOptions } from '../../../engine/types.ts';
import { togetherOf, type JudgeVotes } from './together.ts';
import { answersOf, type AnsweredPairs, type LearningJudge } from './ask-judge.ts';

export interface JudgeToValidate extends LearningJudge {
  /**
   * The same judge without what it learnt. Each repeat has its own stored answers.
   *
   * @param repeat from 2
   */
  readonly repeated: (repeat: number) => LearningJudge;
  /** The same judge with the agents of its debates swapped. */
  readonly swapped?: Judge | undefined;
}

export interface Validation {
  readonly set: ReferenceSet;
  readonly judges: readonly JudgeToValidate[];
  /** A judge whose answers count as true instead of labels (BERDS B.3, Table 18). */
  readonly reference?: Judge | undefined;
  /** How often each judge answers every pair. Each repeat has its own stored answers. Figures are those of the first run. */
  readonly repeats?: number | undefined;
}

const RESAMPLES = 2_000;
/** Fixed, so that the same labels give the same intervals. */
const SEED = 1;
/** Characters that suffice to recognise a passage. */
const EXCERPT = 160;

/** A pair on which the reference is sure. */
interface DecidedPair extends ReferencePair {
  readonly reference: DecidedVerdict;
}

/**
 * Asks every judge about every pair on which the reference is sure. A judge that fails is reported with the others,
 * and its figures rest on the answers it gave.
 *
 * @throws ParallaxError `bad-argument` if no pair has a reference; `cancelled`
 */
export async function validateJudges(
  validation: Validation,
  work: WorkOptions = {},
): Promise<ValidationReport> {
  const { set, judges, reference } = validation;
  const repeats = validation.repeats ?? 1;
  const rounds = judges.reduce((sum, { swapped }) => sum + repeats + (swapped ? 1 : 0), reference ? 1 : 0);
  const progress = new Stages(work, set.pairs.length * rounds);
  const labelled = reference ? await labelledBy(reference, set.pairs, progress) : set.pairs;
  const pairs = labelled.filter(isDecided).map((pair) => ({ ...pair, reference: pair.verdict }));
  if (pairs.length === 0) throw nothingToMeasure(reference);
  const validated: Validated[] = [];
  for (const each of judges) validated.push(await validateJudge(each, pairs, repeats, progress));
  const { together, filters, warnings } = togetherOf(
    pairs,
    validated.map(({ votes }) => votes),
  );
  const counts = countPairs(pairs.map((pair) => ({ reference: pair.reference, answer: 'yes' })));
  return {
    labels: {
      by: reference ? 'judge' : 'people',
      judge: reference?.name ?? null,
      pairs: pairs.length,
      yes: counts.yes.yes,
      no: counts.no.yes,
      unsure: labelled.filter(({ verdict }) => verdict === 'unsure').length,
      unlabelled: labelled.filter(({ verdict }) => verdict === undefined).length,
    },
    baselines: baselinesOf(counts.yes.yes, counts.no.yes),
    judges: validated.map(({ view }) => view),
    together,
    filters,
    ...peopleOf(set),
    ...(await paperRows(reference ? 'judge' : 'people')),
    warnings: [...set.warnings, ...oneKindOnly(counts), ...warnings],
  };
}

/** With pairs of only one kind, half of a judge's errors cannot be measured. */
function oneKindOnly({ yes, no }: Confusion): string[] {
  if (yes.yes > 0 && no.yes > 0) return [];
  return [
    yes.yes > 0
      ? l10n.t`All ${yes.yes} labelled pairs say yes, so there is no way to see how often a judge is wrong about passages that do not support. Label some of those, too.`
      : l10n.t`All ${no.yes} labelled pairs say no, so there is no way to see how often a judge misses support. Label passages that support, too.`,
  ];
}

function isDecided(pair: ReferencePair): pair is ReferencePair & { readonly verdict: DecidedVerdict } {
  return pair.verdict === 'yes' || pair.verdict === 'no';
}

function nothingToMeasure(reference: Judge | undefined): ParallaxError {
  return new ParallaxError(
    'bad-argument',
    reference
      ? l10n.t`The reference "${reference.name}" answers none of the pairs with yes or no.`
      : l10n.t('None of the pairs is labelled yes or no.'),
  );
}

/** The pairs with the judge's verdicts instead of people's. */
async function labelledBy(
  judge: Judge,
  pairs: readonly ReferencePair[],
  progress: Stages,
): Promise<ReferencePair[]> {
  const { answers, error } = await answersOf({ judge }, pairs, progress.next(`reference ${judge.name}`));
  if (error && answers.every((answer) => answer === undefined)) throw error;
  return pairs.map((pair, index) => {
    const answer = answers[index] && finalAnswer(answers[index]);
    return { ...pair, verdict: answer === undefined || isVerdict(answer) ? answer : 'unsure' };
  });
}

function isVerdict(answer: Answer): answer is DecidedVerdict {
  return answer === 'yes' || answer === 'no';
}

interface Validated {
  readonly view: JudgeView;
  readonly votes: JudgeVotes;
}

async function validateJudge(
  { judge, labels, repeated, swapped }: JudgeToValidate,
  pairs: readonly DecidedPair[],
  repeats: number,
  progress: Stages,
): Promise<Validated> {
  const runs: AnsweredPairs[] = [];
  for (let repeat = 1; repeat <= repeats; repeat++) {
    const learning = repeat === 1 ? { judge, labels } : repeated(repeat);
    runs.push(await answersOf(learning, pairs, progress.next(judge.name)));
  }
  const inOtherOrder = swapped && (await answersOf({ judge: swapped }, pairs, progress.next(swapped.name)));
  const [first] = runs as [AnsweredPairs];
  const calibrationLabels = judge.reading?.labels?.();
  const automatic = confusionOf(pairs, first.answers, automaticAnswer);
  const answered = countOf(automatic);
  const view: JudgeView = {
    judge: judge.name,
    label: judge.label,
    heuristic: judge.heuristic,
    ...figuresOf(automatic),
    confusion: automatic,
    intervals: await bootstrap(automatic, progress.work),
    ...(calibrationLabels === undefined ? {} : { calibrationLabels }),
    allCases: allCasesOf(pairs, first.answers, automatic),
    escalated: ratio(countOf(automatic, 'escalated'), answered),
    unparsed: ratio(countOf(automatic, 'unparsed'), answered),
    unsure: ratio(countOf(automatic, 'unsure'), answered),
    failed: pairs.length - answered,
    error: runs.find(({ error }) => error)?.error?.message ?? null,
    cost: costOf(runs),
    latency: latencyIn(runs),
    chance: chanceOf(figuresOf(automatic)),
    byPerspective: byPerspective(pairs, first.answers),
    byStance: byStance(pairs, first.answers),
    consistency: repeats > 1 ? repeatConsistency(runs.map(({ answers }) => answersIn(answers))) : null,
    swappedOrder: inOtherOrder
      ? orderConsistency(answersIn(first.answers), answersIn(inOtherOrder.answers))
      : null,
    debateRounds: firstConsensus(histories(pairs, first.answers, ({ rounds }) => rounds)),
    persistence: consensusOverRounds(
      histories(pairs, first.answers, ({ rounds, further = [] }) =>
        further.length > 0 ? [...rounds, ...further] : [],
      ),
    ),
  };
  const votes = {
    judge,
    runs: runs.map(({ answers }) => answersIn(answers)),
    agents: agentsIn(first.answers),
  };
  return { view, votes };
}

/** The answers of each agent in round 1. An agent without an answer there has no vote. */
function agentsIn(answers: Given): JudgeVotes['agents'] {
  const opening = answers.map((answer) => answer?.judgement.debate?.rounds[0] ?? []);
  const agents = Math.max(0, ...opening.map(({ length }) => length));
  return Array.from({ length: agents }, (_, agent) => opening.map((turns) => turns[agent]?.label));
}

type Given = readonly (GivenAnswer | undefined)[];

/** @param roundsOf the rounds of a debate that count; a debate without any does not count */
function histories(
  pairs: readonly DecidedPair[],
  answers: Given,
  roundsOf: (debate: Debate) => Debate['rounds'],
): DebateHistory[] {
  return answers.flatMap((answer, index) => {
    const debate = answer?.judgement.debate;
    if (!debate) return [];
    return [{ rounds: labelsByRound(roundsOf(debate)), reference: pairs[index]!.reference }];
  });
}

function answersIn(answers: Given): (Answer | undefined)[] {
  return answers.map((answer) => answer && automaticAnswer(answer));
}

function confusionOf(
  pairs: readonly DecidedPair[],
  answers: Given,
  read: (answer: GivenAnswer) => Answer,
): Confusion {
  return countPairs(
    answers.flatMap((answer, index) =>
      answer ? [{ reference: pairs[index]!.reference, answer: read(answer) }] : [],
    ),
  );
}

function allCasesOf(
  pairs: readonly DecidedPair[],
  answers: Given,
  automatic: Confusion,
): JudgeView['allCases'] {
  const final = confusionOf(pairs, answers, finalAnswer);
  const forPeople = countOf(final, 'escalated');
  return {
    ...figuresOf(decidedByReference(final)),
    adjudicated: countOf(automatic, 'escalated') - forPeople,
    decidedByReference: forPeople,
  };
}

async function bootstrap(confusion: Confusion, work: WorkOptions): Promise<Intervals> {
  const pace = new Pace({ signal: work.signal });
  const samples = [];
  for (const sample of resampledFigures(confusion, seededRandom(SEED))) {
    samples.push(sample);
    if (samples.length === RESAMPLES) break;
    if (pace.due) await pace.rest();
  }
  return intervalsOf(samples);
}

function costOf(runs: readonly AnsweredPairs[]): JudgeView['cost'] {
  const answers = allGiven(runs);
  const cached = answers.filter((answer) => answer.cached).length;
  return { asked: answers.length - cached, cached, ...meanCost(answers.map(({ judgement }) => judgement)) };
}

function latencyIn(runs: readonly AnsweredPairs[]): JudgeView['latency'] {
  const answers = allGiven(runs);
  const elapsed = runs.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  return {
    ...latencyOf(answers.map(({ judgement }) => judgement)),
    amortised: ratio(elapsed, answers.filter(({ cached }) => !cached).length),
  };
}

function allGiven(runs: readonly AnsweredPairs[]): GivenAnswer[] {
  return runs.flatMap(({ answers }) => answers.filter((answer) => answer !== undefined));
}

function chanceOf({ pairs, positiveShare, referencePositiveShare }: Figures): JudgeView['chance'] {
  if (positiveShare === null || referencePositiveShare === null) return { accuracy: null, f1: null };
  const yes = Math.round(referencePositiveShare * pairs);
  const { accuracy, f1 } = guesser(yes, pairs - yes, positiveShare);
  return { accuracy, f1 };
}

function baselinesOf(yes: number, no: number): ValidationReport['baselines'] {
  return [
    { baseline: 'random', ...guesser(yes, no, yes / (yes + no)) },
    { baseline: 'always no', ...guesser(yes, no, 0) },
    { baseline: 'always yes', ...guesser(yes, no, 1) },
  ];
}

/** The pairs of a group, with the answers to them. */
interface Part {
  readonly pairs: readonly DecidedPair[];
  readonly answers: Given;
}

function partsBy(
  pairs: readonly DecidedPair[],
  answers: Given,
  keyOf: (pair: DecidedPair) => string,
): Part[] {
  const places = Map.groupBy(pairs.keys(), (index) => keyOf(pairs[index]!));
  return [...places.values()].map((indexes) => ({
    pairs: indexes.map((index) => pairs[index]!),
    answers: indexes.map((index) => answers[index]),
  }));
}

function figuresOfPart({ pairs, answers }: Part): Figures & { readonly confusion: Confusion } {
  const confusion = confusionOf(pairs, answers, automaticAnswer);
  return { ...figuresOf(confusion), confusion };
}

function byPerspective(pairs: readonly DecidedPair[], answers: Given): JudgeView['byPerspective'] {
  const keyOf = ({ question, perspective }: DecidedPair): string => JSON.stringify([question, perspective]);
  return partsBy(pairs, answers, keyOf).map((part) => {
    const { question = null, perspective, stance = null } = part.pairs[0]!;
    return { question, perspective, stance, ...figuresOfPart(part) };
  });
}

function byStance(pairs: readonly DecidedPair[], answers: Given): JudgeView['byStance'] {
  return partsBy(pairs, answers, ({ stance }) => stance ?? '').flatMap((part) => {
    const stance: Stance | undefined = part.pairs[0]!.stance;
    return stance ? [{ stance, ...figuresOfPart(part) }] : [];
  });
}

function peopleOf({ pairs, votes }: ReferenceSet): Pick<ValidationReport, 'people'> {
  const { people, pairs: pairwise, all, ties } = agreementOfPeople(votes);
  if (people.length < 2) return {};
  const byItem = new Map(pairs.map((pair) => [pair.item, pair]));
  const conflicts = ties.flatMap(({ item, votes: ballots }) => {
    const pair = byItem.get(item);
    if (!pair) return [];
    const { question = null, perspective, passage } = pair;
    const votes = ballots.map(({ person, verdict }) => ({ person, verdict }));
    return [{ question, perspective, passage: passage.slice(0, EXCERPT).toWellFormed(), votes }];
  });
  return { people: { people, pairs: pairwise, all, conflicts } };
}

/** One progress count over all runs of judges. */
class Stages {
  readonly work: WorkOptions;
  readonly #total: number;
  #before = 0;
  #current = 0;

  constructor(work: WorkOptions, total: number) {
    this.work = work;
    this.#total = total;
  }

  /** The work options of the next stage. */
  next(detail: string): WorkOptions {
    this.#before += this.#current;
    this.#current = 0;
    return {
      signal: this.work.signal,
      onProgress: ({ done }) => {
        this.#current = done;
        this.work.onProgress?.({ done: this.#before + done, total: this.#total, detail });
      },
    };
  }
}
