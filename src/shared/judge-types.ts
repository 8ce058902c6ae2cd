/**
 * Properties of each type of judge that are needed before it is asked. Its configuration is in judge-config.ts, and its
 * implementation in src/engine/judges. A new type only needs additions there and here.
 */
import * as l10n from '@vscode/l10n';
import { judgeSchema, type ChatJudgeConfig, type JudgeConfig, type JudgeConfigOf } from './judge-config.ts';
import {
  argumentEffort,
  between,
  chatEffort,
  FREE,
  times,
  totalEffort,
  type ChatJudgeForm,
  type Workload,
} from './judge-effort.ts';
import type { Effort, PriceTable } from './requests/spending.ts';

/** The cost of an answer: negligible, computing time on this machine, or paid requests. */
export type Expense = 'free' | 'computing' | 'paid';

/**
 * Who answers: people, who cannot be asked; a model; or shared words, which are a guess. A guess may suggest what to
 * label first but counts in no figure. Only the command line computes figures from guesses, if the judge is named, and
 * marks each of them.
 */
type AnsweredBy = 'people' | 'heuristic' | 'model';

/** Whether the user must confirm before a judge of this expense is asked. */
const NEEDS_CONFIRMATION: Readonly<Record<Expense, boolean>> = { free: false, computing: false, paid: true };

interface Traits<C extends JudgeConfig> {
  readonly answeredBy: AnsweredBy;
  /** Whether it contacts or loads something that the workspace names, which requires trust. */
  readonly needsTrust: boolean;
  /** Whether it uses the editor's language models, so that it is not available on the command line. */
  readonly needsEditor: boolean;
  /** The chat model for other requests, such as perspectives: its own, another judge's (by name), or none. */
  readonly chatModel: C extends ChatJudgeConfig ? 'own' : 'none' | ((config: C) => string);
  /** Display name. */
  readonly label: (name: string, config: C) => string;
}

/** One type of judge. Paid types also estimate their effort. */
export type JudgeType<C extends JudgeConfig> = Traits<C> &
  (
    | { readonly expense: Exclude<Expense, 'paid'> }
    | { readonly expense: 'paid'; readonly effort: (config: C, conditions: EffortConditions) => Effort }
  );

/** The input of an estimate. */
interface EffortConditions {
  readonly workload: Workload;
  readonly prices: PriceTable;
  /** Returns the configuration of another judge. */
  readonly configOf: (name: string) => JudgeConfig | undefined;
  /** Returns the effort of another judge for the same workload. */
  readonly effortOf: (name: string) => Effort;
}

type JudgeTypes = { readonly [T in JudgeConfig['type']]: JudgeType<JudgeConfigOf<T>> };

export const JUDGE_TYPES: JudgeTypes = {
  labels: {
    answeredBy: 'people',
    expense: 'free',
    needsTrust: false,
    needsEditor: false,
    chatModel: 'none',
    label: () => l10n.t('People'),
  },
  lexical: {
    answeredBy: 'heuristic',
    expense: 'free',
    needsTrust: false,
    needsEditor: false,
    chatModel: 'none',
    label: () => l10n.t('Offline word overlap'),
  },
  openai: {
    answeredBy: 'model',
    expense: 'paid',
    effort: (config, { workload, prices }) => chatEffort(pricedAs(config), formOf(config), workload, prices),
    needsTrust: true,
    needsEditor: false,
    chatModel: 'own',
    label: (name, { model }) => (sameWords(name, model) ? model : `${name} (${model})`),
  },
  vscode: {
    answeredBy: 'model',
    expense: 'paid',
    effort: (config, { workload, prices }) => chatEffort(pricedAs(config), formOf(config), workload, prices),
    needsTrust: true,
    needsEditor: true,
    chatModel: 'own',
    label: (name) => (name === 'vscode' ? l10n.t("The editor's language model") : l10n.t`${name} (editor)`),
  },
  debate: {
    answeredBy: 'model',
    expense: 'paid',
    effort: debateEffort,
    needsTrust: true,
    needsEditor: false,
    chatModel: (config) => agentsOf(config)[0]!,
    label: debateLabel,
  },
  filter: {
    answeredBy: 'model',
    // Its last judge is assumed to be expensive.
    expense: 'paid',
    effort: ({ judges, then }, { effortOf }) => {
      const cheap = judges.map(effortOf);
      // At least the first cheap judge sees every pair, and at most all cheap ones and the last one do.
      return totalEffort([between(cheap[0]!, totalEffort(cheap)), between(FREE, effortOf(then))]);
    },
    needsTrust: true,
    needsEditor: false,
    chatModel: ({ then }) => then,
    label: (name, { then }) => l10n.t`${name} (filter, then ${then})`,
  },
  nli: {
    answeredBy: 'model',
    expense: 'computing',
    needsTrust: true,
    needsEditor: false,
    chatModel: 'none',
    label: (name) => `${name} (NLI)`,
  },
  lara: {
    answeredBy: 'model',
    expense: 'paid',
    effort: ({ judge }, { effortOf }) => effortOf(judge),
    needsTrust: true,
    needsEditor: false,
    chatModel: ({ judge }) => judge,
    label: (name, { judge }) => l10n.t`${name} (${judge}, least sure to you)`,
  },
};

