/** `parallax search`: one query through one pipeline. */
import { searchCorpus } from '../engine/retrieval/search-query.ts';
import { openStore, progressLine, readConfig, readPipeline } from './local-corpus.ts';
import { readOptions, required, UsageError, writeJson, type Io } from './terminal.ts';

const HELP = `parallax search "<query>" --store <folder> [--pipeline <json|name>] [--k 5] [--json]

  --store     an index made by parallax index
  --pipeline  a pipeline as JSON, or its name: bm25 (default), dense, hybrid, or one of parallax.json
  --k         how many passages to show (default: the pipeline's k)
  --json      write the passages as JSON
  --config    parallax.json with pipelines (default: the one in this folder, if any)
`;

const SNIPPET_LENGTH = 160;

/** @returns the exit code */
export async function searchCommand(argv: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = readOptions(
    argv,
    {
      store: { type: 'string' },
      pipeline: { type: 'string', default: 'bm25' },
      k: { type: 'string' },
      json: { type: 'boolean', default: false },
      config: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
    true,
  );
  if (values.help) {
    io.stdout(HELP);
    return 0;
  }
  const [query, ...surplus] = positionals;
  if (query === undefined || surplus.length > 0)
    throw new UsageError('Give the query as one argument, in quotes.');
  const { name, pipeline } = readPipeline(values.pipeline, await readConfig(values.config));
  const k = values.k === undefined ? pipeline.k : readCount(values.k);
  const { corpus, services, close } = await openStore(required(values.store, 'store'), io);
  try {
    const { hits, search } = await searchCorpus(
      corpus,
      pipeline,
      { text: query, perspectives: [] },
      k,
      services,
      {
        onProgress: progressLine(io, 'Preparing'),
      },
    );
    const passages = corpus.passages(hits.map(({ item }) => item)).map((passage, index) => ({
      rank: index + 1,
      score: hits[index]?.score ?? 0,
      ...passage,
    }));
    if (values.json)
      await writeJson('-', { query, name, pipeline, search, passages: passages.map(describePassage) }, io);
    else for (const passage of passages) io.stdout(formatPassage(passage));
    return 0;
  } finally {
    await close();
  }
}

function readCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1)
    throw new UsageError(`--k is a whole number from 1, not "${text}".`);
  return count;
}

type RankedPassage = { rank: number; score: number } & Parameters<typeof describePassage>[0];

function describePassage({
  rank,
  score,
  id,
  documentId,
  path,
  title,
  text,
  span,
  lines,
}: {
  rank: number;
  score: number;
  id: string;
  documentId: string;
  path: string;
  title: string;
  text: string;
  span: { start: number; end: number };
  lines: { startLine: number; endLine: number };
}) {
  return { rank, score, id, document: documentId, path, title, text, ...span, ...lines };
}

function formatPassage({ rank, score, title, documentId, lines, text }: RankedPassage): string {
  const snippet = text.replace(/\s+/gu, ' ');
  const shown = snippet.length > SNIPPET_LENGTH ? `${snippet.slice(0, SNIPPET_LENGTH)}…` : snippet;
  return `${String(rank).padStart(3)}  ${score.toFixed(4)}  ${title}  (${documentId}:${lines.startLine + 1})\n     ${shown}\n`;
}
