/** Files of retrieval results: a TREC run, or JSON lines with the passages' texts. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { ParallaxError } from '../errors.ts';
import { parseResults } from '../external/results.ts';
import type { ExternalResult } from '../external/spec.ts';
import { RunReading } from './exchange/trec.ts';
import { linesOf, type Line } from './lines.ts';

/** Results by query id and by query text. A query that was answered with nothing has an empty list. */
export interface RetrievedFile {
  readonly byId: ReadonlyMap<string, readonly ExternalResult[]>;
  readonly byText: ReadonlyMap<string, readonly ExternalResult[]>;
  readonly warnings: readonly string[];
}

const lineSchema = z.object({
  id: z.union([z.string(), z.number()]).transform(String).optional(),
  query: z.string().optional(),
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

/** As {@link parseRetrieved}, of lines that come one by one; the first one says which form they have. */
export class RetrievedReading {
  readonly #name: string;
  readonly #byId = new Map<string, readonly ExternalResult[]>();
  readonly #byText = new Map<string, readonly ExternalResult[]>();
  readonly #run = new RunReading();
  #isJson: boolean | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** @throws ParallaxError `bad-file` naming the line */
  take(line: Line): void {
    this.#isJson ??= line.text.trimStart().startsWith('{');
    if (!this.#isJson) return this.#run.take(line);
    const { id, query, results } = parseLine(line.text, `${this.#name}:${line.number}`);
    if (id !== undefined) this.#byId.set(id, results);
    if (query !== undefined) this.#byText.set(query, results);
  }

  /** @throws ParallaxError `bad-file` for a run without a line */
  end(): RetrievedFile {
    if (this.#isJson) return { byId: this.#byId, byText: this.#byText, warnings: [] };
    const { run, warnings } = this.#run.end();
    const byId = new Map(
      [...run].map(([query, ranked]) => [query, ranked.map(({ item, score }) => ({ id: item, score }))]),
    );
    return { byId, byText: this.#byText, warnings };
  }
}

function parseLine(
  line: string,
  place: string,
): { id?: string | undefined; query?: string | undefined; results: readonly ExternalResult[] } {
  try {
    const { id, query, results } = lineSchema.parse(JSON.parse(line));
    if (id === undefined && query === undefined) throw new TypeError('it has neither id nor query');
    return { id, query, results: parseResults(place, results) };
  } catch (error) {
    if (ParallaxError.is(error)) throw new ParallaxError('bad-file', error.message, { cause: error });
    throw new ParallaxError(
      'bad-file',
      l10n.t`${place} is not a retrieved query; a line is {"id" or "query", "results": [{"id", "text", "score"}]}.`,
      { cause: error },
    );
  }
}
