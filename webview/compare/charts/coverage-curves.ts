/** MRecall@k over k: how deep each pipeline has to be read. Pure. */
import * as l10n from '@vscode/l10n';
import { lookOf } from '../../charts/chart.ts';
import type { CurvesChart } from '../../charts/draw-curves.ts';
import { counted } from '../../components/language.ts';
import { ranPipelines } from '../outcomes.ts';
import type { ShownSet } from '../shown-set.ts';
import { compareWords } from '../strings.ts';
import type { CompareChart } from './compare-chart.ts';

const words = {
  curvesDescription: (pipelines: number, depth: number) =>
    counted(l10n.t('MRecall@k of {0} [0:pipeline|pipelines] for k from 1 to {1}.'), pipelines, depth),
};

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
    description: words.curvesDescription(ran.length, depth),
    x: 'k',
    y: { label: 'MRecall@k', share: true },
    k: set.k,
    series: ran.map(({ name, index, coverageCurve }) => ({
      name,
      look: lookOf(index),
      values: coverageCurve,
    })),
    table: {
      columns: [compareWords.pipeline(), ...read.map((k) => `MRecall@${k}`)],
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

export const COVERAGE_CURVES: CompareChart = {
  name: 'curves',
  label: () => l10n.t('Coverage curves'),
  note: () => l10n.t('MRecall@k for every k: how deep one has to read'),
  chart: ({ set }) => coverageCurves(set),
};
