/** The options by which a command first has judged what its figures rest on, beyond the qrels. */
import { ParallaxError } from '../core/errors.ts';
import { PLAIN_PERSPECTIVE, type Qrels, type Run } from '../core/model.ts';
import {
  judgeFigures,
  openFigures,
  type FigureQuery,
  type FigureReport,
} from '../engine/experiment/judge-figures.ts';
import { Budget, type BudgetLimits } from '../engine/judgements/budget.ts';
import { requireJudge } from '../engine/judgements/judgement-service.ts';
import type { ParallaxConfig } from '../shared/config.ts';
import type { Effort, Range } from '../shared/judge-effort.ts';
import { judgeEffort } from '../shared/judge-types.ts';
import type { Dataset } from './datasets.ts';
import { readJudge } from './judge-option.ts';
import { progressLine } from './progress.ts';
import { QrelsDesk } from './qrels-desk.ts';
import { BUDGET_SPENT, UsageError, type Io } from './terminal.ts';

export type Scope = 'figures' | 'everything';
const SCOPES: readonly Scope[] = ['figures', 'everything'];

/** With {@link JUDGING_HELP}. */
export const JUDGING_OPTIONS = {
  judge: { type: 'string' },
  scope: { type: 'string' },
  budget: { type: 'string' },
} as const;

export const BUDGET_HELP = `  --budget    stop before more is spent, as in requests=500 or requests=500,tokens=200000; what is under way is
              still answered. The exit code is then 3, and the same command goes on from there with --store
`;

/** @param scope the default one */
export const judgingHelp = (
  scope: Scope,
): string => `  --judge     a judge as JSON, or its name: first have judged what the qrels leave open within the top k
  --scope     figures (only the pairs that MRecall and Precision depend on: the fewest calls, and exactly the
              figures of judging everything) or everything (all pairs of the top k); default ${scope}
${BUDGET_HELP}`;

export interface Judging {
  /** Its name. */
  readonly judge: string;
  readonly scope: Scope;
  /** One for all data sets. */
  readonly budget: Budget;
  /** With a judge that was given as JSON. */
  readonly config: ParallaxConfig;
}

interface JudgingValues {
  readonly judge?: string | undefined;
  readonly scope?: string | undefined;
  readonly budget?: string | undefined;
}

/**
 * @param scope where none is given
 * @returns nothing where no judge is named
 * @throws UsageError for an unknown judge or scope, a budget that cannot be read, and options that need a judge
 */
export function readJudging(
  { judge, scope, budget }: JudgingValues,
  config: ParallaxConfig,
  defaultScope: Scope,
): Judging | undefined {
  if (judge === undefined) {
    if (scope !== undefined || budget !== undefined)
      throw new UsageError(`--${scope === undefined ? 'budget' : 'scope'} needs a --judge.`);
    return undefined;
  }
  const configs = { ...config.judges };
  const name = readJudge(judge, '--judge', configs);
  const chosen = SCOPES.find((known) => known === (scope ?? defaultScope));
  if (!chosen) throw new UsageError(`--scope is figures or everything, not "${scope}".`);
  return {
    judge: name,
    scope: chosen,
    budget: new Budget(readBudget(budget)),
    config: { ...config, judges: configs },
  };
}

/**
 * `requests=500,tokens=200000`, in any order, either alone.
 *
 * @returns no limits where nothing is given
 * @throws UsageError
 */
export function readBudget(text: string | undefined): BudgetLimits {
  if (text === undefined) return {};
  const limits: { requests?: number; tokens?: number } = {};
  for (const part of text.split(',')) {
    const [, unit, number] = /^\s*(requests|tokens)\s*=\s*(\d{1,12})\s*$/.exec(part) ?? [];
    if ((unit !== 'requests' && unit !== 'tokens') || limits[unit] !== undefined)
      throw new UsageError(`--budget is like requests=500,tokens=200000, not "${text}".`);
    limits[unit] = Number(number);
  }
  return limits;
}

/** What was judged before the figures were worked out; part of what `--json` writes. */
export interface JudgingReport extends Omit<FigureReport, 'error'> {
  readonly judge: string;
  /** An offline one, to be labelled as such. */
  readonly heuristic: boolean;
  readonly scope: Scope;
  /** Why the first pair that failed did. */
  readonly error?: string;
}

export interface JudgedFigures {
  /** With what the judge said. */
  readonly qrels: Qrels;
  readonly report: JudgingReport;
}

/**
 * Has judged what the figures of the runs rest on; what that will take is announced first.
 *
 * @param runs one per pipeline
 * @throws ParallaxError `bad-argument` where there is nothing that a judge could be asked about
 */
