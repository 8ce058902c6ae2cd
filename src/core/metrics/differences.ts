/** How much better one pipeline is than another on the same topics, measure by measure. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../errors.ts';
import { holm } from '../statistics/adjust.ts';
import { intervalsWithin, type DifferenceInterval } from '../statistics/bootstrap.ts';
import { randomisationTests } from '../statistics/randomisation.ts';
import { seededRandom } from '../statistics/random.ts';
import type { RunEvaluation } from './evaluate.ts';
import { SHARE } from './measure-definition.ts';
import { definitionNamed, parseMeasure } from './measures.ts';

/** Fixed, so that the same comparison always gives the same intervals and p-values. */
const SEED = 20_240_607;

/** Values of a measure that differ by at most this are equal up to rounding. */
export const TIE = 1e-9;

export interface PairedDifference extends DifferenceInterval {
  /** The p-value of a two-sided paired randomisation test. */
  readonly p: number;
  /** Topics on which the other pipeline beats the baseline by more than {@link TIE}. */
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
}

/** Used if no topic differs. A bootstrap has nothing to resample then. */
const NO_DIFFERENCE: DifferenceInterval = { difference: 0, low: 0, high: 0 };

/** Means and the values of topics behind them. */
type Scores = Pick<RunEvaluation, 'mean' | 'perTopic' | 'vectors'>;

/**
 * Mean differences `other − baseline` with 95% intervals of a paired bootstrap over topics, and p-values without a
 * correction for multiple comparisons. See {@link holmCorrected} for comparisons with several pipelines.
 *
 * @returns no measures that rest on vectors if the two used different embedders
 * @throws ParallaxError `bad-argument` if the two do not have the same topics and measures
 */
export function measureDifferences(baseline: Scores, other: Scores): Record<string, PairedDifference> {
  const isOfOneKind = baseline.vectors === other.vectors;
  const names = Object.keys(baseline.mean).filter(
    (name) => isOfOneKind || !definitionNamed(name)?.restsOnVectors,
  );
  const differences = names.map((name) => differencesOf(baseline, other, name));
  const intervals = intervalsWithin(differences, names.map(rangeOf), { random: seededRandom(SEED) });
  const pValues = randomisationTests(differences, { random: seededRandom(SEED) });
  return Object.fromEntries(
    names.map((name, index) => {
      const perTopic = differences[index]!;
      return [
        name,
        {
          ...(perTopic.some((difference) => difference !== 0) ? intervals[index]! : NO_DIFFERENCE),
          p: pValues[index]!,
          wins: perTopic.filter((difference) => difference > 0).length,
          losses: perTopic.filter((difference) => difference < 0).length,
          ties: perTopic.filter((difference) => difference === 0).length,
        },
      ];
    }),
  );
}

/** Scores of a run, and how far it is judged. */
export interface KnownScores extends Scores {
  /** Measures whose value further verdicts would change for some topic. */
  readonly open: ReadonlySet<string>;
  /** Whether all passages within the measure's cutoff are judged for a topic. */
  readonly isJudged: (topic: string, measure: string) => boolean;
}

/** Reads `Judged@k` to decide whether a topic is fully judged. A topic without retrieved passages is. */
export function judgedByShare({ perTopic }: Pick<Scores, 'perTopic'>): KnownScores['isJudged'] {
  return (topic, measure) => (perTopic.get(topic)?.[`Judged@${parseMeasure(measure).k}`] ?? 1) === 1;
}

/**
 * {@link measureDifferences} restricted to known values. Measures that no verdict can change are compared on all
 * topics, others on the topics that are fully judged under both runs. Topics whose value is exact only because it is
 * already 1 do not count, as they would be selected by their outcome.
 *
 * @returns without measures for which no topic is fully judged
 */
export function knownDifferences(
  baseline: KnownScores,
  other: KnownScores,
): Record<string, PairedDifference> {
  const both = [baseline, other];
  const topics = [...baseline.perTopic.keys()];
  const names = Object.keys(baseline.mean).filter((name) => name in other.mean);
  const topicsOf = (name: string): readonly string[] =>
    both.some(({ open }) => open.has(name))
      ? topics.filter((topic) => both.every(({ isJudged }) => isJudged(topic, name)))
      : topics;
  // Measures over the same topics share their resamples.
  const groups = Map.groupBy(
    names.map((name) => [name, topicsOf(name)] as const),
    ([, judged]) => judged.join('\n'),
  );
  const entries = [...groups.values()].flatMap((group) => {
    const [, judged] = group[0]!;
    if (judged.length === 0) return [];
    const those = group.map(([name]) => name);
    const only = new Set(judged);
    return Object.entries(
      measureDifferences(restricted(baseline, those, only), restricted(other, those, only)),
    );
  });
  const byName = new Map(entries);
  return Object.fromEntries(
    names.flatMap((name) => {
      const difference = byName.get(name);
      return difference ? [[name, difference] as const] : [];
    }),
  );
}

function restricted(
  { mean, perTopic, vectors }: Scores,
  names: readonly string[],
  topics: ReadonlySet<string>,
): Scores {
  return {
    mean: Object.fromEntries(names.map((name) => [name, mean[name]!])),
    perTopic: new Map([...perTopic].filter(([topic]) => topics.has(topic))),
    ...(vectors === undefined ? {} : { vectors }),
  };
}

function rangeOf(name: string): [least: number, most: number] {
  const [least, most] = definitionNamed(name)?.range ?? SHARE;
  return [least - most, most - least];
}

/**
 * Differences of several pipelines to one baseline, with Holm-corrected p-values for each measure. The family of a
 * measure is all pipelines given here. There is no correction across measures, as each answers a different question.
 *
 * @param family the result of {@link measureDifferences} for each pipeline; a pipeline without a measure is not in its
 *   family
 * @returns one per pipeline, in the given order
 */
export function holmCorrected(
  family: readonly Readonly<Record<string, PairedDifference>>[],
): Record<string, PairedDifference>[] {
  const names = [...new Set(family.flatMap((differences) => Object.keys(differences)))];
  const corrected = new Map(names.map((name) => [name, correctedFor(name, family)]));
  return family.map((differences) =>
    Object.fromEntries(
      Object.entries(differences).map(([name, difference]) => [
        name,
        { ...difference, p: corrected.get(name)!.get(difference)! },
      ]),
    ),
  );
}

function correctedFor(
  name: string,
  family: readonly Readonly<Record<string, PairedDifference>>[],
): ReadonlyMap<PairedDifference, number> {
  const tested = family.flatMap((differences) => differences[name] ?? []);
  return new Map(holm(tested.map(({ p }) => p)).map((p, place) => [tested[place]!, p]));
}

/** Per topic, in the order of the baseline; ties are exactly 0. */
function differencesOf(baseline: Scores, other: Scores, name: string): number[] {
  const topics = [...baseline.perTopic.keys()];
  if (topics.length === 0 || topics.length !== other.perTopic.size)
    throw new ParallaxError(
      'bad-argument',
      l10n.t`Comparing two systems needs the same topics for both; there are ${topics.length} and ${other.perTopic.size}.`,
    );
  return topics.map((topic) => {
    const value = other.perTopic.get(topic)?.[name];
    if (value === undefined)
      throw new ParallaxError(
        'bad-argument',
        l10n.t`Comparing two systems needs the same topics and measures for both; one has no ${name} of "${topic}".`,
      );
    const difference = value - baseline.perTopic.get(topic)![name]!;
    return Math.abs(difference) <= TIE ? 0 : difference;
  });
}
