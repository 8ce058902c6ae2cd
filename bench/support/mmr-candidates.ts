/** Candidate lists for MMR, and a literal implementation of its definition. */
import type { Random } from './random.ts';

const TOPICS = 8;

/** `falling`: from 1 to 0.4, like BM25. `level`: 1 to 0.95, which saves fewer comparisons. */
export type Spread = 'falling' | 'level';

export interface Candidates {
  /** [n], falling */
  readonly relevance: readonly number[];
  /** [n, d] */
  readonly vectors: Float32Array;
}

/** Passages around a few topics, like the candidates of one question. */
export function makeCandidates(
  random: Random,
  count: number,
  dimensions: number,
  spread: Spread,
): Candidates {
  const vector = (): Float32Array => Float32Array.from({ length: dimensions }, () => random() - 0.5);
  const topics = Array.from({ length: TOPICS }, vector);
  const vectors = new Float32Array(count * dimensions);
  for (let row = 0; row < count; row++) {
    const topic = topics[Math.floor(random() * TOPICS)]!;
    const own = vector();
    vectors.set(
      own.map((value, i) => value + topic[i]!),
      row * dimensions,
    );
  }
  const least = spread === 'falling' ? 0.4 : 0.95;
  const relevance = Array.from({ length: count }, () => least + (1 - least) * random() ** 3);
  return { relevance: relevance.sort((a, b) => b - a), vectors };
}

/** Recomputes every similarity at every rank, with both lengths. */
export function naiveMmr({ relevance, vectors }: Candidates, lambda: number, k: number): number[] {
  const count = relevance.length;
  const dimensions = vectors.length / count;
  const cosine = (a: number, b: number): number => {
    let [ab, aa, bb] = [0, 0, 0];
    for (let x = a * dimensions, y = b * dimensions, i = 0; i < dimensions; i++, x++, y++) {
      ab += vectors[x]! * vectors[y]!;
      aa += vectors[x]! * vectors[x]!;
      bb += vectors[y]! * vectors[y]!;
    }
    return ab / Math.sqrt(aa * bb);
  };
  const maximum = Math.max(...relevance);
  const taken = [0];
  while (taken.length < k) {
    let best = -1;
    let bestScore = -Infinity;
    for (let i = 0; i < count; i++) {
      if (taken.includes(i)) continue;
      const nearest = Math.max(...taken.map((j) => cosine(i, j)));
      const score = (lambda * relevance[i]!) / maximum - (1 - lambda) * nearest;
      if (score > bestScore) [best, bestScore] = [i, score];
    }
    taken.push(best);
  }
  return taken;
}
