/** Reads a file of retrieved passages, one query per line (see retrieved.ts), as an exchange. */
import type { Query, Ranked } from '../../model.ts';
import { Doubts, exchangeOf, quote, type Exchange, type ParsedExchange } from './exchange.ts';
import { linesOf } from '../lines.ts';
import { ListedPassages, rankedAsListed } from './listed.ts';
import { parseRetrieved, type RetrievedFile } from '../retrieved.ts';

/**
 * A query without an id is named by its text.
 *
 * @param name of the file, for messages
 * @throws ParallaxError `bad-file` naming the line
 */
export function parseRetrievedExchange(text: string, name: string): ParsedExchange {
  const whole = parseRetrieved(text, name);
  // Line by line, because two queries may have the same text.
  const parts = text.trimStart().startsWith('{')
    ? [...linesOf(text)].map((line) => parseRetrieved(line.text, name))
    : [...whole.byId].map((entry) => ({ ...whole, byId: new Map([entry]) }));
  const doubts = new Doubts();
  const results = parts.flatMap(({ byId, byText }) => [...byId.values(), ...byText.values()].flat());
  const passages = new ListedPassages(
    doubts,
    results.map(({ id }) => id),
  );
  const collection = new FoundQueries(passages, doubts);
  for (const part of parts) collection.add(part);
  return {
    exchange: collection.exchange,
    warnings: [...whole.warnings, ...doubts.warnings].map((warning) => `${name}: ${warning}`),
  };
}

class FoundQueries {
  readonly #doubts: Doubts;
  readonly #passages: ListedPassages;
  readonly #queries: Query[] = [];
  readonly #run = new Map<string, readonly Ranked[]>();

  constructor(passages: ListedPassages, doubts: Doubts) {
    this.#passages = passages;
    this.#doubts = doubts;
  }

  /** @param line one query, by id, by text, or both */
  add({ byId, byText }: RetrievedFile): void {
    const [[idInFile, byOwn] = []] = byId;
    const [[text = '', byQuery] = []] = byText;
    const id = idInFile ?? text;
    const results = byOwn ?? byQuery ?? [];
    if (this.#run.has(id))
      return this.#doubts.add('Queries that occur again keep the first answer', quote(id));
    if (text.trim() !== '') this.#queries.push({ id, text, perspectives: [] });
    const listed = results.map(({ id: resultId, text: passageText, score }) => ({
      item: this.#passages.add({ id: resultId, text: passageText }),
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
