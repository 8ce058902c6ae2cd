/**
 * Labels of the pairs that a judge leaves to people, available from then on. A validation has all of them in advance.
 */
import type { LabelledByHash } from '../../../core/formats/label-index.ts';
import type { ReferencePair } from '../core/reference-set.ts';
import type { LabelSource } from '../../../engine/judgements/labelled-answers.ts';
import { textHash } from '../../../engine/text-sums.ts';

export class LabelsAsTheyCome implements LabelSource {
  readonly #before: LabelSource;
  readonly #given: LabelledByHash[] = [];

  /** @param before labels from before the validation, without its pairs */
  constructor(before: LabelSource) {
    this.#before = before;
  }

  /** Adds a person's answer. A pair on which people are unsure stays without an answer. */
  answer({ passage, perspective, verdict }: ReferencePair): void {
    if (verdict === 'yes' || verdict === 'no')
      this.#given.push({ hash: textHash(passage), perspectiveText: perspective, verdict });
  }

  async read(): ReturnType<LabelSource['read']> {
    const before = await this.#before.read();
    return { labelledPassages: (standard) => [...before.labelledPassages(standard), ...this.#given] };
  }
}
