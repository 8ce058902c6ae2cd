/**
 * How well-known encoders are to be run, by name: what their authors' code does, which the weights alone do not say.
 * Wrong pooling, or a scale that the model was not trained for, costs more than the choice between two models.
 */
import type { Pooling } from './pooling.ts';

/** How texts become vectors, apart from the model itself. */
export interface EncoderSettings {
  readonly pooling: Pooling;
  /** Special tokens included; what is longer is cut. */
  readonly maxTokens: number;
  /** Before every query, as it stands. */
  readonly queryPrefix: string;
  /** Before every passage, as it stands. */
  readonly passagePrefix: string;
  /** Whether the tokens of a prefix are part of the mean. */
  readonly poolPrefix: boolean;
  /** Whether vectors are scaled to length 1; where not, they are compared by inner product. */
  readonly normalize: boolean;
}

/** The settings of an encoder that has no preset. */
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
  /** Gao et al. 2021, supervised: the first token behind its trained layer, which the graph calls its pooler. */
  simcse: { pooling: 'pooler', maxTokens: 512 },
  /** The same without supervision: its authors leave that layer out after training. */
  'simcse-unsup': { pooling: 'cls', maxTokens: 512 },
  /** Karpukhin et al. 2020; queries have an encoder of their own. */
  dpr: { pooling: 'cls', maxTokens: 256, normalize: false },
  /** Hofstätter et al. 2021. */
  'tas-b': { pooling: 'cls', maxTokens: 512, normalize: false },
  /**
   * Lin et al. 2020: the mean behind the first four tokens, [CLS] and the mark of query or passage. The authors fill
   * queries up with [MASK], and end texts without [SEP]; neither is done here.
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
  /** Su et al. 2023: the model reads the instruction, which is no part of the mean. */
  instructor: {
    maxTokens: 512,
    queryPrefix: 'Represent the question for retrieving supporting documents: ',
    passagePrefix: 'Represent the document for retrieval: ',
    poolPrefix: false,
  },
} satisfies Readonly<Record<string, Partial<EncoderSettings>>>;

export type EncoderPreset = keyof typeof DIFFERENCES;

/** Names of all presets, as they stand in `parallax.json`. */
export const ENCODER_PRESETS = Object.keys(DIFFERENCES) as [EncoderPreset, ...EncoderPreset[]];

/**
 * Every setting of an encoder: what the user gives, else what the preset says, else {@link PLAIN_ENCODER}.
 *
 * @param own what is undefined is not given
 */
export function encoderSettings(
  preset: EncoderPreset | undefined,
  own: { readonly [Field in keyof EncoderSettings]?: EncoderSettings[Field] | undefined },
): EncoderSettings {
  const known: EncoderSettings = { ...PLAIN_ENCODER, ...(preset && DIFFERENCES[preset]) };
  return {
    pooling: own.pooling ?? known.pooling,
    maxTokens: own.maxTokens ?? known.maxTokens,
    queryPrefix: own.queryPrefix ?? known.queryPrefix,
    passagePrefix: own.passagePrefix ?? known.passagePrefix,
    poolPrefix: own.poolPrefix ?? known.poolPrefix,
    normalize: own.normalize ?? known.normalize,
  };
}
