/**
 * The settings of Parallax with name, type, default and description. package.json is generated from this file (`node
 * scripts/contributions.ts`), and code that reads a setting gets its type from here.
 */
import { familiesShown } from '../../core/metrics/measures.ts';
import { isRecord } from '../../core/text/json.ts';

interface About {
  /** Position among the settings, from 1. */
  readonly order: number;
  readonly markdownDescription: string;
  /** `resource` if folders may differ. */
  readonly scope?: 'resource';
  /** Whether the value of an untrusted workspace is ignored, as it costs money or runs a program. */
  readonly restricted?: true;
}

interface Text extends About {
  readonly type: 'string';
  readonly default: string;
  /** Value → its description, if only some values are allowed. */
  readonly choices?: Readonly<Record<string, string>>;
}

interface Switch extends About {
  readonly type: 'boolean';
  readonly default: boolean;
}

interface Amount extends About {
  readonly type: 'number' | 'integer';
  readonly default: number;
  readonly minimum: number;
  readonly maximum?: number;
}

interface Selection extends About {
  readonly type: 'array';
  readonly default: readonly string[];
  readonly uniqueItems: true;
  readonly minItems?: number;
  readonly items: { readonly type: 'string'; readonly enum: readonly string[] };
}

/** A map of records with numeric fields. */
interface Table extends About {
  readonly type: 'object';
  readonly default: Readonly<Record<string, never>>;
  readonly additionalProperties: {
    readonly type: 'object';
    readonly required: readonly string[];
    readonly properties: Readonly<Record<string, { readonly type: 'number'; readonly minimum: number }>>;
    readonly additionalProperties: false;
  };
}

export type Setting = Text | Switch | Amount | Selection | Table;

export const SETTINGS = {
  'parallax.judge': {
    type: 'string',
    default: 'auto',
    scope: 'resource',
    order: 1,
    markdownDescription:
      "Who says which perspectives a passage supports: `auto` (the workspace's choice, else its first configured model, else human labels), `labels`, `vscode`, or the name of a judge from `parallax.json`.",
    restricted: true,
  },
  'parallax.autoJudge': {
    type: 'boolean',
    default: true,
    order: 2,
    markdownDescription:
      'Judge the retrieved passages after every search. A model behind an endpoint is then asked without further question as long as a search needs no more calls than `#parallax.confirmCallsAbove#`.',
    restricted: true,
  },
  'parallax.confirmCallsAbove': {
    type: 'number',
    default: 50,
    minimum: 0,
    order: 3,
    markdownDescription: 'Ask before a run that may need more model calls than this.',
    restricted: true,
  },
  'parallax.requestBudget': {
    type: 'integer',
    default: 0,
    minimum: 0,
    order: 3,
    markdownDescription:
      'Judging, and a comparison of pipelines that ask a model, stop after this many requests to chat models and continue from there the next time. 0 means no limit. Requests for embeddings count only in tool calls of agents; setting up search by meaning announces them.',
    restricted: true,
  },
  'parallax.lookDeeper.passages': {
    type: 'integer',
    default: 30,
    minimum: 1,
    maximum: 100,
    order: 3,
    markdownDescription:
      'How many passages a judge is asked about at most when you look deeper for a perspective that is missing. It stops at the first one that supports it.',
    restricted: true,
  },
  'parallax.suggestPerspectives.from': {
    type: 'string',
    default: 'passages',
    order: 3,
    choices: {
      passages: 'The question and the passages found for it, those that differ most first.',
      question: 'The question alone, as in BERDS.',
    },
    markdownDescription: 'What a model sees when it suggests perspectives.',
    restricted: true,
  },
  'parallax.suggestPerspectives.count': {
    type: 'integer',
    default: 6,
    minimum: 1,
    maximum: 16,
    order: 3,
    markdownDescription: 'How many perspectives a model suggests at most.',
    restricted: true,
  },
  'parallax.prices': {
    type: 'object',
    default: {},
    order: 3,
    additionalProperties: {
      type: 'object',
      required: ['input', 'output'],
      properties: { input: { type: 'number', minimum: 0 }, output: { type: 'number', minimum: 0 } },
      additionalProperties: false,
    },
    markdownDescription:
      'Price per million tokens by model, in your currency, to say what a run will cost: `{"gpt-4o-mini": {"input": 0.15, "output": 0.6}}`.',
    restricted: true,
  },
  'parallax.autoIndex': {
    type: 'boolean',
    default: true,
    order: 4,
    markdownDescription: 'Keep an existing index up to date when files change on disk.',
  },
  'parallax.approximateAbove': {
    type: 'number',
    default: 200000,
    minimum: 0,
    order: 5,
    markdownDescription:
      'From this many passages on, the side panel searches by an approximate index (HNSW), built in the background. Comparisons, evaluations and gates always search exactly, unless a pipeline says `"search": "approximate"`.',
    restricted: true,
  },
  'parallax.inspector.historySize': {
    type: 'number',
    default: 50,
    minimum: 0,
    maximum: 1000,
    order: 6,
    markdownDescription: 'How many questions the panel remembers.',
  },
  'parallax.inline.display': {
    type: 'string',
    default: 'codeLens',
    order: 7,
    choices: {
      codeLens: 'Above the call, one lens per figure; see also editor.codeLens.',
      compactHint:
        'The first figure as a short hint at the end of the line; see also editor.inlayHints.enabled.',
      endOfLine: 'All figures at the end of the line.',
      off: 'Nothing beside the code.',
    },
    markdownDescription: 'Where the figures of a call that retrieves are shown.',
  },
  'parallax.inline.metrics': {
    type: 'array',
    default: ['MRecall', 'Precision'],
    order: 8,
    uniqueItems: true,
    minItems: 1,
    items: { type: 'string', enum: familiesShown('beside-calls') },
    markdownDescription: "Which figures are shown beside a call, at the call's own k.",
  },
  'parallax.testing.runOnSave': {
    type: 'boolean',
    default: false,
    order: 9,
    markdownDescription:
      'Evaluate all eval sets of the workspace whenever `parallax.json`, an eval set, labels or a document of a corpus is saved. No model is asked.',
    restricted: true,
  },
  'parallax.diagnostics.disabled': {
    type: 'array',
    default: [],
    order: 9,
    uniqueItems: true,
    items: {
      type: 'string',
      enum: [
        'qdrant-mmr-pool',
        'opensearch-mmr-pool',
        'elasticsearch-mmr-window',
        'fetch-k-not-above-k',
        'mmr-argument-without-mmr',
        'langchain-ignored-argument',
        'langchain-unknown-k',
        'langchain-threshold-missing',
        'langchain-threshold-without-type',
        'langchain-filter-after-fetching',
        'langchain-inverted-lambda',
        'reranker-without-choice',
        'k-above-bound',
        'candidates-below-k',
        'langchainjs-unknown-search-kwarg',
        'llamaindex-ignored-argument',
        'replaced-call',
        'comment-not-understood',
      ],
    },
    markdownDescription: 'Checks of retrieval calls to switch off.',
  },
  'parallax.mcp.enabled': {
    type: 'boolean',
    default: false,
    order: 10,
    markdownDescription:
      'Also offer the agent tools as an MCP server, for agents that cannot use the tools of an extension. The server uses the `parallax.json` of a trusted workspace, has no API keys and calls no models: only labels and stored judgements count.',
    restricted: true,
  },
} as const satisfies Record<`parallax.${string}`, Setting>;
export type SettingKey = keyof typeof SETTINGS;

