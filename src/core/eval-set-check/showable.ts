/** Which differences of a measure a comparison on an eval set can show. */
import { mean } from '../statistics/mean.ts';
import {
  differenceFor,
  meanTestPower,
  questionsFor,
  signTestPower,
  smallestShowable,
  votesOf,
} from '../statistics/power.ts';
import { definitionOf, measureName, type Measure } from '../metrics/measures.ts';
import type { Showable } from './report.ts';

/** The difference that "how many more questions" is about, in shares. */
export const WANTED_DIFFERENCE = 0.1;

/** Share of the questions on which two pipelines are taken to differ before anything was run. */
export const ASSUMED_DIFFERING = 0.2;

/**
 * @param differences per pipeline the differences of questions to the first pipeline; none before anything was run
 * @returns nothing for a measure of which only a run can tell, before there is one
 */
export function showableOf(
  measure: Measure,
  questions: number,
  tests: number,
  differences: readonly (readonly number[])[] = [],
): Showable | undefined {
  const isYesOrNo = definitionOf(measure).isYesOrNo === true;
  const isMeasured = differences.length > 0;
  if (!isYesOrNo && !isMeasured) return undefined;
  const testing = { tests };
  const differing = isMeasured
    ? mean(differences.map((own) => own.filter((difference) => difference !== 0).length / own.length))
    : ASSUMED_DIFFERING;
  const centred = differences.flatMap(aroundMean);
  const power = (n: number, difference: number): number =>
    isYesOrNo
      ? signTestPower(n, votesOf(difference, differing), testing)
      : meanTestPower(n, difference, centred, testing);
  const floor = isYesOrNo ? smallestShowable(questions, 1, testing) : undefined;
  const usual = differenceFor((difference) => power(questions, difference));
  const enough = questionsFor((n) => power(n, WANTED_DIFFERENCE));
  return {
    measure: measureName(measure),
    ...(floor === undefined ? {} : { floor }),
    ...(usual === undefined ? {} : { usual }),
    ...(enough === undefined ? {} : { more: Math.max(0, enough - questions) }),
    isMeasured,
  };
}

function aroundMean(values: readonly number[]): number[] {
  const average = mean(values);
  return values.map((value) => value - average);
}
