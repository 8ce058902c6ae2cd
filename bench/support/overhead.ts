/** The time of an observed call beside the bare call, in microseconds. */

const KINDS = ['sent, 20 calls together', 'sent, after a pause of 60 ms', 'in a hot loop'];

/** The median of each column. */
export function median(runs: readonly (readonly number[])[]): number[] {
  const columns = runs[0]!.map((_, place) => runs.map((run) => run[place]!).toSorted((a, b) => a - b));
  return columns.map((column) => column[column.length >> 1]!);
}

export function overheadText(bare: readonly number[], hooked: readonly number[]): string {
  const lines = KINDS.map((kind, place) => {
    const [without, withHook] = [bare[place]!, hooked[place]!];
    const ratio = (withHook / without).toFixed(1);
    return `${kind}: ${(withHook - without).toFixed(1)} µs more than ${without.toFixed(1)} (${ratio} times)`;
  });
  return lines.join('\n');
}
