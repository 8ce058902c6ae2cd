/** Runs in a file of captured retrievals, as `parallax capture` and `parallax mcp-proxy` write them. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { ParallaxError } from '../errors.ts';
import { parseResults } from '../external/results.ts';
import type { Read } from '../read.ts';
import { linesOf } from './lines.ts';
import { searchesRead, type PicturedRun } from '../../features/capture/core/search-run.ts';

const lineSchema = z.object({
  query: z.string().min(1),
  results: z.unknown(),
  run: z.string().optional(),
  question: z.string().optional(),
  name: z.string().default(''),
  step: z.enum(['retriever', 'reranker']).default('retriever'),
  at: z.string().optional(),
});

export interface FiledRun extends PicturedRun {
  readonly id: string;
}

/**
 * The runs in the order of their first lines. A line without a run counts as a run.
 *
 * @param file its name, for errors
 * @throws ParallaxError `bad-file` naming the line
 */
export function runsOfFile(text: string, file: string): FiledRun[] {
  const lines = [...linesOf(text)].map((line) => {
    const place = `${file}:${line.number}`;
    const { results, run = place, at = '', ...search } = parsedLine(line.text, place);
    return { ...search, run, at: Date.parse(at) || 0, results: parseResults(place, results) };
  });
  return [...Map.groupBy(lines, ({ run }) => run)].map(([id, searches]) => ({
    id,
    question: searches.findLast(({ question }) => question !== undefined)?.question,
    searches: searchesRead(searches),
  }));
}

function parsedLine(text: string, place: string): Read<typeof lineSchema> {
  try {
    return lineSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new ParallaxError(
      'bad-file',
      l10n.t`${place} is no captured retrieval; a line is {"query", "results", "run", "question"}, as parallax capture writes it.`,
      { cause: error },
    );
  }
}
