/** `parallax build labels`: selects pairs to label, to measure judges on (BERDS, appendix A.4). */
import { counted, counts } from '../../../core/counted.ts';
import { EvalSetReading } from '../../../core/formats/queries.ts';
import { writeText } from '../../../engine/files/output-file.ts';
import { readArgumentLines } from '../../../engine/files/read-input.ts';
import type { Result } from '../../../shared/rpc.ts';
import { command } from '../../../cli/commands/command.ts';
import { corpusOfPaths, openCorpus, updateIndex } from '../../../cli/local-corpus.ts';
import { readPipelines, readSplit } from '../../../cli/options/pipeline-option.ts';
import { progressLine } from '../../../cli/presentation/progress.ts';
import { readConfig } from '../../../cli/options/read-config.ts';
import { parseCutoff, required } from '../../../cli/presentation/terminal.ts';

type Pool = Result<'labelPools'>['pools'][number];

export const buildLabelsCommand = command({
  usage:
    'parallax build labels --corpus <file|folder> --queries <file> --pipeline <json|name> --pipeline … --out <file>',
  options: {
    corpus: { type: 'string', help: 'files or a folder' },
    queries: { type: 'string', help: 'the eval set, JSONL' },
    pipeline: {
      type: 'string',
      multiple: true,
      help: 'a pipeline as JSON, or its name: bm25, dense, hybrid, or one of parallax.json; two as a rule',
    },
    k: { type: 'string', default: '5', help: 'passages taken of each pipeline (default 5)' },
    out: {
      type: 'string',
      help: `JSONL with question, document and perspective per line; - for standard output. Fill in "label" (1 or
0), then parallax judge validate --labels <file> measures judges on it`,
    },
    store: { type: 'string', help: 'where the index is kept (default: a temporary folder)' },
    split: {
      type: 'string',
      default: 'words:100',
      help: 'how documents become passages (default words:100)',
    },
    'text-field': { type: 'string', help: "field of the corpus' records that holds the text" },
    config: {
      type: 'string',
      help: 'parallax.json with pipelines (default: the one in this folder, if any)',
    },
  },
  notes: 'Passages that are nearly the same as one that is in already are left out.\n',

  async run({ values }, io) {
    const config = await readConfig(values.config);
    const pipelines = readPipelines(values.pipeline, config).map(({ pipeline }) => pipeline);
    const k = parseCutoff(values.k);
    const out = required(values.out, 'out');
    const queriesFile = required(values.queries, 'queries');
    const source = corpusOfPaths({
      paths: [required(values.corpus, 'corpus')],
      split: readSplit(values.split),
      textField: values['text-field'],
    });
    const { queries, warnings } = await readArgumentLines(queriesFile, new EvalSetReading(queriesFile));
    for (const warning of warnings) io.stderr(`warning: ${warning}\n`);
    await using local = await openCorpus(source, values.store, config, io);
    await updateIndex(local, io);
    const params = { corpus: local.corpus, queries, pipelines, k };
    const onProgress = progressLine(io, 'Searching');
    const { pools } = await local.engine.request('labelPools', params, { onProgress });
    const lines = pools.flatMap(linesOf);
    if (out === '-') io.stdout(lines.join(''), 'data');
    else await writeText(out, lines.join(''));
    io.stderr(describe(pools, lines.length));
    return 0;
  },
});

function linesOf({ query, passages }: Pool): string[] {
  return passages.flatMap(({ text, documentId, hash }) =>
    query.perspectives.map((perspective) => {
      const { stance } = perspective;
      const fields = { question: query.text, document: text, perspective: perspective.text, label: null };
      const where = { query: query.id, perspectiveId: perspective.id, documentId, hash };
      return `${JSON.stringify({ ...fields, ...(stance ? { stance } : {}), ...where })}\n`;
    }),
  );
}

function describe(pools: readonly Pool[], pairs: number): string {
  const passages = pools.reduce((sum, pool) => sum + pool.passages.length, 0);
  const duplicates = pools.reduce((sum, pool) => sum + pool.duplicates, 0);
  return `${counts.questions(pools.length)}, ${counts.passages(passages)} (${counted('{0} [0:near-duplicate|near-duplicates]', duplicates)} left out), ${counts.pairs(pairs)} to label.\n`;
}
