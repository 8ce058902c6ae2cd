/** `--align-measure` and `--align-threshold`: the condition under which retrieval counts as successful for RAGAlign. */
import { retrievalSuccess, type RetrievalSuccess } from '../../../core/metrics/retrieval-success.ts';
import { ParallaxError } from '../../../core/errors.ts';
import { UsageError } from '../../../cli/presentation/terminal.ts';

export const ALIGN_OPTIONS = {
  'align-measure': {
    type: 'string',
    help: 'a measure of retrieval for one more column of RAGAlign, such as Hit@5 or nDCG@5, with a cutoff up to --k',
  },
  'align-threshold': {
    type: 'string',
    help: 'with --align-measure, from which value on retrieval succeeded; MRecall and Hit are yes or no and need none',
  },
} as const;

export interface AlignValues {
  readonly 'align-measure'?: string | undefined;
  readonly 'align-threshold'?: string | undefined;
}

/**
 * @param k number of passages that an answer is written from
 * @throws UsageError for a measure that cannot define success, and for a missing or meaningless threshold
 */
export function readAlignment(values: AlignValues, k: number): RetrievalSuccess | undefined {
  const { 'align-measure': measure, 'align-threshold': threshold } = values;
  if (measure === undefined) {
    if (threshold !== undefined) throw new UsageError('--align-threshold needs an --align-measure.');
    return undefined;
  }
  const least = threshold === undefined ? undefined : Number(threshold);
  if (threshold?.trim() === '' || Number.isNaN(least))
    throw new UsageError(`--align-threshold is a number such as 0.5, not "${threshold}".`);
  try {
    return retrievalSuccess(measure, least, k);
  } catch (error) {
    if (!ParallaxError.is(error, 'bad-argument')) throw error;
    throw new UsageError(`--align-measure: ${error.message}`);
  }
}
