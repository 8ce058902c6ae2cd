/** How much better one pipeline is than another on the same topics, measure by measure. */
import { pairedBootstrap, type PairedDifference } from '../statistics/bootstrap.ts';
import { seededRandom } from '../statistics/random.ts';
import type { RunEvaluation } from './evaluate.ts';

/** Fixed, so that the same comparison always gives the same intervals. */
const SEED = 20_240_607;

/**
 * Mean differences `other − baseline` with 95% intervals of a paired bootstrap over topics.
 *
 * @throws ParallaxError `bad-argument` when the two do not have the same topics
 */
export function measureDifferences(
  baseline: RunEvaluation,
  other: RunEvaluation,
): Record<string, PairedDifference> {
  const topics = [...baseline.perTopic.keys()];
  return Object.fromEntries(
    Object.keys(baseline.mean).map((name) => {
      const valuesOf = ({ perTopic }: RunEvaluation): number[] =>
        topics.flatMap((topic) => perTopic.get(topic)?.[name] ?? []);
      return [name, pairedBootstrap(valuesOf(baseline), valuesOf(other), { random: seededRandom(SEED) })];
    }),
  );
}
