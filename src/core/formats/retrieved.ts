/** Files of retrieval results: a TREC run, or JSON lines with the passages' texts. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { ParallaxError } from '../errors.ts';
import { parseResults } from '../external/results.ts';
import type { ExternalResult } from '../external/spec.ts';
import { parseRun } from './exchange/trec.ts';

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
  if (!text.trimStart().startsWith('{')) {
    const { run, warnings } = parseRun(text);
    const byId = new Map(
      [...run].map(([query, ranked]) => [query, ranked.map(({ item, score }) => ({ id: item, score }))]),
    );
    return { byId, byText: new Map(), warnings };
  }
  const byId = new Map<string, readonly ExternalResult[]>();
  const byText = new Map<string, readonly ExternalResult[]>();
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const { id, query, results } = parseLine(line, `${name}:${index + 1}`);
    if (id !== undefined) byId.set(id, results);
    if (query !== undefined) byText.set(query, results);
  }
  return { byId, byText, warnings: [] };
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
