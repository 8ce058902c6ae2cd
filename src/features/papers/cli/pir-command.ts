/** `parallax pir`: perspective-aware retrieval on a task in PIR's format. */
import { counted, counts } from '../../../core/counted.ts';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { goldOfRoots, type PerspectiveRecall } from '../../../core/analysis/p-recall.ts';
import { parsePirTask, type PirTask } from '../../../core/formats/pir.ts';
import { readArgument } from '../../../engine/files/read-input.ts';
import type { ParallaxConfig } from '../../../shared/config.ts';
import type { ExtractionComparison, PirReport } from '../../../shared/experiment.ts';
import type { Params } from '../../../shared/rpc.ts';
import { corpusOfPaths, openCorpus, updateIndex, type LocalCorpus } from '../../../cli/local-corpus.ts';
import { readPipelines } from '../../../cli/options/pipeline-option.ts';
import { progressLine } from '../../../cli/presentation/progress.ts';
import { CONFIG_OPTION, readConfigFromHere } from '../../../cli/options/read-config.ts';
import {
  formatTable,
  parseCutoff,
  percent,
  required,
  UsageError,
  writeJson,
  type Io,
} from '../../../cli/presentation/terminal.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../../engine/store/temporary-folder.ts';
import { command } from '../../../cli/commands/command.ts';

export const pirCommand = command({
  usage: 'parallax pir <task.json> --pipeline <json|name> …',
  positionals: true,
  argument: [
    '<task.json>',
    'a task in the format of PIR: corpus, queries, source_queries, perspectives, key_ref, query_labels',
  ],
  options: {
    task: { type: 'string' },
    pipeline: {
      type: 'string',
      multiple: true,
      help: 'a pipeline as JSON, or its name; may be repeated. One with a projection gets root query,\nperspective and full query; others get the full query',
    },
    extract: {
      type: 'string',
      help: 'name of a judge whose model takes the full queries apart: adds how well the extracted perspectives\nagree with the annotated ones, and the recall with each (PIR, table 6)',
    },
    k: { type: 'string', default: '5', help: 'one cutoff (default 5)' },
    json: {
      type: 'string',
      help: 'also write the figures as JSON to a file; - writes JSON, and nothing else, to standard output',
    },
    config: CONFIG_OPTION,
  },
  notes: `"authors" is p-Recall with roots of a single query counted 0, as in the authors' code.
"root" is Recall of the root queries alone, by the retriever without further steps; the shares say of which
perspectives the right passages are that these find.
`,
  async run({ values, positionals }, io) {
    const file = readTaskFile(positionals, values.task);
    const config = await readConfigFromHere(values.config);
    const pipelines = readPipelines(values.pipeline, config);
    const k = parseCutoff(values.k);
    const task = await readArgument(file, (text) => parsePirTask(text, file));
    const reports = await evaluate(task, { pipelines, k, extract: values.extract }, config, io);
    if (values.json !== '-') io.stdout(describe(reports, task, k));
    if (values.json !== undefined) await writeJson(values.json, jsonOf(reports, k), io);
    return 0;
  },
});

/** Indexes the passages of the task as a temporary corpus. */
async function evaluate(
  task: PirTask,
  asked: Pick<Params<'pirTask'>, 'pipelines' | 'k' | 'extract'>,
  config: ParallaxConfig,
  io: Io,
): Promise<readonly PirReport[]> {
  const folder = await makeTemporaryFolder('pir');
  try {
    await using local = await openTask(task, folder, config, io);
    await updateIndex(local, io);
    const params = { ...asked, corpus: local.corpus, queries: [...task.queries] };
    const { pipelines } = await local.engine.request('pirTask', params, {
      onProgress: ({ detail = '', ...progress }) => progressLine(io, detail)(progress),
    });
    return pipelines;
  } finally {
    await removeTemporaryFolder(folder);
  }
}

/** For a single pipeline only the figures, without its name. */
function jsonOf(reports: readonly PirReport[], k: number): object {
  const figures = (report: PirReport): object => ({
    [`pRecall@${k}`]: report.pRecall,
    [`pRecallAuthors@${k}`]: report.pRecallAuthors,
    [`recall@${k}`]: report.recall,
    byPerspective: report.byPerspective,
    rootOnly: {
      [`recall@${k}`]: report.rootRecall,
      shares: report.rootShares,
      passages: report.rootPassages,
    },
    heatMap: report.heatMap,
    ...(report.extraction ? { extraction: extractionJson(report.extraction, k) } : {}),
  });
  const [only, another] = reports;
  if (only && !another) return figures(only);
  return {
    pipelines: reports.map((report) => ({
      name: report.name,
      pipeline: report.pipeline,
      ...figures(report),
    })),
  };
}

