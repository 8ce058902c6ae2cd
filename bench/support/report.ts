/** Figures of a benchmark, and how they are printed. */

export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
}

/** Nearest-rank percentiles of at least one value. */
export function percentiles(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
  return { p50: rank(0.5), p99: rank(0.99) };
}

/** Runs `work` once per item and times each, in milliseconds. */
export function timeEach<T>(items: readonly T[], work: (item: T) => void): number[] {
  return items.map((item) => {
    const begun = performance.now();
    work(item);
    return performance.now() - begun;
  });
}

/** The duration of `work`. */
export async function seconds(work: () => unknown): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}

/** A table for the terminal: first column left-aligned, the others right-aligned. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  const print = (line: readonly string[]): string =>
    widths
      .map((width, i) => (i === 0 ? (line[i] ?? '').padEnd(width) : (line[i] ?? '').padStart(width)))
      .join('  ');
  return [print(header), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(print)].join('\n');
}

export const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
export const milliseconds = (value: number): string => value.toFixed(value < 10 ? 2 : 1);
export const thousands = (value: number): string => Math.round(value).toLocaleString('en-US');

/** A ratio in the form `104×` or `2.6×`. */
export const times = (ratio: number): string => `${ratio < 10 ? ratio.toFixed(1) : Math.round(ratio)}×`;
