/** MRecall@k over k: how deep each pipeline has to be read. Pure. */
import * as l10n from '@vscode/l10n';
import { lookOf } from '../../charts/chart.ts';
import type { CurvesChart } from '../../charts/draw-curves.ts';
import { counted } from '../../components/language.ts';
import { ranPipelines, type RanPipeline } from '../outcomes.ts';
import type { ShownSet } from '../shown-set.ts';
import { compareWords } from '../strings.ts';
import type { CompareChart } from './compare-chart.ts';

const words = {
  least: () => l10n.t('MRecall@k, at least'),
  curvesDescription: (pipelines: number, depth: number) =>
    counted(l10n.t('MRecall@k of {0} [0:pipeline|pipelines] for k from 1 to {1}.'), pipelines, depth),
};

/**
 * Whether the curves can only rise: much of what the pipelines retrieved below k is unjudged, which is why the sizes of
 * their sets are not shown either.
 */
function isLeast(set: ShownSet): boolean {
  const isRefused = ({ tooLittleJudged }: RanPipeline): boolean =>
    tooLittleJudged.some(({ view }) => view === 'set-size');
  return set.basis === 'open' && ranPipelines(set).some(isRefused);
}

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
    y: { label: isLeast(set) ? words.least() : 'MRecall@k', share: true },
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
  note: ({ set }) =>
    isLeast(set)
      ? l10n.t('MRecall@k for every k, at least: few of the passages below k are judged')
      : l10n.t('MRecall@k for every k: how deep you have to read'),
  chart: ({ set }) => coverageCurves(set),
};
