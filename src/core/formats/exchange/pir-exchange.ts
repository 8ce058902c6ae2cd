/** PIR tasks (Zhao et al. 2024) as an exchange: a root query with its perspectives is one query. */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../errors.ts';
import type { Perspective, Query } from '../../model.ts';
import { Doubts, exchangeOf, pairKey, quote, type Exchange } from './exchange.ts';
import { parsePirTask, type PirQuery } from '../pir.ts';

/**
 * Queries are named after the position of their root (`r1`, `r2`, …), perspectives after their position below it.
 *
 * @param name of the file, for messages
 * @throws ParallaxError `bad-file` naming the field that is missing or wrong
 */
export function parsePirExchange(text: string, name: string): Exchange {
  const task = parsePirTask(text, name);
  const queries: Query[] = [];
  const qrels = new Map<string, Map<string, Map<string, number>>>();
  const fullTexts = new Map<string, string>();
  for (const [root, rootQueries] of Map.groupBy(task.queries, (query) => query.root)) {
    if (root.trim() === '')
      throw new ParallaxError(
        'bad-file',
        l10n.t`${name} is not a PIR task: source_queries.${rootQueries[0]!.id} is empty.`,
      );
    const id = `r${queries.length + 1}`;
    queries.push({ id, text: root, perspectives: rootQueries.map(perspectiveOf) });
    const topic = rootQueries.map(({ gold }, place): [string, Map<string, number>] => [
      `p${place + 1}`,
      new Map([...gold].map((passage) => [passage, 1])),
    ]);
    qrels.set(id, new Map(topic));
    rootQueries.forEach((query, place) => fullTexts.set(pairKey(id, `p${place + 1}`), query.text));
  }
  return exchangeOf({ passages: task.corpus, queries, qrels, fullTexts });
}

function perspectiveOf({ perspective, label }: PirQuery, place: number): Perspective {
  return { id: `p${place + 1}`, text: perspective, group: label };
}

/**
 * Writes one query per perspective that a passage with a known text supports. Its sentence defaults to root and
 * perspective together.
 *
 * @throws ParallaxError `bad-argument` if there are no such queries
 */
export function formatPir(exchange: Exchange): {
  readonly text: string;
  readonly warnings: readonly string[];
} {
  const doubts = new Doubts();
  const places = new Map(exchange.passages.map(({ id }, place) => [id, place]));
  const rows = exchange.queries.flatMap((query) =>
    query.perspectives.flatMap((perspective) => {
      const judged = exchange.qrels.get(query.id)?.get(perspective.id) ?? new Map<string, number>();
      const gold = [...judged]
        .filter(([, relevance]) => relevance > 0)
        .map(([passage]) => places.get(passage));
      const known = gold.filter((place) => place !== undefined);
      if (known.length < gold.length)
        doubts.add('Supporting passages without a text are left out', quote(query.id));
      if (known.length === 0) {
        doubts.add(
          'Perspectives without a supporting passage are left out',
          `${quote(perspective.id)} of ${quote(query.id)}`,
        );
        return [];
      }
      const full = exchange.fullTexts.get(pairKey(query.id, perspective.id));
      return { query, perspective, gold: known, full: full ?? `${query.text} ${perspective.text}` };
    }),
  );
  if (rows.length === 0)
    throw new ParallaxError(
      'bad-argument',
      l10n.t(
        'A PIR task needs passages with texts, queries with perspectives, and judgements that say which passage supports which.',
      ),
    );
  const task = {
    corpus: exchange.passages.map(({ text }) => text),
    queries: rows.map(({ full }) => full),
    source_queries: rows.map(({ query }) => query.text),
    perspectives: rows.map(({ perspective }) => perspective.text),
    query_labels: rows.map(({ perspective }) => perspective.group ?? perspective.id),
    key_ref: Object.fromEntries(rows.map(({ gold }, place) => [place, gold])),
  };
  return { text: `${JSON.stringify(task, null, 1)}\n`, warnings: doubts.warnings };
}
