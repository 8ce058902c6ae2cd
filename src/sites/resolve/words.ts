/** The words of a text, without a look at its syntax. */
import type { Change } from '../parsing.ts';
import { read, type Edits, type Readable } from '../syntax/reading.ts';

/** Everything beyond ASCII counts as part of a word: names may be written in any script. */
const WORD = /[\w$\u0080-\uffff]+/gu;
/** The signs of ASCII that words are made of. */
const OF_WORDS = Array.from({ length: 128 }, (_, code) => /[\w$]/u.test(String.fromCharCode(code)));

/** Signs that take two code units, such as emoji, are no part of a word. */
function isPartOfWord(code: number): boolean {
  return code < 128 ? OF_WORDS[code] === true : code < 0xd800 || code > 0xdfff;
}

/** Goes through the signs by hand: every program of a workspace is gone through, and matches would be made for each word. */
function eachWord(text: string, from: number, to: number, take: (word: string, at: number) => void): void {
  for (let at = from; at < to; at++) {
    if (!isPartOfWord(text.charCodeAt(at))) continue;
    const start = at;
    while (at < to && isPartOfWord(text.charCodeAt(at))) at++;
    take(text.slice(start, at), start);
  }
}

const NOWHERE: readonly number[] = [];

/** Where each word of a text stands, in ascending order; one pass, for the many names that are asked for. */
export function positionsIn(text: string): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  eachWord(text, 0, text.length, (word, at) => {
    const places = positions.get(word);
    if (places) places.push(at);
    else positions.set(word, [at]);
  });
  return positions;
}

/** The words of a text from one edit to the next. */
export class Words {
  private readonly edits: Edits;
  private text: string;
  private readonly positions: Map<string, number[]>;
  /** Read by whoever asks which words are called. */
  private readonly calls: Readable = { changedAt: 0 };
  private calledNow: readonly string[] | undefined;
  /** By the words that were asked for. */
  private readonly asked = new Map<string, Readable>();
  /** By the words of which was asked, too, what stands between them and the next one. */
  private readonly behind = new Map<string, Readable>();

  /** @param positions of the text, if they are known; they are kept up to date here */
  constructor(text: string, edits: Edits, positions = positionsIn(text)) {
    this.edits = edits;
    this.text = text;
    this.positions = positions;
  }

  /** A private name of JavaScript comes with its `#`. */
  of(word: string): readonly number[] {
    if (word.startsWith('#'))
      return this.of(word.slice(1)).flatMap((at) => (this.text[at - 1] === '#' ? [at - 1] : []));
    read(readable(this.asked, word));
    return this.positions.get(word) ?? NOWHERE;
  }

  /** Those places of the word at which the expression, which is sticky and knows no words, matches what stands behind it. */
  followedBy(word: string, what: RegExp): readonly number[] {
    read(readable(this.behind, word.replace(/^#/u, '')));
    return this.of(word).filter((at) => {
      what.lastIndex = at + word.length;
      return what.test(this.text);
    });
  }

  /** Words that a parenthesis follows at once, in the order of the alphabet. */
  get called(): readonly string[] {
    read(this.calls);
    return (this.calledNow ??= [...this.positions]
      .filter(
        ([word, places]) => !/^\d/u.test(word) && places.some((at) => this.text[at + word.length] === '('),
      )
      .map(([word]) => word)
      .toSorted());
  }

  /** Takes over a change of the text. */
  edit(text: string, { start, oldEnd, newEnd }: Change): void {
    const before = this.text;
    let from = start;
    while (from > 0 && isPartOfWord(before.charCodeAt(from - 1))) from--;
    let to = oldEnd;
    while (to < before.length && isPartOfWord(before.charCodeAt(to))) to++;
    const by = newEnd - oldEnd;
    eachWord(before, from, to, (word) => this.take(word, from, to));
    this.positions.forEach((places) => {
      for (let i = places.length - 1; i >= 0 && places[i]! >= to; i--) places[i]! += by;
    });
    this.text = text;
    // The name of a call stands before a parenthesis: before the change, within it, or right behind.
    if (callsIn(before, start, to) !== callsIn(text, start, to + by)) {
      this.calls.changedAt = this.edits.now;
      this.calledNow = undefined;
    }
    this.changedBehind(from);
    eachWord(text, from, to + by, (word, at) => this.add(word, at));
  }

  private take(word: string, from: number, to: number): void {
    const left = this.positions.get(word)?.filter((at) => at < from || at >= to) ?? [];
    if (left.length > 0) this.positions.set(word, left);
    else this.positions.delete(word);
    this.changed(word);
  }

  private add(word: string, at: number): void {
    const places = this.positions.get(word);
    if (!places) this.positions.set(word, [at]);
    else if (places.at(-1)! < at) places.push(at);
    else
      places.splice(
        places.findIndex((each) => each > at),
        0,
        at,
      );
    this.changed(word);
  }

  private changed(word: string): void {
    for (const known of [this.asked, this.behind]) {
      const asked = known.get(word);
      if (asked) asked.changedAt = this.edits.now;
    }
  }

  /** The text behind the last word before the place is another now. */
  private changedBehind(place: number): void {
    let end = place;
    while (end > 0 && !isPartOfWord(this.text.charCodeAt(end - 1))) end--;
    let start = end;
    while (start > 0 && isPartOfWord(this.text.charCodeAt(start - 1))) start--;
    const asked = this.behind.get(this.text.slice(start, end));
    if (asked) asked.changedAt = this.edits.now;
  }
}

const CALLED = /(?<![\w$\u0080-\ud7ff\ue000-\uffff])[\w$\u0080-\ud7ff\ue000-\uffff]+\(/gu;

/** The words that are called in a stretch of the text, whole where they only reach into it. */
function callsIn(text: string, start: number, end: number): string {
  let from = start;
  while (from > 0 && isPartOfWord(text.charCodeAt(from - 1))) from--;
  return (
    text
      .slice(from, end + 1)
      .match(CALLED)
      ?.join(' ') ?? ''
  );
}

function readable(known: Map<string, Readable>, word: string): Readable {
  let found = known.get(word);
  if (!found) known.set(word, (found = { changedAt: 0 }));
  return found;
}

/** Whether any of the words stands in the text as a whole word. */
export function hasWord(text: string, words: readonly string[]): boolean {
  const found = new Set(text.match(WORD));
  return words.some((word) => found.has(word));
}
