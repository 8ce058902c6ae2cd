/** The options of commands that first have the pairs behind their figures judged, beyond the qrels. */
import { counted, counts } from '../core/counted.ts';
import { judgeName } from '../core/facts.ts';
import { ParallaxError } from '../core/errors.ts';
import { evidenceNotFoundText } from '../core/judging/judgement-tally.ts';
import { isNoResult, unreadableText, type Unreadable } from '../core/judging/unreadable.ts';
import type { NamedPipeline } from '../core/pipeline.ts';
import { isRerankedByJudge, needsOf } from '../core/pipeline-needs.ts';
import { PLAIN_PERSPECTIVE } from '../core/words.ts';
import { LABELS_FILE, type ParallaxConfig } from '../shared/config.ts';
import { MAX_REPEATS, type JudgingReport } from '../shared/experiment.ts';
import type { Params } from '../shared/rpc.ts';
import { judgementsOf, type Dataset, type JudgementFiles } from './datasets.ts';
import { readJudge } from './options/judge-option.ts';
import { BUDGET_SPENT, UsageError, type Io } from './presentation/terminal.ts';

type BudgetLimits = NonNullable<Params<'judgeFigures'>['budget']>;

export type Scope = 'figures' | 'everything';
const SCOPES: readonly Scope[] = ['figures', 'everything'];

/** Read by {@link readBudget}. */
export const BUDGET_OPTION = {
  type: 'string',
  help: 'send at most this many requests to chat models, as in 500 or requests=500,tokens=200000; answers under way when\nthe tokens are spent still count. The exit code is then 3, and the same command continues from there',
} as const;

/**
 * Options for the judge, the scope, and the budget.
 *
 * @param scope the default one
 */
export const judgingOptions = (scope: Scope) =>
  ({
    judge: {
      type: 'string',
      help: 'a judge as JSON, or its name: first have judged what the qrels leave open within the top k',
    },
    scope: {
      type: 'string',
      help: `figures (only the pairs that MRecall and Precision depend on: the fewest calls, and exactly the\nfigures of judging everything) or everything (all pairs of the top k, and what views read); default ${scope}`,
    },
    budget: BUDGET_OPTION,
  }) as const;

/** Read by {@link readJudging}. */
export const CORRECTED_OPTION = {
  type: 'boolean',
  help: 'have the judge answer, too, what people labelled within the top k, and show every figure twice:\nas counted, and corrected for what the judge gets wrong, with a 95% interval',
} as const;

/** Read by {@link readJudging}. */
export const REPEATS_OPTION = {
  type: 'string',
  help: 'judge everything this many times (2 to 20), and show what changes: figures in each\nrepeat, with intervals for these questions and for others of the kind; announced and budgeted together',
} as const;

/** A budget shared by all data sets of a command. */
export class SharedBudget {
  readonly #limits: BudgetLimits;
  #requests = 0;
  #tokens = 0;

  /** @param limits defaults to no limit */
  constructor(limits: BudgetLimits = {}) {
    this.#limits = limits;
  }

