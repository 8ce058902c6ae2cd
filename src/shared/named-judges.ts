/** Judges by their names: the built-in ones, and what can be asked of any of them. */
import { isChatJudge, judgeSchema, judgeTypeOf, type Expense, type JudgeConfig } from './judge-config.ts';
import { FREE, type Workload } from './judge-effort.ts';
import type { Effort, PriceTable } from './requests/spending.ts';

/** Whether the user must confirm before a judge of this expense is asked. */
const NEEDS_CONFIRMATION: Readonly<Record<Expense, boolean>> = { free: false, computing: false, paid: true };

/** Whether the user must confirm before this judge is asked. */
export function needsConfirmation(config: JudgeConfig): boolean {
  return NEEDS_CONFIRMATION[judgeTypeOf(config).expense];
}

/** Judges that need no entry in `parallax.json`. */
export const BUILT_IN_JUDGES: Readonly<Record<string, JudgeConfig>> = {
  labels: judgeSchema.parse({ type: 'labels' }),
  lexical: judgeSchema.parse({ type: 'lexical' }),
  vscode: judgeSchema.parse({ type: 'vscode' }),
};

/** The names of built-in and configured judges. */
export function judgeNames({ judges }: { readonly judges: Readonly<Record<string, JudgeConfig>> }): string[] {
  return [...Object.keys(BUILT_IN_JUDGES), ...Object.keys(judges)];
}

/** The built-in judges on the command line, without the editor's models. */
export const JUDGES_WITHOUT_EDITOR: Readonly<Record<string, JudgeConfig>> = Object.fromEntries(
  Object.entries(BUILT_IN_JUDGES).filter(([, config]) => !judgeTypeOf(config).needsEditor),
);

/**
 * Whether a judge's answers are guesses: its own, or those of the last judge that it asks.
 *
 * @param judges all configured judges; unknown and circular names are not guesses
 */
export function isGuessing(config: JudgeConfig, judges: Readonly<Record<string, JudgeConfig>>): boolean {
  const named = { ...BUILT_IN_JUDGES, ...judges };
  let last = config;
  // The number of judges is enough steps for any chain without cycles.
  for (let steps = Object.keys(named).length; steps > 0; steps--) {
    const next = askedBy(last);
    if (next === undefined) return judgeTypeOf(last).answeredBy === 'heuristic';
    if (!Object.hasOwn(named, next)) return false;
    last = named[next]!;
  }
  return false;
}

/** `labels` instead of a guessing judge, other judges unchanged. */
export function countingJudgeName(name: string, judges: Readonly<Record<string, JudgeConfig>>): string {
  const named = { ...BUILT_IN_JUDGES, ...judges };
  return Object.hasOwn(named, name) && isGuessing(named[name]!, judges) ? 'labels' : name;
}

/**
 * The judge whose chat model can be used for other requests: the judge itself, or the one it refers to.
 *
 * @returns its name; `undefined` if there is no chat model
 */
export function chatJudgeOf(name: string, config: JudgeConfig): string | undefined {
  return isChatJudge(config) ? name : askedBy(config);
}

/** The judge that a composite judge asks and whose answers count. `undefined` for a judge that answers itself. */
export function askedBy(config: JudgeConfig): string | undefined {
  const chatModel = judgeTypeOf(config).chatModel as 'own' | 'none' | ((own: JudgeConfig) => string);
  return typeof chatModel === 'function' ? chatModel(config) : undefined;
}

/**
 * @param name of the judge
 * @param judges all configured judges; unknown and circular names cost nothing, as they cannot be asked
 * @param prices per model
 */
export function judgeEffort(
  name: string,
  judges: Readonly<Record<string, JudgeConfig>>,
  workload: Workload,
  prices: PriceTable,
): Effort {
  if (workload.pairs === 0) return FREE;
  const configOf = (judge: string): JudgeConfig | undefined =>
    Object.hasOwn(judges, judge) ? judges[judge] : undefined;
  const effortOf = (judge: string, path: readonly string[]): Effort => {
    const config = configOf(judge);
    if (!config || path.includes(judge)) return FREE;
    const type = judgeTypeOf(config);
    if (type.expense !== 'paid') return FREE;
    const effortOfNamed = (otherJudge: string): Effort => effortOf(otherJudge, [...path, judge]);
    return type.effort(config, { workload, prices, configOf, effortOf: effortOfNamed });
  };
  return effortOf(name, []);
}
