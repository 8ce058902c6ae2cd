import { analyze, type AnalyzerName } from '../../../src/core/text/analyzer.ts';
import type { Bm25Params } from '../../../src/engine/bm25/scoring.ts';
import type { Hit } from '../../../src/engine/types.ts';

/** BM25 by its definition, without an index: the reference for the tests. */
export function naiveSearch(
  passages: ReadonlyMap<number, string>,
  query: string,
  { k1, b, variant, epsilon }: Bm25Params,
  analyzer: AnalyzerName,
): Hit[] {
  const analyzed = [...passages].map(([slot, text]) => ({ slot, terms: analyze(text, analyzer) }));
  const N = analyzed.length;
  const averageLength = analyzed.reduce((sum, { terms }) => sum + terms.length, 0) / N;
  const df = new Map<string, number>();
  for (const { terms } of analyzed) for (const term of new Set(terms)) df.set(term, (df.get(term) ?? 0) + 1);
  const okapi = (n: number): number => Math.log(N - n + 0.5) - Math.log(n + 0.5);
  const meanIdf = [...df.values()].reduce((sum, n) => sum + okapi(n), 0) / df.size;
  const idf = (n: number): number => {
    if (variant === 'lucene') return Math.log(1 + (N - n + 0.5) / (n + 0.5));
    return okapi(n) < 0 ? epsilon * meanIdf : okapi(n);
  };
  return analyzed
    .flatMap(({ slot, terms }) => {
      const matching = analyze(query, analyzer).filter((term) => terms.includes(term));
      if (matching.length === 0) return [];
      const score = matching.reduce((sum, term) => {
        const tf = terms.filter((one) => one === term).length;
        const saturated = tf / (tf + k1 * (1 - b + (b * terms.length) / averageLength));
        return sum + idf(df.get(term)!) * saturated * (variant === 'okapi' ? k1 + 1 : 1);
      }, 0);
      return [{ item: slot, score }];
    })
    .sort((x, y) => y.score - x.score || x.item - y.item);
}
