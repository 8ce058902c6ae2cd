/** `parallax search`: one query through one pipeline. */
import { excerpt, readPassage } from '../../core/snippets.ts';
import { isCode } from '../../core/text/file-kinds.ts';
import { passageName } from '../../core/text/passage-name.ts';
import type { Result } from '../../shared/rpc.ts';
import { command } from './command.ts';
import { openStore } from '../local-corpus.ts';
import { readPipeline } from '../options/pipeline-option.ts';
import { progressLine } from '../presentation/progress.ts';
import { readConfig } from '../options/read-config.ts';
import { required, UsageError, writeJson } from '../presentation/terminal.ts';

const SNIPPET_LENGTH = 160;

export const searchCommand = command({
  usage: 'parallax search "<query>" --store <folder> [--pipeline <json|name>] [--k 5] [--json]',
  positionals: true,
  options: {
    store: { type: 'string', help: 'an index made by parallax index' },
    pipeline: {
      type: 'string',
      default: 'bm25',
      help: 'a pipeline as JSON, or its name: bm25 (default), dense, hybrid, or one of parallax.json',
    },
    k: { type: 'string', help: "how many passages to show (default: the pipeline's k)" },
    json: { type: 'boolean', default: false, help: 'write the passages as JSON' },
    config: {
      type: 'string',
      help: 'parallax.json with pipelines (default: the one in this folder, if any)',
    },
  },

  async run({ values, positionals }, io) {
    const [query, ...surplus] = positionals;
    if (query === undefined || surplus.length > 0)
      throw new UsageError('Give the query as one argument, in quotes.');
    const { name, pipeline } = readPipeline(values.pipeline, await readConfig(values.config));
    const depth = values.k === undefined ? pipeline.k : readCount(values.k);
    const { corpus, engine } = await openStore(required(values.store, 'store'), io);
    try {
      const { candidates, search } = await engine.request(
        'search',
        { corpus, query: { text: query }, perspectives: [], pipeline, depth },
        { onProgress: progressLine(io, 'Preparing') },
      );
      if (values.json) {
        const passages = candidates.map((candidate, index) => describePassage(candidate, index + 1));
        await writeJson('-', { query, name, pipeline, search, passages }, io);
      } else
        for (const [index, candidate] of candidates.entries())
          io.stdout(formatPassage(candidate, index + 1, query));
      return 0;
    } finally {
      await engine.close();
    }
  },
});

function readCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1)
    throw new UsageError(`--k is a whole number from 1, not "${text}".`);
  return count;
}

type Candidate = Result<'search'>['candidates'][number];

function describePassage(candidate: Candidate, rank: number): object {
  const { score, id, documentId, path, title, section, text, span, lines } = candidate;
  const name = passageName(candidate);
  return { rank, score, id, name, document: documentId, path, title, section, text, ...span, ...lines };
}

function formatPassage(candidate: Candidate, rank: number, query: string): string {
  const { score, documentId, lines, text } = candidate;
  const read = readPassage(text, query, isCode(documentId));
  const { start, end, cutBefore, cutAfter } = excerpt(read.text, [], read.from, SNIPPET_LENGTH);
  const shown = `${cutBefore ? '… ' : ''}${read.text.slice(start, end)}${cutAfter ? ' …' : ''}`;
  return `${String(rank).padStart(3)}  ${score.toFixed(4)}  ${passageName(candidate)}  (${documentId}:${lines.startLine + 1})\n     ${shown}\n`;
}
