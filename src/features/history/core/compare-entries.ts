/** Compares two evaluations of the history, query by query, with reasons for their differences. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { circularText } from '../../../core/facts.ts';
import { changesSince, part, isSameBasis } from '../../gate/core/compare-baseline.ts';
import { attributionSchema, pairedFields, type Change } from '../../gate/core/report.ts';
import { circularAmong, untested } from '../../../core/metrics/circular.ts';
import { measureDifferences, TIE } from '../../../core/metrics/differences.ts';
import type { Read } from '../../../core/read.ts';
import {
  measuresThatMayRise,
  type HistoryDataset,
  type HistoryEntry,
  type HistoryPipeline,
  type HistoryQuery,
} from './entry.ts';

/** Fields in which two configurations differ. */
const fieldChangeSchema = z.object({
  field: z.string(),
  then: z.string().optional(),
  now: z.string().optional(),
});
/** One field by its path, with its values as JSON. `undefined` where it is missing. */
type FieldChange = Read<typeof fieldChangeSchema>;

/** Compares fields at any depth, with dotted paths of keys and list indices, in order of first occurrence. */
export function fieldChanges(then: unknown, now: unknown): FieldChange[] {
  const [before, after] = [fieldsOf(then), fieldsOf(now)];
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((field) => before.get(field) !== after.get(field))
    .map((field) => ({ field, then: before.get(field), now: after.get(field) }));
}

function fieldsOf(value: unknown, path = '', fields = new Map<string, string>()): Map<string, string> {
  const isParent = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (!isParent) {
    if (value !== undefined) fields.set(path, JSON.stringify(value));
    return fields;
  }
  for (const [key, content] of Object.entries(value))
    fieldsOf(content, path === '' ? key : `${path}.${key}`, fields);
  return fields;
}

/** Now − then, over the shared queries. Without p if one of the two rankings is circular. */
const differenceSchema = z.object({
  ...pairedFields,
  metric: z.string(),
  /** Means over the shared queries. */
  then: z.number(),
  now: z.number(),
  /** Whether verdicts on passages unjudged then or now may raise the value. */
  mayRise: z.object({ then: z.boolean(), now: z.boolean() }),
  attribution: attributionSchema,
});

const queryChangeSchema = z.object({
  id: z.string(),
  /** By metric: `[then, now]`. */
  metrics: z.record(z.string(), z.tuple([z.number(), z.number()])),
  /** Perspectives that are covered now but were not then, and vice versa. Only for the same question. */
  gained: z.array(z.string()),
  lost: z.array(z.string()),
});
type QueryChange = Read<typeof queryChangeSchema>;

const pipelineComparisonSchema = z.object({
  dataset: z.string(),
  pipeline: z.string(),
  /** The number of shared queries. */
  queries: z.number().int(),
  /** Differences in the configuration of the pipeline or its models. */
  configuration: z.array(fieldChangeSchema),
  differences: z.array(differenceSchema),
  /** Queries with any difference, in today's order. */
  changed: z.array(queryChangeSchema),
});
type PipelineComparison = Read<typeof pipelineComparisonSchema>;

export const entryComparisonSchema = z.object({
  comparisons: z.array(pipelineComparisonSchema),
  /** Sentences about parts that only one of the two has, and about circular rankings. */
  notes: z.array(z.string()),
});
export type EntryComparison = Read<typeof entryComparisonSchema>;

/**
 * Compares what both evaluated under the same names: pipelines on eval sets, on the shared queries and measures. A
 * difference is attributed to everything that changed: eval set, corpus, pipeline, judgements. Judgements changed if
 * the judge is another one, or if a passage that both ranked for a query has another verdict. If the 95% interval of a
 * paired bootstrap includes 0, the difference may be noise.
 */
export function compareEntries(then: HistoryEntry, now: HistoryEntry): EntryComparison {
  const before = pipelinesOf(then);
  const after = pipelinesOf(now);
  const without = (one: readonly Placed[], other: readonly Placed[]): readonly Placed[] =>
    one.filter((placed) => !other.some((each) => isSamePlace(each, placed)));
  return {
    comparisons: after.flatMap((placed) => {
      const earlierResult = before.find((each) => isSamePlace(each, placed));
      return earlierResult ? (comparePlaced(earlierResult, placed) ?? []) : [];
    }),
    notes: [
      ...without(before, after).map(
        ({ dataset, pipeline }) => l10n.t`Only then: "${pipeline.name}" on "${dataset.name}".`,
      ),
      ...without(after, before).map(
        ({ dataset, pipeline }) => l10n.t`Only now: "${pipeline.name}" on "${dataset.name}".`,
      ),
      ...after.flatMap((placed) =>
        circularNote(
          before.find((each) => isSamePlace(each, placed)),
          placed,
        ),
      ),
    ],
  };
}

interface Placed {
  readonly dataset: HistoryDataset;
  readonly pipeline: HistoryPipeline;
}

/** If either run is circular, their difference is not tested. */
function circularNote(then: Placed | undefined, { dataset, pipeline }: Placed): string[] {
  const judge = circularAmong(pipeline, then?.pipeline ?? {});
  if (judge === undefined) return [];
  return [
    `${l10n.t`"${pipeline.name}" on "${dataset.name}" is circular, and its differences are not tested.`} ${circularText(judge)}`,
  ];
}

