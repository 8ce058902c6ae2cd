/**
 * Facts about each type of judge that are needed before it is asked. Its form in `parallax.json` is in judge-
 * config.ts, how it answers in src/engine/judges; another type is added in these, and nowhere else.
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

/**
 * The cost of an answer: nothing worth speaking of, the processors of this machine for a while, or requests that
 * somebody pays for.
 */
export type Expense = 'free' | 'computing' | 'paid';

/**
 * Who answers: people, of whom nothing can be asked; a model; or shared words, which are a guess. A guess may say what
 * to label first, and counts in no figure: only the command line works figures out of guesses, where the judge is
 * named, and says of each that it is no result.
 */
type AnsweredBy = 'people' | 'heuristic' | 'model';

/** Whether people are asked before a judge is that costs so much. */
const NEEDS_CONFIRMATION: Readonly<Record<Expense, boolean>> = { free: false, computing: false, paid: true };

interface Traits<C extends JudgeConfig> {
  readonly answeredBy: AnsweredBy;
  /** Contacts or loads what the workspace names, and so waits until the workspace is trusted. */
  readonly needsTrust: boolean;
  /** Asks the language model of the editor, and so is not to be had on the command line. */
  readonly needsEditor: boolean;
  /**
   * The chat model that can be asked other questions, such as for perspectives: its own, that of another judge,
   * by its name, or none.
   */
  readonly chatModel: C extends ChatJudgeConfig ? 'own' : 'none' | ((config: C) => string);
  /** For people. */
  readonly label: (name: string, config: C) => string;
}

/** One type of judge. A type that is paid for also estimates its effort beforehand. */
export type JudgeType<C extends JudgeConfig> = Traits<C> &
  (
    | { readonly expense: Exclude<Expense, 'paid'> }
    | { readonly expense: 'paid'; readonly effort: (config: C, asked: Asked) => Effort }
  );

/** The grounds of an estimate. */
interface Asked {
  readonly workload: Workload;
  readonly prices: PriceTable;
  /** The configuration of another judge. */
  readonly configOf: (name: string) => JudgeConfig | undefined;
  /** The effort of another judge for the same. */
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
    // Its last judge is there because it is dear.
    expense: 'paid',
    effort: ({ judges, then }, { effortOf }) => {
      const cheap = judges.map(effortOf);
      // At least the first cheap judge sees every pair; at most all of them and the last one do.
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

/** The type of a judge by its configuration. */
export function judgeTypeOf<C extends JudgeConfig>({ type }: C): JudgeType<C> {
  return JUDGE_TYPES[type] as JudgeType<C>;
}

/** Whether people are to be asked before this judge is. */
export function needsConfirmation(config: JudgeConfig): boolean {
  return NEEDS_CONFIRMATION[judgeTypeOf(config).expense];
}

/** Judges that need no entry in `parallax.json`. */
export const BUILT_IN_JUDGES: Readonly<Record<string, JudgeConfig>> = {
  labels: judgeSchema.parse({ type: 'labels' }),
  lexical: judgeSchema.parse({ type: 'lexical' }),
  vscode: judgeSchema.parse({ type: 'vscode' }),
};

/** The judges that a configuration knows by name. */
export function judgeNames({ judges }: { readonly judges: Readonly<Record<string, JudgeConfig>> }): string[] {
  return [...Object.keys(BUILT_IN_JUDGES), ...Object.keys(judges)];
}

/** Those that the command line has, where there is no editor to ask. */
export const JUDGES_WITHOUT_EDITOR: Readonly<Record<string, JudgeConfig>> = Object.fromEntries(
  Object.entries(BUILT_IN_JUDGES).filter(([, config]) => !judgeTypeOf(config).needsEditor),
);

/**
 * Whether the answers of a judge are guesses: its own, or those of the judge that has the last word behind a filter.
 *
 * @param judges every judge of the configuration; a name that leads nowhere, or back, is no guess
 */
export function isGuessing(config: JudgeConfig, judges: Readonly<Record<string, JudgeConfig>>): boolean {
  const named = { ...BUILT_IN_JUDGES, ...judges };
  let last: JudgeConfig | undefined = config;
  // As many steps as there are judges are enough for everything that is no circle.
  for (let steps = Object.keys(named).length; last?.type === 'filter' && steps > 0; steps--)
    last = Object.hasOwn(named, last.then) ? named[last.then] : undefined;
  return last !== undefined && judgeTypeOf(last).answeredBy === 'heuristic';
}

/** Human labels in the place of a judge that guesses, any other judge as it is named. */
export function countingJudgeName(name: string, judges: Readonly<Record<string, JudgeConfig>>): string {
  const named = { ...BUILT_IN_JUDGES, ...judges };
  return Object.hasOwn(named, name) && isGuessing(named[name]!, judges) ? 'labels' : name;
}

/** The agents of a debate by name, at least two; one name debates with itself. */
export function agentsOf({ agents }: JudgeConfigOf<'debate'>): readonly string[] {
  return typeof agents === 'string' ? [agents, agents] : agents;
}

function debateLabel(name: string, { preset }: JudgeConfigOf<'debate'>): string {
  if (preset === 'dream') return name === 'dream' ? 'DREAM' : l10n.t`${name} (DREAM)`;
  return name === 'debate' ? l10n.t('Debate') : l10n.t`${name} (debate)`;
}

/**
 * The judge whose chat model can be asked other questions than for judgements: itself, or the one that it names.
 *
 * @returns its name, nothing where no chat model stands behind the judge
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
 * @param judges every judge of the configuration; names that lead nowhere, and circles, cost nothing, since they
 *   cannot be asked
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
    const effortOfNamed = (other: string): Effort => effortOf(other, [...path, judge]);
    return type.effort(config, { workload, prices, configOf, effortOf: effortOfNamed });
  };
  return effortOf(name, []);
}

function debateEffort(config: JudgeConfigOf<'debate'>, { workload, prices, configOf }: Asked): Effort {
  const { rounds: most, continueTo = 1, adjudicator } = config;
  const argument = (name: string): Effort => {
    const agent = configOf(name);
    return agent && isChatJudge(agent) ? argumentEffort(pricedAs(agent), workload, prices) : FREE;
  };
  const round = totalEffort(agentsOf(config).map(argument));
  const rounds = times(round, Math.min(most, continueTo), Math.max(most, continueTo));
  return adjudicator === undefined ? rounds : totalEffort([rounds, between(FREE, argument(adjudicator))]);
}

/** Whether a judge is called by its model, as those are that were set up by command: once is enough then. */
function sameWords(name: string, model: string): boolean {
  const words = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ' ');
  return words(name) === words(model.replace(/^.*\//u, ''));
}

/** A prompt of the user's own asks about one pair for a short answer. */
function formOf(config: ChatJudgeConfig): ChatJudgeForm {
  return config.prompt ? { mode: 'pair', explain: false } : config;
}

/** By which name prices know the model; none where the editor chooses it. */
function pricedAs(config: ChatJudgeConfig): string | undefined {
  return config.type === 'openai' ? config.model : config.id;
}
