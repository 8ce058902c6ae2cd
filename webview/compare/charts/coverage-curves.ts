/** MRecall@k over k: how deep each pipeline has to be read. Pure. */
import { ranPipelines } from '../outcomes.ts';
import type { ShownSet } from '../shown-set.ts';
import { strings } from '../strings.ts';
import { lookOf, type CurvesChart } from '../../charts/chart.ts';

/** Those of the 100 that the text alternative gives. */
const READ_AT = [1, 2, 3, 5, 10, 20, 50, 100];

/** `undefined` where no pipeline has a curve. */
export function coverageCurves(set: ShownSet): CurvesChart | undefined {
  const ran = ranPipelines(set).filter(({ coverageCurve }) => coverageCurve.length > 0);
  const depth = Math.max(0, ...ran.map(({ coverageCurve }) => coverageCurve.length));
  if (depth === 0) return undefined;
  const read = READ_AT.filter((k) => k <= depth);
  return {
    kind: 'curves',
    key: `curves ${set.id} ${set.name}`,
    name: `coverage ${set.name}`,
    description: strings.curvesDescription(ran.length, depth),
    x: 'k',
    y: { label: 'MRecall@k', share: true },
    k: set.k,
    series: ran.map(({ name, index, coverageCurve }) => ({
      name,
      look: lookOf(index),
      values: coverageCurve,
    })),
    table: {
      columns: [strings.pipeline(), ...read.map((k) => `MRecall@${k}`)],
      rows: ran.map(({ name, coverageCurve }) => [name, ...read.map((k) => coverageCurve[k - 1])]),
    },
    data: {
      columns: ['pipeline', 'k', 'mrecall'],
      rows: ran.flatMap(({ name, coverageCurve }) =>
        coverageCurve.map((value, index) => [name, index + 1, value]),
      ),
    },
  };
}
