/** Labels of the pairs that a judge hands to people, known from then on: a validation has them all beforehand. */
import type { LabelledByHash } from '../../core/formats/label-index.ts';
import type { ReferencePair } from '../../core/validation/reference-set.ts';
import type { LabelSource } from '../judgements/labelled-answers.ts';
import { textHash } from '../text-sums.ts';

export class LabelsAsTheyCome implements LabelSource {
  readonly #before: LabelSource;
  readonly #given: LabelledByHash[] = [];

  /** @param before labels that there were before the validation, none of them of its own pairs */
  constructor(before: LabelSource) {
    this.#before = before;
  }

  /** A person answers; a pair on which people are not sure stays without an answer. */
  answer({ passage, perspective, verdict }: ReferencePair): void {
    if (verdict === 'yes' || verdict === 'no')
      this.#given.push({ hash: textHash(passage), perspectiveText: perspective, verdict });
  }

  async read(): ReturnType<LabelSource['read']> {
    const before = await this.#before.read();
    return { labelledPassages: (standard) => [...before.labelledPassages(standard), ...this.#given] };
  }
}
