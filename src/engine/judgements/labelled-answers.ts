/** People's verdicts on pairs that a judge answered: its confidence is calibrated on them. */
import type { LabelIndex } from '../../core/formats/label-index.ts';
import { textHash } from '../text-sums.ts';
import type { JudgementCache } from './judgement-cache.ts';

/** A judge's stored answer, and what people say of the same pair. */
export interface LabelledAnswer {
  /** As it was stored, not as it is read. */
  readonly confidence: number;
  readonly positive: boolean;
  /** Text of the perspective. */
  readonly perspective: string;
}

/** Where labels of single passages come from; a new label may be there with every reading. */
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
   * Pairs on which people are sure and the judge gave a confidence; in no particular order. Only labels of
   * single passages count, as they are given in the product.
   *
   * @param judgeKey of a judge whose answers do not depend on the question
   * @param standard the judge's; labels given under another one are left out
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
