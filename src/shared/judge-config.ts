/**
 * The types of judges: their settings in `parallax.json`, and what is needed before one is asked. Their implementations
 * are in src/engine/judges.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../core/read.ts';
import { endpointUrl } from '../core/external/endpoint-url.ts';
import { promptTemplateSchema } from '../core/judging/prompts/template.ts';
import { endpointFields } from './endpoint-fields.ts';
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

const standard = z.enum(['berds', 'strict']).default('berds');
const judgeName = z.string().min(1);

/** How a chat model is asked to judge. */
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
    baseUrl: endpointUrl.default('https://api.openai.com/v1'),
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
      .enum(['dream'], { error: () => l10n.t`unknown preset; available: ${'dream'}` })
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
    error: () => l10n.t('DREAM uses the strict standard; leave this or the preset out'),
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
  .transform((settings) => ({
    ...settings,
    standard: settings.standard ?? (settings.preset === 'dream' ? ('strict' as const) : ('berds' as const)),
    includeQuestion: settings.includeQuestion ?? settings.preset === 'dream',
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
export type JudgeConfig = Read<typeof judgeSchema>;
/** The configuration of one type of judge. */
export type JudgeConfigOf<T extends JudgeConfig['type']> = Extract<JudgeConfig, { type: T }>;
export type ChatJudgeConfig = JudgeConfigOf<'openai' | 'vscode'>;

/** The cost of an answer: negligible, computing time on this machine, or paid requests. */
export type Expense = 'free' | 'computing' | 'paid';

/**
 * Who answers: people, who cannot be asked; a model; or shared words, which are a guess. A guess may suggest what to
 * label first but counts in no figure. Only the command line computes figures from guesses, if the judge is named, and
 * marks each of them.
 */
type AnsweredBy = 'people' | 'heuristic' | 'model';

interface Traits<C extends JudgeConfig> {
  readonly answeredBy: AnsweredBy;
  /** Whether it contacts or loads something that the workspace names, which requires trust. */
  readonly needsTrust: boolean;
  /** Whether it uses the editor's language models, so that it is not available on the command line. */
  readonly needsEditor: boolean;
  /** The chat model for other requests, such as perspectives: its own, another judge's (by name), or none. */
  readonly chatModel: C extends ChatJudgeConfig ? 'own' : 'none' | ((config: C) => string);
  /** What identifies its own model. Without it, the judge asks no model itself, or an unknown one. */
  readonly modelKey?: (config: C) => string | undefined;
  /** The names of all judges that it asks. */
  readonly asks?: (config: C) => readonly string[];
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
    modelKey: ({ baseUrl, model }) => `openai ${baseUrl} ${model}`,
    label: (name, { model }) => (sameWords(name, model) ? model : `${name} (${model})`),
  },
  vscode: {
    answeredBy: 'model',
    expense: 'paid',
    effort: (config, { workload, prices }) => chatEffort(pricedAs(config), formOf(config), workload, prices),
    needsTrust: true,
    needsEditor: true,
    chatModel: 'own',
    modelKey: ({ id }) => (id === undefined ? undefined : `vscode ${id}`),
    label: (name) => (name === 'vscode' ? l10n.t("The editor's language model") : l10n.t`${name} (editor)`),
  },
  debate: {
    answeredBy: 'model',
    expense: 'paid',
    effort: debateEffort,
    needsTrust: true,
    needsEditor: false,
    chatModel: (config) => agentsOf(config)[0]!,
    asks: ({ agents, adjudicator }) => [agents, adjudicator ?? []].flat(),
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
    asks: ({ judges, then }) => [...judges, then],
    label: (name, { then }) => l10n.t`${name} (filter, then ${then})`,
  },
  nli: {
    answeredBy: 'model',
    expense: 'computing',
    needsTrust: true,
    needsEditor: false,
    chatModel: 'none',
    modelKey: ({ path, file }) => `nli ${path} ${file ?? ''}`,
    label: (name) => `${name} (NLI)`,
  },
  lara: {
    answeredBy: 'model',
    expense: 'paid',
    effort: ({ judge }, { effortOf }) => effortOf(judge),
    needsTrust: true,
    needsEditor: false,
    chatModel: ({ judge }) => judge,
    asks: ({ judge }) => [judge],
    label: (name, { judge }) => l10n.t`${name} (${judge}, least sure to you)`,
  },
};

/** The type of a judge's configuration. */
export function judgeTypeOf<C extends JudgeConfig>({ type }: C): JudgeType<C> {
  return JUDGE_TYPES[type] as JudgeType<C>;
}

/** The names of a debate's agents, at least two. A single name debates with itself. */
export function agentsOf({ agents }: JudgeConfigOf<'debate'>): readonly string[] {
  return typeof agents === 'string' ? [agents, agents] : agents;
}

function debateLabel(name: string, { preset }: JudgeConfigOf<'debate'>): string {
  if (preset === 'dream') return name === 'dream' ? 'DREAM' : l10n.t`${name} (DREAM)`;
  return name === 'debate' ? l10n.t('Debate') : l10n.t`${name} (debate)`;
}

export function isChatJudge(config: JudgeConfig): config is ChatJudgeConfig {
  return judgeTypeOf(config).chatModel === 'own';
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
