/** The end of a sentence that stands inside another. */

/** The sentence as it stands before a colon or a bracket: without a full stop of its own. */
export function withoutFullStop(sentence: string): string {
  return sentence.replace(/(?<!\.)[.。]\s*$/u, '');
}
