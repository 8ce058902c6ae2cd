/** The charts that the user can choose from, in their order. */
export const CHART_NAMES = ['curves', 'scatter', 'map', 'sycophancy', 'heat', 'recall'] as const;
export type ChartName = (typeof CHART_NAMES)[number];

export function isChartName(value: unknown): value is ChartName {
  return CHART_NAMES.some((name) => name === value);
}