function pipelinesOf({ datasets }: HistoryEntry): Placed[] {
  return datasets.flatMap((dataset) => dataset.pipelines.map((pipeline) => ({ dataset, pipeline })));
}

const isSamePlace = (a: Placed, b: Placed): boolean =>
  a.dataset.name === b.dataset.name && a.pipeline.name === b.pipeline.name;

interface QueryPair {
  readonly id: string;
  readonly then: HistoryQuery;
  readonly now: HistoryQuery;
}

/** @returns `undefined` if the two share no query or no measure */
function comparePlaced(then: Placed, now: Placed): PipelineComparison | undefined {
  const earlier = new Map(then.pipeline.queries.map((query) => [query.id, query]));
  const pairs = now.pipeline.queries.flatMap((query): QueryPair[] => {
    const earlierQuery = earlier.get(query.id);
    return earlierQuery ? [{ id: query.id, then: earlierQuery, now: query }] : [];
  });
  const metrics = Object.keys(now.pipeline.metrics).filter(
    (metric) =>
      isSameBasis(then.dataset, metric) &&
      isSameBasis(now.dataset, metric) &&
      pairs.every((pair) => metric in pair.then.metrics && metric in pair.now.metrics),
  );
  if (pairs.length === 0 || metrics.length === 0) return undefined;
  const before = part(pairs, metrics, (pair, metric) => pair.then.metrics[metric]!);
  const after = part(pairs, metrics, (pair, metric) => pair.now.metrics[metric]!);
  const differences = measureDifferences(before, after);
  const changes = changesBetween(then, now, pairs);
  const openThen = openOver(
    then,
    pairs.map((pair) => pair.then),
  );
  const openNow = openOver(
    now,
    pairs.map((pair) => pair.now),
  );
  const isTested = circularAmong(then.pipeline, now.pipeline) === undefined;
  return {
    dataset: now.dataset.name,
    pipeline: now.pipeline.name,
    queries: pairs.length,
    configuration: configurationChanges(then.pipeline, now.pipeline),
    differences: metrics.map((metric) => {
      const difference = differences[metric]!;
      const noise = difference.low <= 0 && difference.high >= 0;
      return {
        ...(isTested ? difference : untested(difference)),
        metric,
        then: before.mean[metric]!,
        now: after.mean[metric]!,
        mayRise: { then: openThen.includes(metric), now: openNow.includes(metric) },
        attribution: { changes, noise },
      };
    }),
    changed: pairs.map((pair) => queryChange(pair, metrics)).filter(isChange),
  };
}

/** @returns the names of measures whose means over these queries further verdicts may raise */
function openOver({ dataset, pipeline }: Placed, queries: HistoryQuery[]): readonly string[] {
  return measuresThatMayRise({ ...pipeline, queries }, dataset);
}

function configurationChanges(then: HistoryPipeline, now: HistoryPipeline): FieldChange[] {
  const models = { models: then.models };
  return [
    ...fieldChanges(then.pipeline, now.pipeline),
    ...fieldChanges(models, { models: now.models }),
  ].filter(({ field }) => field !== 'name' && field !== 'models');
}

function changesBetween(then: Placed, now: Placed, pairs: readonly QueryPair[]): Change[] {
  const digests = new Map(pairs.map(({ id, now: { digest } }) => [id, digest]));
  const shared = pairs.map((pair) => pair.then);
  const changes = changesSince(now, then, shared, digests);
  const isRejudged = !changes.includes('judgements') && pairs.some(isJudgedAnew);
  return isRejudged ? [...changes, 'judgements'] : changes;
}

/** Whether a passage that was ranked both times has another verdict for some perspective. */
function isJudgedAnew({ then, now }: QueryPair): boolean {
  const places = new Map(now.ranked.map((passage, place) => [passage, place]));
  return Object.entries(then.verdicts).some(([perspective, signs]) => {
    const today = now.verdicts[perspective];
    return (
      today !== undefined &&
      then.ranked.some((passage, place) => {
        const nowPlace = places.get(passage);
        return nowPlace !== undefined && signs[place] !== today[nowPlace];
      })
    );
  });
}

function queryChange({ id, then, now }: QueryPair, metrics: readonly string[]): QueryChange {
  const [before, after] = [then, now].map(({ lost }) => lost.map(({ perspective }) => perspective));
  const isSame = then.digest === now.digest;
  return {
    id,
    metrics: Object.fromEntries(
      metrics
        .filter((metric) => Math.abs(now.metrics[metric]! - then.metrics[metric]!) > TIE)
        .map((metric) => [metric, [then.metrics[metric]!, now.metrics[metric]!] as const]),
    ),
    gained: isSame ? before!.filter((perspective) => !after!.includes(perspective)) : [],
    lost: isSame ? after!.filter((perspective) => !before!.includes(perspective)) : [],
  };
}

const isChange = ({ metrics, gained, lost }: QueryChange): boolean =>
  Object.keys(metrics).length + gained.length + lost.length > 0;