/** Each figure for annotated beside extracted perspectives. */
function extractionJson(
  { agreement, annotated, extracted, unsplit }: ExtractionComparison,
  k: number,
): object {
  const recalls = ({ pRecall, recall }: PerspectiveRecall): object => ({
    [`pRecall@${k}`]: pRecall,
    [`recall@${k}`]: recall,
  });
  return { ...agreement, annotated: recalls(annotated), extracted: recalls(extracted), unsplit };
}

function readTaskFile([file, ...surplus]: readonly string[], option: string | undefined): string {
  if (surplus.length > 0) throw new UsageError(`There is one task at a time, not also "${surplus[0]}".`);
  if (file !== undefined && option !== undefined)
    throw new UsageError('The task is given twice, as an argument and as --task.');
  return required(file ?? option, 'task');
}

async function openTask(
  { corpus }: PirTask,
  folder: string,
  config: ParallaxConfig,
  io: Io,
): Promise<LocalCorpus> {
  const file = path.join(folder, 'corpus.jsonl');
  await writeFile(file, corpus.map(({ id, text }) => `${JSON.stringify({ _id: id, text })}\n`).join(''));
  return openCorpus(corpusOfPaths({ paths: [file], split: { type: 'none' } }), undefined, config, io);
}

function describe(reports: readonly PirReport[], { queries }: PirTask, k: number): string {
  const labels = Object.keys(reports[0]?.byPerspective ?? {});
  const cells = (byLabel: Readonly<Record<string, number>>): string[] =>
    labels.map((label) => (label in byLabel ? percent(byLabel[label]!) : ''));
  const recalls = formatTable(
    ['pipeline', `p-Recall@${k}`, 'authors', `Recall@${k}`, 'root', ...labels],
    reports.map((report) => [
      report.name,
      ...[report.pRecall, report.pRecallAuthors, report.recall, report.rootRecall].map(percent),
      ...cells(report.byPerspective),
    ]),
  );
  const shares = formatTable(
    ['pipeline', ...labels],
    reports.map(({ name, rootShares }) => [name, ...cells(rootShares)]),
  );
  return (
    `${counts.questions(queries.length)}, ${counted('{0} [0:root|roots]', goldOfRoots(queries).size)}; all figures in percent.\n\n${recalls}\n` +
    `Perspectives of the right passages that root queries alone find:\n\n${shares}` +
    reports.map((report) => groupsTable(report, labels, k)).join('') +
    describeExtraction(reports, k)
  );
}

/** The most perspectives with a column of their own. The JSON has all. */
const SHOWN_LABELS = 12;

/** What is found for each perspective that is asked for (PIR, figures 3 and 6), and for none (figure 5). */
function groupsTable(
  { name, heatMap, rootPassages }: PirReport,
  labels: readonly string[],
  k: number,
): string {
  const shown = labels.length <= SHOWN_LABELS ? labels : [];
  const rows = labels.map((asked) => {
    const row = heatMap[asked] ?? {};
    const others = Object.entries(row).reduce(
      (sum, [label, share]) => sum + (label === asked ? 0 : share),
      0,
    );
    return [
      asked,
      ...[row[asked] ?? 0, others].map(percent),
      String(rootPassages[asked] ?? 0),
      ...shown.map((label) => percent(row[label] ?? 0)),
    ];
  });
  const table = formatTable(['asked for', 'found', 'others', 'by roots', ...shown], rows);
  return (
    `\n${name}: share of the top ${k} that belongs to the perspective asked for and to others, and the number of passages\n` +
    `that root queries find of it. A passage that is right for no query belongs to none.\n\n${table}`
  );
}

/** Empty without `--extract`. */
function describeExtraction(reports: readonly PirReport[], k: number): string {
  const compared = reports.flatMap(({ name, extraction }) => (extraction ? [{ name, ...extraction }] : []));
  const [first] = compared;
  if (!first) return '';
  const table = formatTable(
    ['pipeline', `p-Recall@${k}, annotated`, 'extracted', `Recall@${k}, annotated`, 'extracted'],
    compared.map(({ name, annotated, extracted }) => [
      name,
      ...[annotated.pRecall, extracted.pRecall, annotated.recall, extracted.recall].map(percent),
    ]),
  );
  const { tokenF1, intersectionOverUnion } = first.agreement;
  const unsplit = first.unsplit.map(({ queryId, reason }) => `  query ${queryId}: ${reason}\n`);
  const count = unsplit.length === 0 ? 'none' : String(unsplit.length);
  return (
    `\nExtracted against annotated perspectives: token F1 ${percent(tokenF1)}, intersection over union ${percent(intersectionOverUnion)} ` +
    `(what PIR prints as QA-F1).\n\n${table}\nSearched as a whole, because they were not split: ${count}\n${unsplit.join('')}`
  );
}
