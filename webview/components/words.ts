/** Words and formats that all panels share. Functions, so that translations can be put behind them. */

export const number = new Intl.NumberFormat('en');
export const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** `1 query`, `1,204 queries`. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${number.format(n)} ${n === 1 ? one : many}`;
}

/** How many judgements rest on one source. */
export interface SourceCount {
  readonly source: string;
  readonly judge: string;
  readonly count: number;
  readonly heuristic: boolean;
}

export const words = {
  starting: () => 'Starting Parallax…',
  outdated: () =>
    'The panel and the extension do not fit together, probably after an update. Close this view and open it again, or reload the window.',
  dismiss: () => 'Dismiss',
  cancel: (title: string) => `Cancel: ${title}`,
  tasks: () => 'Work in progress',
  none: () => '–',
  untrustedTitle: () => 'This folder is not trusted',
  untrusted: () => 'Parallax reads documents and runs native code, so it waits until you trust the folder.',
  manageTrust: () => 'Manage Workspace Trust',
  notIndexedTitle: (name: string) => `“${name}” is not indexed yet`,
  staysHere: () => 'The index is kept on this machine; indexing sends nothing anywhere.',
  index: (name: string) => `Index ${name}`,
  judge: () => 'Judge',
  withHeuristic: (label: string) => (/heuristic/iu.test(label) ? label : `${label} (heuristic)`),
  heuristicHint: () => 'A heuristic compares words; it cannot tell support from opposition well.',
  sourceCount: ({ source, judge, count: n, heuristic }: SourceCount) => {
    const named: Record<string, string> = {
      human: count(n, 'human label'),
      imported: count(n, 'imported label'),
      lexical: `${number.format(n)} lexical heuristic`,
      debate: `${count(n, 'debate verdict')} (${judge})`,
      nli: `${count(n, 'NLI verdict')} (${judge})`,
      llm: `${number.format(n)} by ${judge}`,
    };
    const text = named[source] ?? `${number.format(n)} by ${judge}`;
    return heuristic ? words.withHeuristic(text) : text;
  },
  restsOn: (sources: string) => `Rests on ${sources}`,
  legend: () => 'Legend',
  definitions: () => 'What the figures mean',
};
