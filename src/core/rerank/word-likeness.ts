/** The likeness of candidates by their words: cosines of tf-idf, with idf computed among the candidates. */
import { analyze } from '../text/analyzer.ts';
import type { Likeness } from './support-beliefs.ts';

type Vector = ReadonlyMap<string, number>;

/**
 * @param texts [n]
 * @returns [n, n], each in [0, 1]; 0 if a text has no content words
 */
export function wordLikeness(texts: readonly string[]): Likeness {
  const counts = texts.map((text) => countsOf(analyze(text, 'english')));
  const documents = new Map<string, number>();
  for (const textCounts of counts)
    for (const word of textCounts.keys()) documents.set(word, (documents.get(word) ?? 0) + 1);
  const vectors = counts.map((textCounts) =>
    unit(
      new Map(
        [...textCounts].map(([word, count]) => [
          word,
          (1 + Math.log(count)) * Math.log((texts.length + 1) / documents.get(word)!),
        ]),
      ),
    ),
  );
  const likeness = vectors.map(() => new Float64Array(texts.length));
  for (const [row, vector] of vectors.entries())
    for (let column = 0; column <= row; column++)
      likeness[row]![column] = likeness[column]![row] = product(vector, vectors[column]!);
  return likeness;
}

function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function unit(vector: Vector): Vector {
  let squares = 0;
  for (const value of vector.values()) squares += value * value;
  const length = Math.sqrt(squares) || 1;
  return new Map([...vector].map(([word, value]) => [word, value / length]));
}

function product(one: Vector, other: Vector): number {
  const [small, large] = one.size < other.size ? [one, other] : [other, one];
  let sum = 0;
  for (const [word, value] of small) sum += value * (large.get(word) ?? 0);
  return Math.min(1, sum);
}
