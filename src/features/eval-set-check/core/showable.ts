/** The differences of a measure that a comparison on an eval set can show. */
import { mean } from '../../../core/statistics/mean.ts';
import {
  differenceFor,
  meanTestPower,
  questionsFor,
  signTestPower,
  smallestShowable,
  votesOf,
} from '../../../core/statistics/power.ts';
import { definitionOf, measureName, type Measure } from '../../../core/metrics/measures.ts';
import type { Showable } from './report.ts';

/** The difference for which the number of additional questions is computed, as a share. */
export const WANTED_DIFFERENCE = 0.1;

/** The assumed share of questions on which two pipelines differ, before anything is run. */
export const ASSUMED_DIFFERING = 0.2;

/**
 * @param differences of questions to the first pipeline, per other pipeline; empty before anything is run
 * @returns `undefined` for a measure that needs a run, before there is one
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
    ? mean(
        differences.map((values) => values.filter((difference) => difference !== 0).length / values.length),
      )
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
