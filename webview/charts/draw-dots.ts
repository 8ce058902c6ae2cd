/** Draws rows of marks on one axis, with a legend above. */
import * as Plot from '@observablehq/plot';
import { decimals } from '../components/figures.ts';
import type { Axis, ChartBase, Look } from './chart.ts';
import {
  axisOptions,
  colour,
  cut,
  GROUND,
  LINE,
  MUTED,
  plot,
  share,
  widthOf,
  type Margins,
} from './plotting.ts';

/** Rows of marks on a common axis, distinguished by shape. */
export interface DotsChart extends ChartBase {
  readonly kind: 'dots';
  readonly x: Axis;
  /** The neutral value, drawn as a line across all rows. `undefined` if there is none. */
  readonly zero: number | undefined;
  readonly forms: readonly { readonly name: string; readonly look: Look }[];
  /** For each row, one value per form. */
  readonly rows: readonly { readonly name: string; readonly values: readonly (number | undefined)[] }[];
}

const hundredths = decimals(2);

export function drawDots({ x, zero, forms, rows }: DotsChart, width: number): SVGSVGElement {
  const labels = rows.map(({ name }) => cut(name));
  const legend = legendLines(
    forms.map(({ name }) => cut(name, LONGEST_IN_LEGEND)),
    width - 24,
  );
  const margins: Margins = {
    marginTop: legend.height + 12,
    marginRight: 20,
    marginBottom: 34,
    marginLeft: Math.min(Math.max(...labels.map(widthOf)) + 12, width * 0.4),
  };
  const marks = rows.flatMap(({ values }, row) =>
    values.flatMap((value, form) => (value === undefined ? [] : [{ row, form, value }])),
  );
  const values = marks.map(({ value }) => value);
  const domain = x.share
    ? [0, 1]
    : [Math.min(zero ?? 0, ...values) - 0.05, Math.max(zero ?? 0, ...values) + 0.05];
  return plot({
    width,
    height: margins.marginTop + rows.length * 24 + margins.marginBottom,
    ...margins,
    x: { domain, ...axisOptions(x), grid: true },
    y: {
      type: 'band',
      domain: rows.map((_, row) => row),
      label: null,
      tickSize: 0,
      tickFormat: (row: number) => labels[row]!,
    },
    symbol: { domain: forms.map((_, form) => form), range: forms.map(({ look }) => look.symbol) },
    marks: [
      ...(zero === undefined ? [] : [Plot.ruleX([zero], { stroke: MUTED })]),
      Plot.ruleY(
        rows.flatMap(({ values: rowValues }, row) => rangeOf(rowValues).map((range) => ({ row, ...range }))),
        { y: 'row', x1: 'least', x2: 'most', stroke: MUTED, strokeOpacity: 0.6 },
      ),
      Plot.dot(marks, {
        x: 'value',
        y: 'row',
        symbol: 'form',
        r: 5,
        fill: ({ form }: { form: number }) => colour(forms[form]!.look),
        stroke: GROUND,
        strokeWidth: 1,
        title: ({ row, form, value }: { row: number; form: number; value: number }) =>
          `${rows[row]!.name}, ${forms[form]!.name}: ${x.share ? share(value) : hundredths(value)}`,
      }),
      ...forms.flatMap(({ name, look }, form) => {
        const { left, line } = legend.places[form]!;
        const dy = line * LINE - margins.marginTop + 10;
        return [
          Plot.dot([0], {
            frameAnchor: 'top-left',
            dx: left - margins.marginLeft + 8,
            dy,
            symbol: () => form,
            r: 5,
            fill: colour(look),
            stroke: 'none',
          }),
          Plot.text([0], {
            frameAnchor: 'top-left',
            dx: left - margins.marginLeft + 18,
            dy: dy - 5,
            text: () => cut(name, LONGEST_IN_LEGEND),
            textAnchor: 'start',
          }),
        ];
      }),
    ],
  });
}

function rangeOf(values: readonly (number | undefined)[]): { least: number; most: number }[] {
  const known = values.filter((value) => value !== undefined);
  return known.length > 1 ? [{ least: Math.min(...known), most: Math.max(...known) }] : [];
}

/** The longest entry of a legend, in characters. */
const LONGEST_IN_LEGEND = 64;

/** Places the entries of a legend side by side, and on the next line if there is no room. */
function legendLines(
  names: readonly string[],
  width: number,
): { readonly places: readonly { left: number; line: number }[]; readonly height: number } {
  let [left, line] = [0, 0];
  const places = names.map((name) => {
    const needed = widthOf(name) + 28;
    if (left > 0 && left + needed > width) [left, line] = [0, line + 1];
    const place = { left, line };
    left += needed;
    return place;
  });
  return { places, height: (line + 1) * LINE };
}
