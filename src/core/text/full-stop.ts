/** Sentences inside other sentences. */

/** The sentence without its full stop, to be followed by a colon or a bracket. */
export function withoutFullStop(sentence: string): string {
  return sentence.replace(/(?<!\.)[.。]\s*$/u, '');
}
