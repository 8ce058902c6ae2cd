/** The words of a file in a compact form that can be kept for every file of a workspace. */

const WORD = /[\w$\u0080-\uffff]+/gu;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

export class WordsOfFile {
  /** Ascending; 32 bits of each word (FNV-1a). */
  private readonly hashes: Uint32Array;

  constructor(text: string) {
    const words = new Set(text.match(WORD));
    this.hashes = new Uint32Array(new Set([...words].map(hash))).sort();
  }

  /** Never false for a word of the file; true for a given other word in about one of a million files. */
  has(word: string): boolean {
    const wordHash = hash(word);
    let low = 0;
    let high = this.hashes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.hashes[middle]! < wordHash) low = middle + 1;
      else high = middle;
    }
    return this.hashes[low] === wordHash;
  }
}

function hash(word: string): number {
  let value = FNV_OFFSET;
  for (let at = 0; at < word.length; at++) value = Math.imul(value ^ word.charCodeAt(at), FNV_PRIME);
  return value >>> 0;
}
