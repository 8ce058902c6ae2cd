/** The words of a text, found without parsing. */

/** All characters beyond ASCII count as part of a word, because names may be in any script. */
const WORD = /[\w$\u0080-\uffff]+/gu;
/** The ASCII characters of words. */
const OF_WORDS = Array.from({ length: 128 }, (_, code) => /[\w$]/u.test(String.fromCharCode(code)));

/** Characters of two code units, such as emoji, are no part of a word. */
function isPartOfWord(code: number): boolean {
  return code < 128 ? OF_WORDS[code] === true : code < 0xd800 || code > 0xdfff;
}

/**
 * A loop instead of a regular expression, because every program of a workspace is scanned and each word would create a
 * match object.
 */
function eachWord(text: string, from: number, to: number, take: (word: string, at: number) => void): void {
  for (let at = from; at < to; at++) {
    if (!isPartOfWord(text.charCodeAt(at))) continue;
    const start = at;
    while (at < to && isPartOfWord(text.charCodeAt(at))) at++;
    take(text.slice(start, at), start);
  }
}

const NOWHERE: readonly number[] = [];

/** The positions of each word in a text, ascending. */
function positionsIn(text: string): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  eachWord(text, 0, text.length, (word, at) => {
    const places = positions.get(word);
    if (places) places.push(at);
    else positions.set(word, [at]);
  });
  return positions;
}

/** The words of a text by position. */
export class Words {
  private readonly text: string;
  private readonly positions: ReadonlyMap<string, readonly number[]>;
  private calledWords: readonly string[] | undefined;

  constructor(text: string) {
    this.text = text;
    this.positions = positionsIn(text);
  }

  /** A private name in JavaScript includes its `#`. */
  of(word: string): readonly number[] {
    if (word.startsWith('#'))
      return this.of(word.slice(1)).flatMap((at) => (this.text[at - 1] === '#' ? [at - 1] : []));
    return this.positions.get(word) ?? NOWHERE;
  }

  /** The positions of the word after which the sticky expression matches. */
  followedBy(word: string, what: RegExp): readonly number[] {
    return this.of(word).filter((at) => {
      what.lastIndex = at + word.length;
      return what.test(this.text);
    });
  }

  /** Words directly followed by a parenthesis, in alphabetical order. */
  get called(): readonly string[] {
    return (this.calledWords ??= [...this.positions]
      .filter(
        ([word, places]) => !/^\d/u.test(word) && places.some((at) => this.text[at + word.length] === '('),
      )
      .map(([word]) => word)
      .toSorted());
  }
}

/** Whether any of the words occurs in the text as a whole word. */
export function hasWord(text: string, words: readonly string[]): boolean {
  const textWords = new Set(text.match(WORD));
  return words.some((word) => textWords.has(word));
}