/** The type of a setting's value in code. */
export type SettingValue<Key extends SettingKey> = ValueOf<(typeof SETTINGS)[Key]>;

/**
 * Validates a setting as written by the user, which the editor does not do. Invalid entries of lists and tables are
 * dropped; other invalid values count as unset.
 */
export function settingValue<Key extends SettingKey>(key: Key, written: unknown): SettingValue<Key> {
  const setting: Setting = SETTINGS[key];
  return (fitting(setting, written) ?? setting.default) as SettingValue<Key>;
}

function fitting(setting: Setting, written: unknown): unknown {
  switch (setting.type) {
    case 'string': {
      const isChoice = setting.choices === undefined || Object.hasOwn(setting.choices, String(written));
      return typeof written === 'string' && isChoice ? written : undefined;
    }
    case 'boolean':
      return typeof written === 'boolean' ? written : undefined;
    case 'number':
    case 'integer':
      return isAmount(written, setting) ? written : undefined;
    case 'array':
      return selected(written, setting);
    case 'object':
      return isRecord(written)
        ? Object.fromEntries(Object.entries(written).filter(([, row]) => isRow(row, setting)))
        : undefined;
  }
}

function isAmount(
  written: unknown,
  { type, minimum, maximum = Infinity }: Pick<Amount, 'type' | 'minimum' | 'maximum'>,
): boolean {
  if (typeof written !== 'number' || (type === 'integer' && !Number.isInteger(written))) return false;
  return written >= minimum && written <= maximum;
}

function selected(written: unknown, { items, minItems = 0 }: Selection): readonly string[] | undefined {
  if (!Array.isArray(written)) return undefined;
  // The user's order is the order of figures beside a call.
  const known = written.filter((item: unknown) => items.enum.includes(item as string)) as string[];
  return known.length < minItems ? undefined : known;
}

function isRow(row: unknown, { additionalProperties: { required, properties } }: Table): boolean {
  return isRecord(row) && required.every((field) => isAmount(row[field], properties[field]!));
}

type ValueOf<S extends Setting> = S extends { readonly choices: infer Choices }
  ? keyof Choices
  : S extends Text
    ? string
    : S extends Switch
      ? boolean
      : S extends Amount
        ? number
        : S extends Selection
          ? readonly S['items']['enum'][number][]
          : S extends Table
            ? Readonly<Record<string, RecordOf<S>>>
            : never;

type RecordOf<S extends Table> = {
  readonly [Field in keyof S['additionalProperties']['properties']]: number;
};