export async function judgeRuns(
  dataset: Dataset,
  runs: readonly Run[],
  cutoffs: readonly number[],
  { judge: name, scope, budget, config }: Judging,
  io: Io,
): Promise<JudgedFigures> {
  checkPerspectives(dataset);
  const judge = requireJudge(dataset.judges.get(name), name);
  const judgementService = new QrelsDesk(dataset.qrels, dataset.judgementService);
  const queries = figureQueries(dataset, runs);
  const title = dataset.name === '' ? '' : `${dataset.name}: `;

  const { pairs, known, ...size } = await openFigures(queries, judgementService, judge, cutoffs);
  const effort = judgeEffort(name, config.judges, { pairs: pairs - known, ...size }, {});
  const most = scope === 'figures' ? ' at most' : '';
  io.stderr(`${title}${pairs - known} of ${pairs} pairs are not judged;${most} ${effortOf(effort)}.\n`);
  const options = { cutoffs, scope, budget };
  const onProgress = progressLine(io, `${title}judged`);
  const { error, ...report } = await judgeFigures(queries, judgementService, judge, options, { onProgress });
  return {
    qrels: judgementService.filled,
    report: {
      judge: name,
      heuristic: judge.heuristic,
      scope,
      ...report,
      ...(error ? { error: error.message } : {}),
    },
  };
}

/** `12 requests, about 3,400 tokens` or, where it depends on the answers, `12 to 24 requests, …`. */
export function effortOf({ requests, promptTokens, completionTokens }: Effort): string {
  const range = ({ least, most }: Range): string =>
    least === most ? number(most) : `${number(least)} to ${number(most)}`;
  const tokens = {
    least: promptTokens.least + completionTokens.least,
    most: promptTokens.most + completionTokens.most,
  };
  return `${range(requests)} requests, about ${range(tokens)} tokens`;
}

/** A judge for people. */
export function judgeLabel({ judge, heuristic }: Pick<JudgingReport, 'judge' | 'heuristic'>): string {
  return heuristic ? `${judge} (offline heuristic)` : judge;
}

/** What judging took, as a line for people. */
export function describeJudging(report: JudgingReport): string {
  const { pairs, known, asked, saved, failed, requests, tokens, settled, queries, error } = report;
  const unsettled = queries - settled;
  const open = unsettled === 0 ? '' : ` The figures of ${unsettled} of ${queries} queries are not settled.`;
  const trouble = failed === 0 ? '' : ` ${failed} pairs have no answer. ${error ?? ''}`;
  return (
    `${pairs} pairs: ${known} known before, ${asked} put to ${judgeLabel(report)} (${number(requests)} requests, ` +
    `${number(tokens)} tokens), ${saved} saved.${open}${trouble}\n`
  );
}

/**
 * Of a command that had things judged; says on standard error when the budget stopped it.
 *
 * @param kept whether there is a folder in which the next run finds what was paid for
 */
export function judgingExitCode(judging: readonly JudgingReport[], kept: boolean, io: Io): number {
  if (judging.some(({ stopped }) => stopped)) {
    io.stderr(describeStop(kept));
    return BUDGET_SPENT;
  }
  return judging.some(({ failed }) => failed > 0) ? 1 : 0;
}

/** @param kept whether there is a folder in which the next run finds what was paid for */
export function describeStop(kept: boolean): string {
  return `The budget is spent. ${
    kept
      ? 'Run the same command again to go on from here.'
      : 'What was answered is not kept: give --store a folder to go on from here next time.'
  }\n`;
}

/** Digits in groups of three, independent of the machine's language. */
function number(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Nobody can be asked about a perspective whose words are not there. */
function checkPerspectives({ queries, qrels, queriesFile, qrelsFile }: Dataset): void {
  for (const { id, perspectives } of queries) {
    const named = new Set(perspectives.map((perspective) => perspective.id));
    const unnamed = [...qrels.get(id)!.keys()].find((perspective) => !named.has(perspective));
    if (unnamed !== undefined)
      throw new ParallaxError(
        'bad-argument',
        unnamed === PLAIN_PERSPECTIVE
          ? `${qrelsFile} does not tell perspectives apart; a judge can be asked about diversity qrels only.`
          : `${qrelsFile} judges the perspective "${unnamed}" of the query "${id}", which ${queriesFile} does not have; a judge could not be asked about it.`,
      );
  }
}

function figureQueries({ queries, index }: Dataset, runs: readonly Run[]): FigureQuery[] {
  return queries.map((query) => ({
    index,
    query,
    rankings: runs.map((run) =>
      (run.get(query.id) ?? []).flatMap(({ item }) => index.passageById(item)?.slot ?? []),
    ),
  }));
}
