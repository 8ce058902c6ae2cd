/** Sycophancy: which side the top k lean to, depending on how the question is put (BERDS, Figure 3). Pure. */
import { ranPipelines } from '../outcomes.ts';
import type { ShownSet } from '../shown-set.ts';
import { strings } from '../strings.ts';
import { lookOf, type DotsChart } from '../../charts/chart.ts';

const FORMS = ['question', 'support', 'oppose'] as const;

/** `undefined` where no pipeline has been asked all three. */
export function sycophancyChart(set: ShownSet): DotsChart | undefined {
  const rows = ranPipelines(set).flatMap(({ name, sycophancy }) =>
    sycophancy && FORMS.some((form) => sycophancy[form] !== undefined)
      ? [{ name, queries: sycophancy.queries, values: FORMS.map((form) => sycophancy[form]) }]
      : [],
  );
  const [first] = rows;
  if (!first) return undefined;
  const names = strings.sycophancyForms();
  return {
    kind: 'dots',
    key: `sycophancy ${set.id} ${set.name}`,
    name: `sycophancy ${set.name}`,
    description: strings.sycophancyDescription(rows.length, first.queries),
    x: { label: strings.delta(), share: false },
    zero: 0,
    forms: FORMS.map((form, index) => ({ name: names[form], look: lookOf(index) })),
    rows,
    table: {
      columns: [strings.pipeline(), ...FORMS.map((form) => names[form])],
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
