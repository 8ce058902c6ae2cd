/** The data and texts of the chart of a metric over the runs. Pure. */
import { lookOf } from '../charts/chart.ts';
import type { TimelineChart } from '../charts/draw-timeline.ts';
import { EVENTS, eventsOf, type Shown } from './shown.ts';
import { strings } from './strings.ts';

/** @returns the chart of the metric, oldest run first */
export function timelineChart({ dataset, metric, chosen, pipelines, runs }: Shown): TimelineChart {
  const oldestFirst = runs.toReversed();
  const moments = oldestFirst.map(({ run }) => strings.shortMoment(run.at));
  const series = chosen.map((name) => ({
    name,
    // The look of a pipeline does not depend on the other shown ones.
    look: lookOf(pipelines.indexOf(name)),
    points: oldestFirst.map(({ rows }) => rows.find(({ pipeline }) => pipeline === name)?.figures[metric]),
  }));
  const happened = oldestFirst.map(eventsOf);
  const events = EVENTS.map((event) => ({
    name: strings.event(event),
    sign: strings.eventSign(event),
    at: happened.flatMap((runEvents, place) => (runEvents.includes(event) ? [place] : [])),
    line: event === 'baseline',
  })).filter(({ at }) => at.length > 0);
  const observations = series.flatMap(({ name, points }) =>
    points.flatMap((point, place) => {
      const { at, commit } = oldestFirst[place]!.run;
      return point ? [[at, commit, name, point.value, point.low, point.high]] : [];
    }),
  );
  return {
    kind: 'timeline',
    key: JSON.stringify([dataset, metric, chosen, oldestFirst.map(({ run }) => [run.id, run.accepted])]),
    name: `${metric} ${dataset}`,
    description: strings.timelineDescription(metric, dataset, runs.length),
    y: { label: metric, share: true },
    moments,
    series,
    events,
    table: {
      columns: [strings.when(), ...chosen, strings.happened()],
      rows: oldestFirst.map(({ run }, place) => [
        strings.moment(run.at),
        ...series.map(({ points }) => points[place] && strings.figure(points[place])),
        happened[place]!.map(strings.event).join(', '),
      ]),
    },
    data: { columns: ['at', 'commit', 'pipeline', metric, 'low', 'high'], rows: observations },
  };
}
