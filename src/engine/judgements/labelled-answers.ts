/** People's verdicts on pairs that a judge answered, which calibrate its confidence. */
import type { LabelIndex } from '../../core/formats/label-index.ts';
import { textHash } from '../text-sums.ts';
import type { JudgementCache } from './judgement-cache.ts';

/** A judge's stored answer, and people's label of the same pair. */
export interface LabelledAnswer {
  /** The stored value, before any calibration. */
  readonly confidence: number;
  readonly positive: boolean;
  /** Text of the perspective. */
  readonly perspective: string;
}

/** The source of labels of single passages. Each reading may return new labels. */
export interface LabelSource {
  read(): Promise<Pick<LabelIndex, 'labelledPassages'>>;
}

export class LabelledAnswers {
  readonly #labels: LabelSource;
  readonly #cache: JudgementCache;

  constructor(labels: LabelSource, cache: JudgementCache) {
    this.#labels = labels;
    this.#cache = cache;
  }

  /**
   * Pairs with a certain label and a confidence of the judge, in no particular order. Only labels of single passages
   * count, as people give them in Parallax.
   *
   * @param judgeKey of a judge whose answers do not depend on the question
   * @param standard the judge's; labels under another one are left out
   */
  async of(judgeKey: string, standard?: string): Promise<LabelledAnswer[]> {
    const labelled = (await this.#labels.read())
      .labelledPassages(standard)
      .filter(({ verdict }) => verdict !== 'unsure');
    const keys = labelled.map(({ hash, perspectiveText }) => ({
      passageHash: hash,
      perspectiveHash: textHash(perspectiveText),
    }));
    return this.#cache.underAnyTitle(judgeKey, keys).flatMap((answer, i) => {
      const confidence = answer?.judgement.confidence;
      const { verdict, perspectiveText } = labelled[i]!;
      return confidence === undefined
        ? []
        : [{ confidence, positive: verdict === 'yes', perspective: perspectiveText }];
    });
  }
}
