/** StRecall@k or MRecall@k over k: how deep each pipeline has to be read. Pure. */
import * as l10n from '@vscode/l10n';
import { lookOf } from '../../charts/chart.ts';
import type { CurvesChart } from '../../charts/draw-curves.ts';
import { counted } from '../../../src/core/counted.ts';
import type { ComparedContext } from '../draft.ts';
import { ranPipelines, type RanPipeline } from '../outcomes.ts';
import type { ShownSet } from '../shown-set.ts';
import { compareWords } from '../strings.ts';
import type { CompareChart } from './compare-chart.ts';

/** The share of perspectives (StRecall), or of fully covered queries (MRecall). */
type CurveShare = 'perspectives' | 'queries';

const measureAt = (of: CurveShare, k: number | 'k'): string =>
  of === 'queries' ? `MRecall@${k}` : `StRecall@${k}`;

const words = {
  curvesDescription: (measure: string, pipelines: number, depth: number) =>
    counted(l10n.t('{2} of {0} [0:pipeline|pipelines] for k from 1 to {1}.'), pipelines, depth, measure),
  least: (measure: string) => l10n.t`${measure}, at least`,
  strecallNote: () => l10n.t('StRecall@k: the share of perspectives that the first k passages cover'),
  mrecallNote: () =>
    l10n.t(
      'MRecall@k: the share of questions covered in full. It can fall as k grows, because k passages need only cover k perspectives.',
    ),
  leastNote: () => l10n.t('Few passages below k are judged, so the curves can still rise.'),
};

/**
 * Whether the curves are lower bounds: many passages below k are unjudged, which is also why the sizes of the
 * pipelines' sets are not shown.
 */
function isLeast(set: ShownSet): boolean {
  const isRefused = ({ tooLittleJudged }: RanPipeline): boolean =>
    tooLittleJudged.some(({ view }) => view === 'set-size');
  return set.basis === 'open' && ranPipelines(set).some(isRefused);
}

/** The values of k in the text alternative, out of 100. */
const READ_AT = [1, 2, 3, 5, 10, 20, 50, 100];

/** Comparisons stored by earlier versions have no StRecall. */
function valuesOf({ coverageCurve, strecallCurve }: RanPipeline, of: CurveShare): readonly number[] {
  return of === 'queries' ? coverageCurve : (strecallCurve ?? []);
}

/** `undefined` if no pipeline has a curve. */
export function coverageCurves(set: ShownSet, of: CurveShare = 'perspectives'): CurvesChart | undefined {
  const measure = measureAt(of, 'k');
  const ran = ranPipelines(set).flatMap((pipeline) => {
    const values = valuesOf(pipeline, of);
    return values.length === 0 ? [] : [{ name: pipeline.name, index: pipeline.index, values }];
  });
  const depth = Math.max(0, ...ran.map(({ values }) => values.length));
  if (depth === 0) return undefined;
  const read = READ_AT.filter((k) => k <= depth);
  return {
    kind: 'curves',
    key: `curves ${of} ${set.id} ${set.name}`,
    name: `coverage of ${of} ${set.name}`,
    description: words.curvesDescription(measure, ran.length, depth),
    x: 'k',
    y: { label: isLeast(set) ? words.least(measure) : measure, share: true },
    k: set.k,
    series: ran.map(({ name, index, values }) => ({ name, look: lookOf(index), values })),
    table: {
      columns: [compareWords.pipeline(), ...read.map((k) => measureAt(of, k))],
      rows: ran.map(({ name, values }) => [name, ...read.map((k) => values[k - 1])]),
    },
    data: {
      columns: ['pipeline', 'k', of === 'queries' ? 'mrecall' : 'strecall'],
      rows: ran.flatMap(({ name, values }) => values.map((value, place) => [name, place + 1, value])),
    },
  };
}

/** The share of perspectives, whose curve rises visibly, unless it is unknown or the user chose queries. */
function shownShare({ draft, set }: ComparedContext): CurveShare {
  return draft.mrecallCurves || coverageCurves(set) === undefined ? 'queries' : 'perspectives';
}

export const COVERAGE_CURVES: CompareChart = {
  name: 'curves',
  label: () => l10n.t('Coverage curves'),
  note: (context) => {
    const note = shownShare(context) === 'perspectives' ? words.strecallNote() : words.mrecallNote();
    return isLeast(context.set) ? `${note} ${words.leastNote()}` : note;
  },
  chart: (context) => coverageCurves(context.set, shownShare(context)),
  controls: ({ draft, set, actions }) =>
    coverageCurves(set) === undefined
      ? []
      : [
          {
            type: 'check',
            label: l10n.t('MRecall instead'),
            checked: draft.mrecallCurves,
            testId: 'mrecall-curves',
            onChange: (mrecallCurves) => actions.edit({ mrecallCurves }),
          },
        ],
};
