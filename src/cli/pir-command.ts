/** `parallax pir`: perspective-aware retrieval on a task in PIR's format. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  goldOfRoots,
  perspectiveRecall,
  rootRecall,
  type PerspectiveRecall,
} from '../core/analysis/p-recall.ts';
import { parsePirTask, type PirQuery, type PirTask } from '../core/formats/pir.ts';
import type { Ranked, Run } from '../core/model.ts';
import type { Pipeline } from '../core/pipeline.ts';
import type { PipelineQuery } from '../engine/retrieval/run-pipeline.ts';
import { openPaths, progressLine, readConfig, readPipeline, type LocalCorpus } from './local-corpus.ts';
import {
  formatTable,
  parseCutoffs,
  readInput,
  readOptions,
  required,
  UsageError,
  writeJson,
  type Io,
} from './terminal.ts';

const HELP = `parallax pir --task <file> --pipeline <json|name> …

  --task      a task in the format of PIR: corpus, queries, source_queries, perspectives, key_ref, query_labels
  --pipeline  a pipeline as JSON, or its name; may be repeated. One with a projection gets root query,
              perspective and full query; others get the full query
  --k         one cutoff (default 5)
  --json      also write the figures as JSON to a file; - writes JSON, and nothing else, to standard output
  --config    parallax.json with pipelines and embedders (default: the one in this folder, if any)

"authors" is p-Recall with roots of a single query counted 0, as in the authors' code.
"root" is Recall of the root queries without a perspective.
`;

interface PirReport {
  readonly name: string;
  readonly pipeline: Pipeline;
  readonly pRecall: number;
  readonly pRecallAuthors: number;
  readonly recall: number;
  readonly rootRecall: number;
  readonly byLabel: Readonly<Record<string, number>>;
}

/** @returns the exit code */
export async function pirCommand(argv: readonly string[], io: Io): Promise<number> {
  const { values } = readOptions(argv, {
    task: { type: 'string' },
    pipeline: { type: 'string', multiple: true },
    k: { type: 'string', default: '5' },
    json: { type: 'string' },
    config: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  });
  if (values.help) {
    io.stdout(HELP);
    return 0;
  }
  const file = required(values.task, 'task');
  if (!values.pipeline) throw new UsageError('--pipeline is missing.');
  const config = await readConfig(values.config);
  const pipelines = values.pipeline.map((text) => readPipeline(text, config));
  const [k, ...more] = parseCutoffs(values.k);
  if (k === undefined || more.length > 0) throw new UsageError('--k takes one cutoff here.');
  const task = await readInput(file, (text) => parsePirTask(text, file));
  const folder = await mkdtemp(path.join(tmpdir(), 'parallax-pir-'));
  try {
    const local = await openTask(task, folder, config, io);
    const reports: PirReport[] = [];
    try {
      for (const { name, pipeline } of pipelines)
        reports.push(await evaluate(local, task, name, pipeline, k, io));
    } finally {
      await local.close();
    }
    if (values.json !== '-') io.stdout(describe(reports, task, k));
    if (values.json !== undefined) await writeJson(values.json, { k, pipelines: reports }, io);
    return 0;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The passages of a task as a corpus. */
async function openTask(
  { corpus }: PirTask,
  folder: string,
  config: Parameters<typeof openPaths>[0]['config'],
  io: Io,
): Promise<LocalCorpus> {
  const file = path.join(folder, 'corpus.jsonl');
  await writeFile(file, corpus.map(({ id, text }) => `${JSON.stringify({ _id: id, text })}\n`).join(''));
  const local = await openPaths({ paths: [file], store: undefined, split: { type: 'none' }, config }, io);
  await local.corpus.update({ onProgress: progressLine(io, 'Indexing') });
  return local;
}

async function evaluate(
  local: LocalCorpus,
  { queries }: PirTask,
  name: string,
  pipeline: Pipeline,
  k: number,
  io: Io,
): Promise<PirReport> {
  const onProgress = progressLine(io, name);
  const run = async (asked: readonly (readonly [string, PipelineQuery])[], stage: Pipeline): Promise<Run> => {
    const ranked = new Map<string, readonly Ranked[]>();
    for (const [id, query] of asked) {
      const { hits } = await local.corpus.search(stage, query, k, local.services);
      ranked.set(
        id,
        hits.map(({ item, score }) => ({ item: local.corpus.passageId(item), score })),
      );
      onProgress({ done: ranked.size, total: asked.length });
    }
    return ranked;
  };
  const answers = await run(
    queries.map((query) => [query.id, queryFor(query, pipeline)]),
    pipeline,
  );
  const roots = await run(
    [...goldOfRoots(queries).keys()].map((root) => [root, { text: root, perspectives: [] }]),
    { ...pipeline, projection: undefined, expansion: undefined, rerank: [] },
  );
  const { pRecall, pRecallAuthors, recall, byLabel } = perspectiveRecall(answers, queries, k);
  return {
    name,
    pipeline,
    pRecall,
    pRecallAuthors,
    recall,
    rootRecall: rootRecall(roots, queries, k),
    byLabel: recallByLabel(byLabel),
  };
}

/** A projection takes the root apart from the perspective; everything else searches with the full query. */
function queryFor({ root, perspective, text }: PirQuery, { projection }: Pipeline): PipelineQuery {
  const perspectives = [{ id: 'asked', text: perspective }];
  return projection ? { text: root, perspectives, fullTexts: [text] } : { text, perspectives };
}

function recallByLabel(byLabel: PerspectiveRecall['byLabel']): Record<string, number> {
  return Object.fromEntries([...byLabel].map(([label, { recall }]) => [label, recall]));
}

function describe(reports: readonly PirReport[], { queries }: PirTask, k: number): string {
  const percent = (share: number | undefined): string =>
    share === undefined ? '' : (share * 100).toFixed(1);
  const labels = Object.keys(reports[0]?.byLabel ?? {});
  const header = ['pipeline', `p-Recall@${k}`, 'authors', `Recall@${k}`, 'root', ...labels];
  const rows = reports.map((report) => [
    report.name,
    percent(report.pRecall),
    percent(report.pRecallAuthors),
    percent(report.recall),
    percent(report.rootRecall),
    ...labels.map((label) => percent(report.byLabel[label])),
  ]);
  return `${queries.length} queries, ${goldOfRoots(queries).size} roots; all figures in percent.\n\n${formatTable(header, rows)}`;
}
