/** `parallax build labels`: pairs to be labelled, to measure judges on (BERDS, appendix A.4). */
import { parseEvalSet } from '../core/formats/queries.ts';
import { labelSet, type QueryPool } from '../engine/building/label-set.ts';
import { readInput } from '../engine/files/read-input.ts';
import { openPaths, progressLine, readConfig, readPipelines, readSplit } from './local-corpus.ts';
import { writeText } from '../engine/files/output-file.ts';
import { parseCutoff, readOptions, required, type Io } from './terminal.ts';

const HELP = `parallax build labels --corpus <file|folder> --queries <file> --pipeline <json|name> --pipeline … --out <file>

  --corpus      files or a folder
  --queries     the eval set, JSONL
  --pipeline    a pipeline as JSON, or its name: bm25, dense, hybrid, or one of parallax.json; two as a rule
  --k           passages taken of each pipeline (default 5)
  --out         JSONL with question, document and perspective per line; - for standard output. Fill in "label" (1 or
                0), then parallax judge validate --labels <file> measures judges on it
  --store       where the index is kept (default: a temporary folder)
  --split       how documents become passages (default words:100)
  --text-field  field of the corpus' records that holds the text
  --config      parallax.json with pipelines (default: the one in this folder, if any)

Passages that are nearly the same as one that is in already are left out.
`;

/** @returns the exit code */
export async function buildLabelsCommand(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readOptions(argv, {
    corpus: { type: 'string' },
    queries: { type: 'string' },
    pipeline: { type: 'string', multiple: true },
    k: { type: 'string', default: '5' },
    out: { type: 'string' },
    store: { type: 'string' },
    split: { type: 'string', default: 'words:100' },
    'text-field': { type: 'string' },
    config: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  });
  if (values.help) {
    io.stdout(HELP);
    return 0;
  }
  const config = await readConfig(values.config);
  const pipelines = readPipelines(values.pipeline, config).map(({ pipeline }) => pipeline);
  const k = parseCutoff(values.k);
  const out = required(values.out, 'out');
  const queriesFile = required(values.queries, 'queries');
  const paths = [required(values.corpus, 'corpus')];
  const split = readSplit(values.split);
  const { queries, warnings } = await readInput(queriesFile, (text) => parseEvalSet(text, queriesFile));
  for (const warning of warnings) io.stderr(`warning: ${warning}\n`);
  const { corpus, services, close } = await openPaths(
    { paths, store: values.store, split, textField: values['text-field'], config },
    io,
  );
  try {
    await corpus.update({ onProgress: progressLine(io, 'Indexing') });
    const onProgress = progressLine(io, 'Searching');
    const pools = await labelSet(corpus, services, { queries, pipelines, k }, { onProgress });
    const lines = pools.flatMap(linesOf);
    if (out === '-') io.stdout(lines.join(''), 'data');
    else await writeText(out, lines.join(''));
    io.stderr(describe(pools, lines.length));
    return 0;
  } finally {
    await close();
  }
}

function linesOf({ query, passages }: QueryPool): string[] {
  return passages.flatMap(({ text, documentId, hash }) =>
    query.perspectives.map((perspective) => {
      const { stance } = perspective;
      const asked = { question: query.text, document: text, perspective: perspective.text, label: null };
      const where = { query: query.id, perspectiveId: perspective.id, documentId, hash };
      return `${JSON.stringify({ ...asked, ...(stance ? { stance } : {}), ...where })}\n`;
    }),
  );
}

function describe(pools: readonly QueryPool[], pairs: number): string {
  const passages = pools.reduce((sum, pool) => sum + pool.passages.length, 0);
  const duplicates = pools.reduce((sum, pool) => sum + pool.duplicates, 0);
  return `${pools.length} queries, ${passages} passages (${duplicates} near-duplicates left out), ${pairs} pairs to label.\n`;
}
