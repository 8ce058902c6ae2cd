/** What a retriever found, one query a line (see retrieved.ts), as an exchange. */
import type { ExternalResult } from '../external/spec.ts';
import type { Query, Ranked } from '../model.ts';
import { Doubts, exchangeOf, quote, type Exchange, type ParsedExchange } from './exchange.ts';
import { linesOf } from './lines.ts';
import { ListedPassages, rankedAsListed } from './listed.ts';
import { parseRetrieved, type RetrievedFile } from './retrieved.ts';

/**
 * A query without an id is named by its text.
 *
 * @param name of the file, for messages
 * @throws ParallaxError `bad-file` naming the line
 */
export function parseRetrievedExchange(text: string, name: string): ParsedExchange {
  const { byId, warnings } = parseRetrieved(text, name);
  const doubts = new Doubts();
  const found = new FoundQueries(doubts);
  if (!text.trimStart().startsWith('{')) for (const [id, results] of byId) found.add(id, undefined, results);
  // Line by line, because two queries may have the same text.
  else for (const line of linesOf(text)) found.addLine(parseRetrieved(line.text, name));
  return {
    exchange: found.exchange,
    warnings: [...warnings, ...doubts.warnings].map((warning) => `${name}: ${warning}`),
  };
}

class FoundQueries {
  readonly #doubts: Doubts;
  readonly #passages: ListedPassages;
  readonly #queries: Query[] = [];
  readonly #run = new Map<string, readonly Ranked[]>();

  constructor(doubts: Doubts) {
    this.#doubts = doubts;
    this.#passages = new ListedPassages(doubts);
  }

  addLine({ byId, byText }: RetrievedFile): void {
    const [[id, own] = []] = byId;
    const [[text, named] = []] = byText;
    const query = id ?? text;
    const results = own ?? named;
    if (query !== undefined && results) this.add(query, text, results);
  }

  add(id: string, text: string | undefined, results: readonly ExternalResult[]): void {
    if (this.#run.has(id))
      return this.#doubts.add('Queries that occur again keep the first answer', quote(id));
    if (text !== undefined && text.trim() !== '') this.#queries.push({ id, text, perspectives: [] });
    const listed = results.map(({ id: own, text: found, score }) => ({
      item: this.#passages.add({ id: own, text: found }),
      score,
    }));
    this.#run.set(id, rankedAsListed(id, listed, this.#doubts));
  }

  get exchange(): Exchange {
    return exchangeOf({ queries: this.#queries, passages: this.#passages.passages, run: this.#run });
  }
}

export function formatRetrieved({ queries, passages, run }: Exchange): string {
  const textOf = new Map(queries.map(({ id, text }) => [id, text]));
  const passageText = new Map(passages.map(({ id, text }) => [id, text]));
  return [...run]
    .map(([id, ranking]) => ({
      id,
      ...(textOf.has(id) ? { query: textOf.get(id)! } : {}),
      results: ranking.map(({ item, score }) => {
        const text = passageText.get(item);
        return { id: item, ...(text === undefined || text === '' ? {} : { text }), score };
      }),
    }))
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}
