/** Files of retrieval results: a TREC run, or JSON lines with the passages' texts. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { ParallaxError } from '../errors.ts';
import { parseResults } from '../external/results.ts';
import type { ExternalResult } from '../external/spec.ts';
import type { Read } from '../read.ts';
import { RunReading } from './exchange/trec.ts';
import { linesOf, type Line } from './lines.ts';

/** Results by query id and by query text. A query without results has an empty list. */
export interface RetrievedFile {
  readonly byId: ReadonlyMap<string, readonly ExternalResult[]>;
  readonly byText: ReadonlyMap<string, readonly ExternalResult[]>;
  /** By the question of an agent's run: what its searches found together, in order of sight. */
  readonly byQuestion: ReadonlyMap<string, readonly ExternalResult[]>;
  readonly warnings: readonly string[];
}

const lineSchema = z.object({
  id: z.union([z.string(), z.number()]).transform(String).optional(),
  query: z.string().optional(),
  /** For searches of one agent run, as `parallax capture` writes them: the run's id and its question. */
  run: z.string().optional(),
  question: z.string().optional(),
  step: z.string().optional(),
  results: z.unknown(),
});

/**
 * @param name of the file, for errors
 * @throws ParallaxError `bad-file` naming the line
 */
export function parseRetrieved(text: string, name: string): RetrievedFile {
  const reading = new RetrievedReading(name);
  for (const line of linesOf(text)) reading.take(line);
  return reading.end();
}

/** Incremental {@link parseRetrieved}. The first line decides the form. */
export class RetrievedReading {
  readonly #name: string;
  readonly #byId = new Map<string, readonly ExternalResult[]>();
  readonly #byText = new Map<string, readonly ExternalResult[]>();
  readonly #byQuestion = new Map<string, readonly ExternalResult[]>();
  /** By run, then by query. */
  readonly #searchesOf = new Map<string, Map<string, readonly ExternalResult[]>>();
  readonly #run = new RunReading();
  #isJson: boolean | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** @throws ParallaxError `bad-file` naming the line */
  take(line: Line): void {
    this.#isJson ??= line.text.trimStart().startsWith('{');
    if (!this.#isJson) return this.#run.take(line);
    const { id, query, results, run, question, step } = parseLine(line.text, `${this.#name}:${line.number}`);
    if (id !== undefined) this.#byId.set(id, results);
    if (query === undefined) return;
    if (run === undefined) {
      this.#byText.set(query, results);
      return;
    }
    const searches = this.#searchesOf.get(run) ?? new Map<string, readonly ExternalResult[]>();
    this.#searchesOf.set(run, searches);
    // A program reads the results of all retrievers of a question, but only the passages that a reranker returns.
    const before = step === 'reranker' ? [] : (searches.get(query) ?? []);
    searches.set(query, inOrderOfSight([before, results]));
    this.#byText.set(query, searches.get(query)!);
    if (question !== undefined) this.#byQuestion.set(question, inOrderOfSight([...searches.values()]));
  }

  /** @throws ParallaxError `bad-file` for a run without lines */
  end(): RetrievedFile {
    const lookups = { byText: this.#byText, byQuestion: this.#byQuestion };
    if (this.#isJson) return { byId: this.#byId, ...lookups, warnings: [] };
    const { run, warnings } = this.#run.end();
    const byId = new Map(
      [...run].map(([query, ranked]) => [query, ranked.map(({ item, score }) => ({ id: item, score }))]),
    );
    return { byId, ...lookups, warnings };
  }
}

/** Removes repeated passages and keeps the order in which the run saw them. */
function inOrderOfSight(searches: readonly (readonly ExternalResult[])[]): ExternalResult[] {
  const firstResults = new Map<string, ExternalResult>();
  for (const result of searches.flat()) {
    const key = JSON.stringify([result.id, result.text]);
    if (!firstResults.has(key)) firstResults.set(key, result);
  }
  return [...firstResults.values()];
}

function parseLine(
  line: string,
  place: string,
): Omit<Read<typeof lineSchema>, 'results'> & { readonly results: readonly ExternalResult[] } {
  try {
    const { results, ...about } = lineSchema.parse(JSON.parse(line));
    if (about.id === undefined && about.query === undefined)
      throw new TypeError('it has neither id nor query');
    return { ...about, results: parseResults(place, results) };
  } catch (error) {
    if (ParallaxError.is(error)) throw new ParallaxError('bad-file', error.message, { cause: error });
    throw new ParallaxError(
      'bad-file',
      l10n.t`${place} is not a retrieved query; a line is {"id" or "query", "results": [{"id", "text", "score"}]}.`,
      { cause: error },
    );
  }
}
