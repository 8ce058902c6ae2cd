/**
 * SentencePiece's unigram segmentation (Kudo 2018, arXiv:1804.10959): the most probable segmentation of a text into
 * pieces of a vocabulary. Returns the same ids as the tokenizer of `@energetic-ai/embeddings`, including ties.
 */

/** Replaces spaces, and precedes every text. */
const SPACE = '\u2581';
/** The id of a character without a piece. */
const UNKNOWN = 0;
/** A piece and its log probability. */
export type Piece = readonly [text: string, score: number];

export class UnigramTokenizer {
  readonly #scores: Float64Array;
  /** In code points. */
  readonly #lengths: Uint8Array;
  readonly #trie: Trie;

  /**
   * @param pieces by id
   * @param reserved the number of leading ids whose pieces cannot occur in texts
   */
  constructor(pieces: readonly Piece[], reserved: number) {
    this.#scores = Float64Array.from(pieces, ([, score]) => score);
    this.#lengths = Uint8Array.from(pieces, ([text]) => pointsOf(text).length);
    this.#lengths[UNKNOWN] = 1;
    this.#scores[UNKNOWN] = 0;
    this.#trie = new Trie(pieces.map(([text]) => pointsOf(text)).slice(reserved), reserved);
  }

  /**
   * @param text any text; it is normalised to NFKC
   * @returns ids of the pieces, with consecutive unknown characters as one id; empty for an empty text
   */
  encode(text: string): number[] {
    const points = pointsOf(normalised(text));
    const last = this.#lastPieces(points);
    const ids: number[] = [];
    for (let end = points.length; end > 0; end -= this.#lengths[last[end]!]!) {
      const id = last[end]!;
      if (id !== UNKNOWN || ids.at(-1) !== UNKNOWN) ids.push(id);
    }
    return ids.reverse();
  }

  /** The last piece of the most probable segmentation of every prefix of a text, [length + 1]. */
  #lastPieces(points: Uint32Array): Uint16Array {
    const trie = this.#trie;
    const best = new Float64Array(points.length + 1);
    const last = new Uint16Array(points.length + 1);
    const offer = (id: number, start: number, end: number): void => {
      const score = this.#scores[id]! + best[start]!;
      // A score of 0 counts as unset, as in the original.
      if (best[end] !== 0 && score < best[end]!) return;
      best[end] = score;
      last[end] = id;
    };
    for (let start = 0; start < points.length; start++) {
      let isKnown = false;
      let node = trie.next(ROOT, points[start]!);
      for (let end = start + 1; node !== ROOT; node = trie.next(node, points[end++] ?? NO_POINT)) {
        const id = trie.pieceAt(node);
        if (id === UNKNOWN) continue;
        offer(id, start, end);
        isKnown = true;
      }
      if (!isKnown) offer(UNKNOWN, start, start + 1);
    }
    return last;
  }
}

const ROOT = 0;
/** Above all code points, which are below 0x110000. */
const NO_POINT = 0x1fffff;

/** Pieces as a trie in one hash table. A text of a thousand characters needs five thousand look-ups. */
class Trie {
  /** Pairs of a key, made of node and code point, and the next node; 0 if there is none. */
  readonly #table: Float64Array;
  readonly #mask: number;
  readonly #pieces: number[] = [UNKNOWN];

  constructor(pieces: readonly Uint32Array[], firstId: number) {
    const most = pieces.reduce((sum, { length }) => sum + length, 1);
    const slots = 2 ** Math.ceil(Math.log2(2 * most));
    this.#mask = slots - 1;
    this.#table = new Float64Array(2 * slots);
    pieces.forEach((points, index) => this.#insert(points, firstId + index));
  }

  /** @returns {@link ROOT} if there is none */
  next(node: number, point: number): number {
    return this.#table[2 * this.#slotOf(node, point) + 1]!;
  }

  /** @returns {@link UNKNOWN} if there is none */
  pieceAt(node: number): number {
    return this.#pieces[node]!;
  }

  #insert(points: Uint32Array, id: number): void {
    let node = ROOT;
    for (const point of points) {
      const slot = this.#slotOf(node, point);
      if (this.#table[2 * slot + 1] === ROOT) {
        this.#table[2 * slot] = keyOf(node, point);
        this.#table[2 * slot + 1] = this.#pieces.push(UNKNOWN) - 1;
      }
      node = this.#table[2 * slot + 1]!;
    }
    this.#pieces[node] = id;
  }

  /** The slot of the pair, or the free one for it. */
  #slotOf(node: number, point: number): number {
    const key = keyOf(node, point);
    let slot = (Math.imul(node, 0x9e3779b1) ^ Math.imul(point, 0x85ebca6b)) >>> 7;
    for (slot &= this.#mask; this.#table[2 * slot + 1] !== ROOT; slot = (slot + 1) & this.#mask)
      if (this.#table[2 * slot] === key) return slot;
    return slot;
  }
}

const keyOf = (node: number, point: number): number => node * 0x200000 + point;

function normalised(text: string): string {
  const normal = text.normalize('NFKC');
  return normal === '' ? '' : (SPACE + normal).replaceAll(' ', SPACE);
}

/** Lone surrogates count as code points. */
function pointsOf(text: string): Uint32Array {
  const points = new Uint32Array(text.length);
  let count = 0;
  for (let at = 0; at < text.length; count++) {
    const point = text.codePointAt(at)!;
    points[count] = point;
    at += point > 0xffff ? 2 : 1;
  }
  return points.subarray(0, count);
}
