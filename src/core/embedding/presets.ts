/**
 * Settings of well-known encoders, taken from their authors' code, as the weights do not contain them. Wrong pooling or
 * scaling costs more than the choice between two models.
 */
import type { Pooling } from './pooling.ts';

/** How texts become vectors, apart from the model. */
export interface EncoderSettings {
  readonly pooling: Pooling;
  /** Including special tokens. Longer texts are cut. */
  readonly maxTokens: number;
  /** Prepended unchanged to every query. */
  readonly queryPrefix: string;
  /** Prepended unchanged to every passage. */
  readonly passagePrefix: string;
  /** Whether the prefix's tokens are part of the mean. */
  readonly poolPrefix: boolean;
  /** Whether vectors are scaled to length 1. Otherwise they are compared by inner product. */
  readonly normalize: boolean;
}

/** The settings of an encoder without a preset. */
export const PLAIN_ENCODER: EncoderSettings = {
  pooling: 'mean',
  maxTokens: 256,
  queryPrefix: '',
  passagePrefix: '',
  poolPrefix: true,
  normalize: true,
};

/** Izacard et al. 2022: the mean of all tokens, compared by inner product. */
const CONTRIEVER = { maxTokens: 512, normalize: false };

const WITH_RETRIEVAL_PROMPT = {
  pooling: 'cls',
  maxTokens: 512,
  queryPrefix: 'Represent this sentence for searching relevant passages: ',
} as const;

/** Differences from {@link PLAIN_ENCODER}, by the name of the preset. */
const DIFFERENCES = {
  contriever: CONTRIEVER,
  'contriever-msmarco': CONTRIEVER,
  /** Gao et al. 2021, supervised: the first token after its trained layer, the pooler of the graph. */
  simcse: { pooling: 'pooler', maxTokens: 512 },
  /** Unsupervised: the authors drop that layer after training. */
  'simcse-unsup': { pooling: 'cls', maxTokens: 512 },
  /** Karpukhin et al. 2020. Queries have a separate encoder. */
  dpr: { pooling: 'cls', maxTokens: 256, normalize: false },
  /** Hofstätter et al. 2021. */
  'tas-b': { pooling: 'cls', maxTokens: 512, normalize: false },
  /**
   * Lin et al. 2020: the mean after the first four tokens, [CLS] and the marker of query or passage. The authors pad
   * queries with [MASK] and omit the final [SEP]; neither is done here.
   */
  'tct-colbert': {
    maxTokens: 512,
    queryPrefix: '[Q] ',
    passagePrefix: '[D] ',
    poolPrefix: false,
    normalize: false,
  },
  'all-minilm': { maxTokens: 256 },
  bge: WITH_RETRIEVAL_PROMPT,
  'uae-large': WITH_RETRIEVAL_PROMPT,
  /** Su et al. 2023: the model reads the instruction, which is not part of the mean. */
  instructor: {
    maxTokens: 512,
    queryPrefix: 'Represent the question for retrieving supporting documents: ',
    passagePrefix: 'Represent the document for retrieval: ',
    poolPrefix: false,
  },
} satisfies Readonly<Record<string, Partial<EncoderSettings>>>;

export type EncoderPreset = keyof typeof DIFFERENCES;

/** Names of all presets in `parallax.json`. */
export const ENCODER_PRESETS = Object.keys(DIFFERENCES) as [EncoderPreset, ...EncoderPreset[]];

/**
 * All settings of an encoder: the user's, or else the preset's, or else {@link PLAIN_ENCODER}.
 *
 * @param settings the user's settings; undefined ones are ignored
 */
export function encoderSettings(
  preset: EncoderPreset | undefined,
  settings: { readonly [Field in keyof EncoderSettings]?: EncoderSettings[Field] | undefined },
): EncoderSettings {
  const known: EncoderSettings = { ...PLAIN_ENCODER, ...(preset && DIFFERENCES[preset]) };
  return {
    pooling: settings.pooling ?? known.pooling,
    maxTokens: settings.maxTokens ?? known.maxTokens,
    queryPrefix: settings.queryPrefix ?? known.queryPrefix,
    passagePrefix: settings.passagePrefix ?? known.passagePrefix,
    poolPrefix: settings.poolPrefix ?? known.poolPrefix,
    normalize: settings.normalize ?? known.normalize,
  };
}