/** The type of a judge's configuration. */
export function judgeTypeOf<C extends JudgeConfig>({ type }: C): JudgeType<C> {
  return JUDGE_TYPES[type] as JudgeType<C>;
}

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
 * Whether a judge's answers are guesses: its own, or those of the final judge of a filter.
 *
 * @param judges all configured judges; unknown and circular names are not guesses
 */
export function isGuessing(config: JudgeConfig, judges: Readonly<Record<string, JudgeConfig>>): boolean {
  const named = { ...BUILT_IN_JUDGES, ...judges };
  let last: JudgeConfig | undefined = config;
  // The number of judges is enough steps for any chain without cycles.
  for (let steps = Object.keys(named).length; last?.type === 'filter' && steps > 0; steps--)
    last = Object.hasOwn(named, last.then) ? named[last.then] : undefined;
  return last !== undefined && judgeTypeOf(last).answeredBy === 'heuristic';
}

/** `labels` instead of a guessing judge, other judges unchanged. */
export function countingJudgeName(name: string, judges: Readonly<Record<string, JudgeConfig>>): string {
  const named = { ...BUILT_IN_JUDGES, ...judges };
  return Object.hasOwn(named, name) && isGuessing(named[name]!, judges) ? 'labels' : name;
}

/** The names of a debate's agents, at least two. A single name debates with itself. */
export function agentsOf({ agents }: JudgeConfigOf<'debate'>): readonly string[] {
  return typeof agents === 'string' ? [agents, agents] : agents;
}

function debateLabel(name: string, { preset }: JudgeConfigOf<'debate'>): string {
  if (preset === 'dream') return name === 'dream' ? 'DREAM' : l10n.t`${name} (DREAM)`;
  return name === 'debate' ? l10n.t('Debate') : l10n.t`${name} (debate)`;
}

/**
 * The judge whose chat model can be used for other requests: the judge itself, or the one it refers to.
 *
 * @returns its name; `undefined` if there is no chat model
 */
export function chatJudgeOf(name: string, config: JudgeConfig): string | undefined {
  const chatModel = judgeTypeOf(config).chatModel as 'own' | 'none' | ((own: JudgeConfig) => string);
  if (chatModel === 'none') return undefined;
  return chatModel === 'own' ? name : chatModel(config);
}

export function isChatJudge(config: JudgeConfig): config is ChatJudgeConfig {
  return judgeTypeOf(config).chatModel === 'own';
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

function debateEffort(
  config: JudgeConfigOf<'debate'>,
  { workload, prices, configOf }: EffortConditions,
): Effort {
  const { rounds: most, continueTo = 1, adjudicator } = config;
  const argument = (name: string): Effort => {
    const agent = configOf(name);
    return agent && isChatJudge(agent) ? argumentEffort(pricedAs(agent), workload, prices) : FREE;
  };
  const round = totalEffort(agentsOf(config).map(argument));
  const rounds = times(round, Math.min(most, continueTo), Math.max(most, continueTo));
  return adjudicator === undefined ? rounds : totalEffort([rounds, between(FREE, argument(adjudicator))]);
}

/** Whether a judge is named after its model, as the set-up command does, so that showing it once is enough. */
function sameWords(name: string, model: string): boolean {
  const words = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ' ');
  return words(name) === words(model.replace(/^.*\//u, ''));
}

/** A custom prompt asks about one pair for a short answer. */
function formOf(config: ChatJudgeConfig): ChatJudgeForm {
  return config.prompt ? { mode: 'pair', explain: false } : config;
}

/** The model's name in the price table. `undefined` if the editor chooses the model. */
function pricedAs(config: ChatJudgeConfig): string | undefined {
  return config.type === 'openai' ? config.model : config.id;
}
