/** The words of a text, without a look at its syntax. */

/** Everything beyond ASCII counts as part of a word: names may be written in any script. */
const WORD = /[\w$\u0080-\uffff]+/gu;

const NOWHERE: readonly number[] = [];

/** Where each word of a text stands, in ascending order; one pass, for the many names that are asked for. */
export class Words {
  /** Words that were asked for. */
  readonly asked = new Set<string>();
  private readonly text: string;
  private readonly positions = new Map<string, number[]>();

  constructor(text: string) {
    this.text = text;
    for (const match of text.matchAll(WORD)) {
      const known = this.positions.get(match[0]);
      if (known) known.push(match.index);
      else this.positions.set(match[0], [match.index]);
    }
  }

  /** A private name of JavaScript comes with its `#`. */
  of(word: string): readonly number[] {
    this.asked.add(word);
    if (!word.startsWith('#')) return this.positions.get(word) ?? NOWHERE;
    return this.of(word.slice(1)).flatMap((at) => (this.text[at - 1] === '#' ? [at - 1] : []));
  }
}

/** The words of a text, in their order. */
export function wordsIn(text: string): readonly string[] {
  return text.match(WORD) ?? [];
}

/** Whether any of the words stands in the text as a whole word. */
export function hasWord(text: string, words: readonly string[]): boolean {
  const found = new Set(text.match(WORD));
  return words.some((word) => found.has(word));
}
