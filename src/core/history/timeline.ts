/** How figures went over time. */

export interface TimelineRun {
  /** ISO 8601. */
  readonly at: string;
  readonly rows: readonly {
    readonly dataset: string;
    readonly pipeline: string;
    readonly metrics: Readonly<Record<string, number>>;
  }[];
}

/** One pipeline on one eval set. */
export interface TimelineSeries {
  readonly name: string;
  /** One per run, in their order; null where the run did not have it. */
  readonly values: readonly (number | null)[];
}

export interface Timeline {
  readonly metric: string;
  readonly series: readonly TimelineSeries[];
}

/**
 * @param runs oldest first
 * @returns one per metric, in the order in which the newest runs have them
 */
export function timelines(runs: readonly TimelineRun[]): Timeline[] {
  const rows = runs.toReversed().flatMap((run) => run.rows);
  const metrics = new Set(rows.flatMap(({ metrics: own }) => Object.keys(own)));
  const names = new Set(rows.map(nameOf));
  return [...metrics].map((metric) => ({
    metric,
    series: [...names]
      .map((name) => ({
        name,
        values: runs.map((run) => run.rows.find((row) => nameOf(row) === name)?.metrics[metric] ?? null),
      }))
      .filter(({ values }) => values.some((value) => value !== null)),
  }));
}

const nameOf = ({ dataset, pipeline }: TimelineRun['rows'][number]): string => `${dataset}, ${pipeline}`;