  get left(): BudgetLimits {
    const { requests, tokens } = this.#limits;
    return {
      ...(requests === undefined ? {} : { requests: Math.max(0, requests - this.#requests) }),
      ...(tokens === undefined ? {} : { tokens: Math.max(0, tokens - this.#tokens) }),
    };
  }

  get spent(): { readonly requests: number; readonly tokens: number } {
    return { requests: this.#requests, tokens: this.#tokens };
  }

  spend({ requests, tokens }: { readonly requests: number; readonly tokens: number }): void {
    this.#requests += requests;
    this.#tokens += tokens;
  }
}

export interface Judging {
  /** Name of the judge. */
  readonly judge: string;
  readonly scope: Scope;
  /** Whether figures are corrected for the judge's errors. */
  readonly corrected: boolean;
  /** The number of times that everything is judged. */
  readonly repeats: number;
  /** Shared by all data sets. */
  readonly budget: SharedBudget;
  /** Includes a judge given as JSON. */
  readonly config: ParallaxConfig;
}

interface JudgingValues {
  readonly judge?: string | undefined;
  readonly scope?: string | undefined;
  readonly budget?: string | undefined;
  readonly corrected?: boolean | undefined;
  readonly repeats?: string | undefined;
}

/**
 * @param defaultScope the scope if none is given
 * @returns `undefined` if no judge is named
 * @throws UsageError for an unknown judge or scope, an invalid budget, and options that need a judge
 */
export function readJudging(
  { judge, scope, budget, corrected = false, repeats }: JudgingValues,
  config: ParallaxConfig,
  defaultScope: Scope,
): Judging | undefined {
  if (judge === undefined) {
    const options = { scope, budget, repeats, corrected: corrected || undefined };
    const lone = Object.entries(options).find(([, value]) => value !== undefined)?.[0];
    if (lone) throw new UsageError(`--${lone} needs a --judge.`);
    return undefined;
  }
  const configs = { ...config.judges };
  const name = readJudge(judge, '--judge', configs);
  const chosen = SCOPES.find((known) => known === (scope ?? defaultScope));
  if (!chosen) throw new UsageError(`--scope is figures or everything, not "${scope}".`);
  return {
    judge: name,
    scope: chosen,
    corrected,
    repeats: readRepeats(repeats),
    budget: new SharedBudget(readBudget(budget)),
    config: { ...config, judges: configs },
  };
}

/**
 * The budget of models that pipelines ask, if no judge is asked for the figures.
 *
 * @throws UsageError if no pipeline asks a model
 */
export function readStepBudget(
  { judge, budget }: Pick<JudgingValues, 'judge' | 'budget'>,
  pipelines: readonly NamedPipeline[],
): SharedBudget | undefined {
  if (judge !== undefined || budget === undefined) return undefined;
  const asksModel = pipelines.some(
    ({ pipeline }) => isRerankedByJudge(pipeline) || needsOf(pipeline).writers.length > 0,
  );
  if (!asksModel) throw new UsageError('--budget needs a --judge, or a pipeline that asks a model.');
  return new SharedBudget(readBudget(budget));
}

export function readRepeats(text: string | undefined): number {
  if (text === undefined) return 1;
  const repeats = Number(text);
  if (/^\d+$/.test(text) && repeats >= 2 && repeats <= MAX_REPEATS) return repeats;
  throw new UsageError(`--repeats is a whole number from 2 to ${MAX_REPEATS}, not "${text}".`);
}

/**
 * Parses `requests=500,tokens=200000`, in any order, or only one of them; a bare number is a number of requests.
 *
 * @returns no limits if `text` is `undefined`
 * @throws UsageError
 */
export function readBudget(text: string | undefined): BudgetLimits {
  if (text === undefined) return {};
  const limits: { requests?: number; tokens?: number } = {};
  for (const part of text.split(',')) {
    const [, unit = 'requests', number] = /^(?:(requests|tokens)\s*=\s*)?(\d{1,12})$/.exec(part.trim()) ?? [];
    if (number === undefined || (unit !== 'requests' && unit !== 'tokens') || limits[unit] !== undefined)
      throw new UsageError(`--budget is like 500, or requests=500,tokens=200000, not "${text}".`);
    limits[unit] = Number(number);
  }
  return limits;
}

/** The sources of the judgements behind figures as shown to the user, including the judge that was asked. */
export function judgementSources(
  dataset: JudgementFiles,
  judging: Pick<JudgingReport, 'judge' | 'heuristic'> | undefined,
): string {
  const sources = [judgementsOf(dataset), judging && judgeName(judging)].filter((each) => each !== undefined);
  return sources.length === 0 ? `none (there is no ${LABELS_FILE})` : sources.join(' and ');
}

export function unreadableOf({ answered, unreadable, unreadableReason }: JudgingReport): Unreadable {
  return { unreadable, answers: answered + unreadable, reason: unreadableReason };
}

/** Summarizes judging in a line. */
export function describeJudging(report: JudgingReport): string {
  const { pairs, known, asked, saved, failed, requests, tokens, settled, queries, held = 0, error } = report;
  // Nothing that could be judged was retrieved.
  if (pairs === 0) return '';
  const against = held === 0 ? '' : `, and ${held} to hold it against labels`;
  const unsettled = queries - settled;
  const open =
    unsettled === 0
      ? ''
      : counted(' The figures of {0} of {1} [1:question|questions] are not settled.', unsettled, queries);
  const times = report.repeats ? ` in ${report.repeats.wanted} repeats` : '';
  const below = [unreadableText(unreadableOf(report)), evidenceNotFoundText(report.evidenceNotFound)];
  const trouble =
    failed === 0 ? '' : counted(' {0} [0:pair has|pairs have] no answer. {1}', failed, error ?? '');
  const guesses = report.heuristic
    ? 'Guesses by shared words are no judgements: figures that rest on them are no results.\n'
    : '';
  return (
    `${guesses}${counts.pairs(pairs)}: ${known} known before, ${asked} put to ${judgeName(report)}${times}${against} (${counts.requests(requests)}, ` +
    `${counted('{0} [0:token|tokens]', tokens)}), ${saved} saved.${open}${trouble}${riseText(report)}\n${below.map((line) => (line === undefined ? '' : `${line}\n`)).join('')}`
  );
}

/** How far the figures may rise: unjudged passages count as not supporting until they are judged. */
function riseText({ mayRise = {}, ...report }: JudgingReport): string {
  if (isNoResult(unreadableOf(report))) return '';
  const rises = Object.entries(mayRise)
    .filter(([, share]) => share > 0)
    .map(([measure, share]) => `${measure} by up to ${(100 * share).toFixed(1)}`);
  return rises.length === 0
    ? ''
    : ` With all answers there, figures may be higher, in points: ${rises.join(', ')}.`;
}

/**
 * The exit code of a command that asked a judge. Reports on standard error if the budget ran out, or if too many
 * answers were unreadable for a result.
 *
 * @param isStored whether answers are stored for the next run
 * @param isCutShort whether rerankers wanted more requests than the budget has
 */
export function judgingExitCode(
  judging: readonly JudgingReport[],
  isStored: boolean,
  io: Io,
  isCutShort = false,
): number {
  const noResult = judging.map(unreadableOf).find(isNoResult);
  if (noResult) {
    io.stderr(`No result: ${unreadableText(noResult)}\n`);
    return 1;
  }
  if (isCutShort || judging.some(({ stopped }) => stopped)) {
    io.stderr(describeStop(isStored));
    return BUDGET_SPENT;
  }
  return judging.some(({ failed, unreadable }) => failed + unreadable > 0) ? 1 : 0;
}

/** @param isStored whether answers are stored for the next run */
export function describeStop(isStored: boolean): string {
  return `The budget is spent. ${
    isStored
      ? 'Run the same command again to go on from here.'
      : 'What was answered is not kept: give --store a folder to go on from here next time.'
  }\n`;
}

/**
 * A perspective without text cannot be judged.
 *
 * @throws ParallaxError `bad-argument`
 */
export function checkPerspectives({ queries, qrels, queriesFile, qrelsFile }: Dataset): void {
  if (!qrels) return;
  for (const { id, perspectives } of queries) {
    const named = new Set(perspectives.map((perspective) => perspective.id));
    const unnamed = [...(qrels.get(id)?.keys() ?? [])].find((perspective) => !named.has(perspective));
    if (unnamed !== undefined)
      throw new ParallaxError(
        'bad-argument',
        unnamed === PLAIN_PERSPECTIVE
          ? `${qrelsFile} does not tell perspectives apart, and ${queriesFile} has no gold answers ("answers") for the question "${id}": a judge needs either.`
          : `${qrelsFile} judges the perspective "${unnamed}" of the question "${id}", which ${queriesFile} does not have; a judge could not be asked about it.`,
      );
  }
}
