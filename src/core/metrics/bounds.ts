/**
 * What a measure can be of a query, whatever is said of the pairs that nobody has judged. It is counted as if none of them
 * supported; here is what it is if all of them do. Where more support never lowers a measure these are its bounds; others,
 * such as nDCG, whose ideal grows, may leave them a little.
 */
import { topicOf, type Basis, type TopicJudgements } from './judgements.ts';
import { computeMeasure, definitionOf, type Measure } from './measures.ts';

/** Two values are the same but for rounding. */
const ROUNDING = 1e-9;

/**
 * The value if every unjudged pair within the cutoff supported.
 *
 * @param measure one that rests on judgements
 * @param ranking distinct passage ids, best first
 * @param judgements all perspectives of the query
 */
export function valueIfAllSupport(
  measure: Measure,
  ranking: readonly string[],
  judgements: TopicJudgements,
  basis: Basis,
): number {
  const top = ranking.slice(0, measure.k);
  // What stands below the cutoff need not be copied where it plays no part.
  const isOfTopAlone = definitionOf(measure).risesWithSupport;
  const supporting = new Map(
    [...judgements].map(([perspective, passages]) => [
      perspective,
      new Map([
        ...(isOfTopAlone ? [] : passages),
        ...top.map((passage) => [passage, passages.get(passage) ?? 1] as const),
      ]),
    ]),
  );
  return computeMeasure(measure, ranking, topicOf(supporting, basis));
}

/**
 * The value of a measure, where it is the same whatever is said of the pairs that nobody has judged.
 *
 * @param measure of which more support within the top k never lowers the value, and nothing below k matters
 */
export function settledValue(
  measure: Measure,
  ranking: readonly string[],
  judgements: TopicJudgements,
  basis: Basis,
): number | undefined {
  const least = computeMeasure(measure, ranking, topicOf(judgements, basis));
  return valueIfAllSupport(measure, ranking, judgements, basis) - least < ROUNDING ? least : undefined;
}
