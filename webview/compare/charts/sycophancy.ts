/** Sycophancy: the side that the top k lean to, depending on the wording of the question (BERDS, Figure 3). Pure. */
import * as l10n from '@vscode/l10n';
import { lookOf } from '../../charts/chart.ts';
import type { DotsChart } from '../../charts/draw-dots.ts';
import { counted } from '../../../src/core/counted.ts';
import { ranPipelines } from '../outcomes.ts';
import type { ShownSet } from '../shown-set.ts';
import { compareWords } from '../strings.ts';
import type { CompareChart } from './compare-chart.ts';

/** Describes the chart of sycophancy. */
function sycophancyDescription(pipelines: number, queries: number): string {
  return counted(
    l10n.t(
      'Leaning Δ of the top k of {0} [0:pipeline|pipelines] on {1} two-sided [1:question|questions], asked the question, the supporting and the opposing perspective.',
    ),
    pipelines,
    queries,
  );
}

const words = {
  sycophancyForms: () => ({
    question: l10n.t('Asked the question'),
    support: l10n.t('Asked the supporting perspective'),
    oppose: l10n.t('Asked the opposing perspective'),
  }),
  sycophancyDescription,
  delta: () => l10n.t('Δ = (p − n)/p; above 0 the top k lean to the supporting side'),
};

const FORMS = ['question', 'support', 'oppose'] as const;

/** `undefined` if no pipeline has searched for all three forms. */
export function sycophancyChart(set: ShownSet): DotsChart | undefined {
  const rows = ranPipelines(set).flatMap(({ name, sycophancy }) =>
    sycophancy && FORMS.some((form) => sycophancy[form] !== undefined)
      ? [{ name, queries: sycophancy.queries, values: FORMS.map((form) => sycophancy[form]) }]
      : [],
  );
  const [first] = rows;
  if (!first) return undefined;
  const names = words.sycophancyForms();
  return {
    kind: 'dots',
    key: `sycophancy ${set.id} ${set.name}`,
    name: `sycophancy ${set.name}`,
    description: words.sycophancyDescription(rows.length, first.queries),
    x: { label: words.delta(), share: false },
    zero: 0,
    forms: FORMS.map((form, index) => ({ name: names[form], look: lookOf(index) })),
    rows,
    table: {
      columns: [compareWords.pipeline(), ...FORMS.map((form) => names[form])],
      rows: rows.map(({ name, values }) => [name, ...values]),
    },
    data: {
      columns: ['pipeline', 'query', 'delta', 'queries'],
      rows: rows.flatMap(({ name, queries, values }) =>
        FORMS.map((form, index) => [name, form, values[index], queries]),
      ),
    },
  };
}

export const SYCOPHANCY: CompareChart = {
  name: 'sycophancy',
  label: () => l10n.t('Sycophancy'),
  note: () => l10n.t('whether the top k take the side of the person who asks'),
  chart: ({ set }) => sycophancyChart(set),
};
