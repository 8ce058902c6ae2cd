/**
 * The types of judges that `parallax.json` can name, and what the product must know of each before it asks one.
 * How each answers is in src/engine/judges; another type is added here and there, and nowhere else.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { promptTemplateSchema } from '../core/judging/prompts/template.ts';
import {
  argumentEffort,
  between,
  chatEffort,
  FREE,
  times,
  totalEffort,
  type ChatJudgeForm,
  type Effort,
  type PriceTable,
  type Workload,
} from './judge-effort.ts';
import { endpointFields } from './endpoint-fields.ts';

const standard = z.enum(['berds', 'strict']).default('berds');
const judgeName = z.string().min(1);

/** In which form a chat model is asked as a judge. */
const promptForm = {
  mode: z
    .enum(['pair', 'passage'])
    .default('passage')
    .describe(
      'passage: all perspectives of a passage in one request, with its question, and with title, section and neighbouring sentences as context. pair: one passage and one perspective per request, and nothing else, as in the papers; several times the tokens.',
    ),
  explain: z
    .boolean()
    .default(true)
    .describe('false asks for the bare verdict, without evidence and reason: cheaper, and less to check.'),
  shots: z
    .union([z.literal(0), z.literal(1)])
    .default(0)
    .describe('1 shows an example with its answer first.'),
  askAgain: z
    .boolean()
    .optional()
    .describe(
      'Asks once more, with at most one further request for each, where the judge says "yes" and quotes words that are not in the passage; a "yes" that stays without its words is marked as such. On when left out; a debate never does.',
    ),
  prompt: promptTemplateSchema
    .optional()
    .describe(
      'A prompt of your own in the place of the built-in one, about one pair at a time. mode, explain, shots and askAgain say nothing then; debates and lara have their own prompts all the same.',
    ),
};

const labelsSchema = z
  .strictObject({ type: z.literal('labels') })
  .describe('Human labels only; everything else stays unjudged.');

const lexicalSchema = z
  .strictObject({ type: z.literal('lexical') })
  .describe(
    'Offline heuristic on shared words. It cannot tell support from opposition well, and its guesses count in no figure; only the command line can be told to work figures out of them.',
  );

const openaiSchema = z
  .strictObject({
    type: z.literal('openai'),
    baseUrl: z.url().default('https://api.openai.com/v1'),
    model: z.string().min(1),
    key: z
      .string()
      .default('openai')
      .describe('Name under which the API key is stored; command line: <NAME>_API_KEY.'),
    ...endpointFields,
    api: z
      .enum(['chat', 'responses'])
      .optional()
      .describe(
        'By which API of the protocol the model is asked: chat completions, or "responses". When left out: chat completions, until the endpoint says that the model wants the other one.',
      ),
    temperature: z
      .number()
      .min(0)
      .max(2)
      .default(0)
      .describe(
        'Above 0 the model may answer the same question differently the next time, so that figures vary from run to run; answers that are kept stay. At 0 it is left out for models that take none.',
      ),
    concurrency: z.number().int().min(1).max(256).default(4),
    timeoutMs: z.number().int().min(100).max(600_000).default(60_000),
    maxRetries: z.number().int().min(0).max(20).default(4),
    standard,
    ...promptForm,
  })
  .describe('A chat model behind an OpenAI-compatible endpoint.');

const vscodeSchema = z
  .strictObject({
    type: z.literal('vscode'),
    vendor: z.string().optional(),
    family: z.string().optional(),
    id: z.string().optional(),
    concurrency: z.number().int().min(1).max(16).default(2),
    timeoutMs: z.number().int().min(100).max(600_000).default(60_000),
    maxRetries: z.number().int().min(0).max(20).default(2),
    standard,
    ...promptForm,
  })
  .describe('A language model that the editor offers to extensions.');

