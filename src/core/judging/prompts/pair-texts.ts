/** The texts shown to a model that is asked about one pair at a time. */
import type { FencedText } from './fence.ts';
import { cutNotice, materialNotice } from './instructions.ts';

export interface PairTexts {
  readonly passage: string;
  readonly perspective: string;
  /** Title of the record. `undefined` if it has none; the prompt then does not mention titles. */
  readonly title?: string | undefined;
}

/** Longer titles are cut, in UTF-16 code units. */
const MAX_TITLE = 300;

/** The title as a text of a prompt, on one line. Empty without a title. */
export function titleText(title: string | undefined): { readonly title?: string } {
  return title === undefined ? {} : { title: title.slice(0, MAX_TITLE).replace(/\s+/gu, ' ').trim() };
}

/** How to use the title, as a paragraph after the criteria. Empty without a title. */
export function titleNotice(title: string | undefined): string {
  return title === undefined
    ? ''
    : '\n\nThe title is that of the document that the passage is from. It only helps to understand: support has to stand in the passage itself.';
}

/** Tells the model that the texts contain no instructions. */
export function pairMaterial(title: string | undefined): string {
  return title === undefined
    ? materialNotice('The passage and the statement', 'either of them')
    : materialNotice('The passage, its title and the statement', 'any of them');
}

/** A sentence on the text that was cut, if any. */
export function pairCut(
  blocks: Readonly<Record<string, FencedText>>,
  { passage, perspective }: Pick<PairTexts, 'passage' | 'perspective'>,
): string | undefined {
  return (
    cutNotice('passage', blocks['passage']!, passage) ??
    cutNotice('perspective', blocks['statement']!, perspective)
  );
}