const debateSchema = z
  .strictObject({
    type: z.literal('debate'),
    preset: z
      .enum(['dream'], { error: () => l10n.t`there is no such preset; known is ${'dream'}` })
      .optional()
      .describe('dream: the strict standard, and the question is shown, as in DREAM.'),
    agents: z
      .union([judgeName, z.array(judgeName).min(2).max(8)])
      .describe(
        'Chat models by their judge names; one name debates with itself. They begin from "supports" and from "does not support" in turn. All names may be the same.',
      ),
    rounds: z
      .number()
      .int()
      .min(1)
      .max(5)
      .default(2)
      .describe('After so many rounds without agreement a pair is escalated.'),
    agreement: z
      .enum(['all', 'majority'])
      .default('all')
      .describe(
        'all: a verdict takes the agreement of all agents. majority: after the last round, more than half of them are enough.',
      ),
    continueTo: z
      .number()
      .int()
      .min(2)
      .max(10)
      .optional()
      .describe(
        'Goes on to this round after the agents agreed, so that "Validate Judge" can say whether agreement lasts. The verdict stays that of the first agreement; only the cost grows.',
      ),
    adjudicator: judgeName
      .optional()
      .describe('The chat model that decides where the agents do not agree; you, when left out.'),
    standard: z
      .enum(['berds', 'strict'])
      .optional()
      .describe('When left out: "berds", with the preset dream "strict".'),
    includeQuestion: z
      .boolean()
      .optional()
      .describe(
        'Shows the agents the question too, for perspectives that cannot be understood without it. Judgements are then kept for each question. When left out: false, with the preset dream true.',
      ),
    concurrency: z
      .number()
      .int()
      .min(1)
      .max(128)
      .default(4)
      .describe('Debates at a time; each has a request of every agent in flight.'),
  })
  .refine(({ preset, standard }) => preset !== 'dream' || standard !== 'berds', {
    path: ['standard'],
    error: () => l10n.t('DREAM holds passages to the strict standard; leave this or the preset out'),
  })
  .refine(({ preset, includeQuestion }) => preset !== 'dream' || includeQuestion !== false, {
    path: ['includeQuestion'],
    error: () => l10n.t('DREAM shows the question; leave this or the preset out'),
  })
  .refine(
    ({ agreement, agents }) => agreement === 'all' || (typeof agents !== 'string' && agents.length > 2),
    {
      path: ['agreement'],
      error: () => l10n.t('two agents have no majority; name at least three'),
    },
  )
  .transform((own) => ({
    ...own,
    standard: own.standard ?? (own.preset === 'dream' ? ('strict' as const) : ('berds' as const)),
    includeQuestion: own.includeQuestion ?? own.preset === 'dream',
  }))
  .describe(
    'Agents with opposing initial stances debate each pair; agreement decides, disagreement is escalated.',
  );

const filterSchema = z
  .strictObject({
    type: z.literal('filter'),
    judges: z
      .array(judgeName)
      .min(1)
      .max(8)
      .describe('Cheap judges, asked in this order. A pair is discarded when all of them say "no".'),
    then: judgeName.describe('Judges every pair that was not discarded.'),
  })
  .describe('Spares a costly judge the pairs that several cheap ones agree to discard.');

const nliSchema = z
  .strictObject({
    type: z.literal('nli'),
    path: z
      .string()
      .min(1)
      .describe(
        'Folder with model.onnx (or onnx/model.onnx), tokenizer.json and config.json, relative to parallax.json. A model that answers with the word 1 or 0, as TRUE does, has encoder_model.onnx and decoder_model.onnx.',
      ),
    file: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Model file within the folder, e.g. onnx/model_quantized.onnx, or encoder_model_quantized.onnx with its decoder beside it.',
      ),
    entailment: z
      .union([z.number().int().min(0), z.string().min(1)])
      .optional()
      .describe(
        'The class that means entailment, by number or by its name in config.json; the one that is called so when left out.',
      ),
    threshold: z
      .number()
      .min(0)
      .max(1)
      .default(0.5)
      .describe('Probability of entailment from which on the answer is "yes".'),
    calibration: z
      .string()
      .min(1)
      .optional()
      .describe(
        'File that "parallax judge calibrate --json" wrote, relative to parallax.json; its threshold counts instead.',
      ),
    maxTokens: z
      .number()
      .int()
      .min(8)
      .max(32_768)
      .default(512)
      .describe('Of passage and perspective together; longer passages are read in windows of sentences.'),
  })
  .describe(
    'A natural language inference model that runs on this machine: does the passage entail the perspective?',
  );

const laraSchema = z
  .strictObject({
    type: z.literal('lara'),
    judge: judgeName.describe(
      'The chat model that is asked, by its judge name; its endpoint has to give token probabilities (logprobs).',
    ),
    share: z
      .number()
      .min(0)
      .max(1)
      .describe('Up to this share of all pairs is escalated to you: those the model is least sure of.'),
    batch: z
      .number()
      .int()
      .min(1)
      .max(10_000)
      .default(32)
      .describe('So many pairs are answered before the most uncertain of them are escalated.'),
  })
  .describe(
    'A chat model whose confidence is calibrated on your labels as they arrive, and that escalates what it is least sure of.',
  );

export const judgeSchema = z.discriminatedUnion('type', [
  labelsSchema,
  lexicalSchema,
  openaiSchema,
  vscodeSchema,
  debateSchema,
  filterSchema,
  nliSchema,
  laraSchema,
]);
export type JudgeConfig = z.output<typeof judgeSchema>;
/** The configuration of one type of judge. */
export type JudgeConfigOf<T extends JudgeConfig['type']> = Extract<JudgeConfig, { type: T }>;
export type ChatJudgeConfig = JudgeConfigOf<'openai' | 'vscode'>;

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
