/**
 * The data sets of a command: queries with judgements, each asked of a corpus. What `eval`, `tune` and
 * `analyze` are given, read in one place.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../core/errors.ts';
import { parseEvalSet } from '../core/formats/queries.ts';
import { parseQrels } from '../core/formats/trec.ts';
import { PLAIN_PERSPECTIVE, type Qrels, type Query } from '../core/model.ts';
import type { CorpusIndex } from '../engine/corpora/corpus-index.ts';
import type { PipelineServices } from '../engine/retrieval/pipeline-services.ts';
import type { ParallaxConfig } from '../shared/config.ts';
import { readInput } from '../engine/files/read-input.ts';
import { splitByPages } from '../engine/web/own-pages.ts';
import { judgedByQrels } from './judged-by-qrels.ts';
import { openForEvaluation, type EvaluatedCorpus } from './evaluated-corpus.ts';
import { corpusOfPaths } from './local-corpus.ts';
import { readSplit } from './pipeline-option.ts';
import { formatSkipped, progressLine } from './progress.ts';
import { required, UsageError, type Io } from './terminal.ts';

/** Options of every command that works on data sets; with {@link DATASETS_HELP}. */
export const DATASET_OPTIONS = {
  corpus: { type: 'string', multiple: true },
  queries: { type: 'string', multiple: true },
  qrels: { type: 'string', multiple: true },
  split: { type: 'string', default: 'none' },
  'per-query': { type: 'boolean', default: false },
  store: { type: 'string' },
  json: { type: 'string' },
  config: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

export interface DatasetValues {
  readonly corpus?: readonly string[] | undefined;
  readonly queries?: readonly string[] | undefined;
  readonly qrels?: readonly string[] | undefined;
  readonly split: string;
  readonly 'per-query'?: boolean | undefined;
  readonly store?: string | undefined;
}

export const DATASET_HELP = `  --corpus    a corpus file (BEIR corpus.jsonl and the like) or a folder
  --queries   queries with their perspectives, JSONL
  --qrels     TREC qrels, plain or diversity (query perspective passage relevance)
  --split     how documents become passages (default none: a record or document is one passage)
  --per-query  the corpus is a snapshot of parallax web: every question has the pages that were found for it as a
              corpus of its own (BERDS, section 4.2)
  --store     keep the index in this folder, so that the next run starts warm
  --json      also write everything as JSON to a file; - writes JSON, and nothing else, to standard output
  --config    parallax.json with pipelines and embedders (default: the one in this folder, if any)
`;

/** For commands that take more than one. */
export const DATASETS_HELP = `Several data sets: --corpus, --queries and --qrels may be repeated, each with a name, as in kialo=queries.jsonl.
  Queries and qrels belong together by name. One corpus serves all queries, and one set of queries is asked of
  all corpora. Several of both pair up where the names of the corpora are those of the queries; where no name
  is the same, all queries are asked of all corpora, as data sets named kialo/wiki. Qrels may be named after
  the data set (kialo/wiki, or wiki where there is one set of queries) where each corpus has its own.
`;

/** Queries with judgements, and the corpus they are asked of, opened and up to date. */
export interface Dataset extends DatasetPlan {
  /** Those that have judgements. */
  readonly queries: readonly Query[];
  /** Each judged query with all its perspectives, also those without a judgement. */
  readonly qrels: Qrels;
  readonly index: CorpusIndex;
  /** Those of the workspace, except that the qrels stand for the human labels. */
  readonly services: PipelineServices;
  readonly judges: EvaluatedCorpus['judges'];
  readonly judgementService: EvaluatedCorpus['judgementService'];
  readonly replies: EvaluatedCorpus['replies'];
}

/** Which files make a data set. */
export interface DatasetPlan {
  /** Unique; empty where there is one and it was given none. */
  readonly name: string;
  /** Name of the corpus, empty where there is one and it was given none. */
  readonly corpus: string;
  readonly corpusPath: string;
  readonly queriesFile: string;
  readonly qrelsFile: string;
}

/**
 * Does some work on every data set, one after the other. All files are read before any corpus is indexed, and
 * each corpus is open only as long as its data sets need it.
 *
 * @returns what the work returned, in the order of {@link planDatasets}
 * @throws UsageError for options that do not fit together, ParallaxError for files that cannot be read
 */
export async function forEachDataset<T>(
  values: DatasetValues,
  config: ParallaxConfig,
  io: Io,
  work: (dataset: Dataset) => Promise<T>,
): Promise<T[]> {
  const split = readSplit(values.split);
  const plans = planDatasets(values);
  const judged = new Map<DatasetPlan, JudgedQueries>();
  for (const plan of plans) judged.set(plan, await readJudgedQueries(plan, io));

  const results: T[] = [];
  for (const [corpus, own] of Map.groupBy(plans, (plan) => plan.corpus)) {
    const [{ corpusPath }] = own as [DatasetPlan];
    const store = values.store && path.join(values.store, corpus === '' ? '' : encodeURIComponent(corpus));
    const source = corpusOfPaths({ paths: [corpusPath], split, perQuery: values['per-query'] });
    const local = await openForEvaluation(source, store, config, io);
    try {
      await local.corpus.update({ onProgress: progressLine(io, `Indexing ${corpus}`.trim()) });
      for (const line of formatSkipped(local.corpus.skipped)) io.stderr(line);
      for (const plan of own) {
        const { queries, qrels } = await withPages(local.corpus, judged.get(plan)!, plan, io);
        warnOfUnknownPassages(local.corpus, qrels, plan, io);
        const services = judgedByQrels(local.services, qrels, local.corpus);
        const { corpus: index, judges, judgementService, replies } = local;
        results.push(
          await work({ ...plan, queries, qrels, index, services, judges, judgementService, replies }),
        );
      }
    } finally {
      await local.close();
    }
  }
  return results;
}

/**
 * Puts corpora, queries and qrels together, corpus by corpus; the rules stand in {@link DATASETS_HELP}.
 *
 * @returns at least one
 * @throws UsageError for missing, repeated or unknown names
 */
export function planDatasets(values: DatasetValues): DatasetPlan[] {
  const corpora = readNamed('corpus', values.corpus);
  const queries = readNamed('queries', values.queries);
  const qrels = readNamed('qrels', values.qrels);
  const used = new Set<string>();
  const plans = pairUp(corpora, queries).map(({ name, corpus, evalSet }) => {
    const found = qrelsFor(name, evalSet, qrels);
    if (found === undefined)
      throw new UsageError(
        `There are no --qrels for ${name}; given are ${qrels.map((each) => each.name).join(', ')}.`,
      );
    used.add(found.name);
    return {
      name,
      corpus: corpus.name,
      corpusPath: corpus.path,
      queriesFile: evalSet.path,
      qrelsFile: found.path,
    };
  });
  const surplus = qrels.find(({ name }) => !used.has(name));
  if (surplus)
    throw new UsageError(
      `--qrels ${surplus.name} belongs to no data set; there are ${plans.map(({ name }) => name).join(', ')}.`,
    );
  return plans;
}

interface NamedPath {
  /** Empty for the only one, where it was given none. */
  readonly name: string;
  readonly path: string;
}

interface Pair {
  readonly name: string;
  readonly corpus: NamedPath;
  readonly evalSet: NamedPath;
}

function pairUp(corpora: readonly NamedPath[], evalSets: readonly NamedPath[]): Pair[] {
  const [onlyCorpus, anotherCorpus] = corpora;
  const [onlySet, anotherSet] = evalSets;
  if (!anotherCorpus)
    return evalSets.map((evalSet) => ({ name: evalSet.name, corpus: onlyCorpus!, evalSet }));
  if (!anotherSet) return corpora.map((corpus) => ({ name: corpus.name, corpus, evalSet: onlySet! }));
  const namesakes = corpora.filter(({ name }) => evalSets.some((evalSet) => evalSet.name === name));
  if (namesakes.length === 0)
    return corpora.flatMap((corpus) =>
      evalSets.map((evalSet) => ({ name: `${evalSet.name}/${corpus.name}`, corpus, evalSet })),
    );
  const alone = [...corpora, ...evalSets].find(({ name }) => !namesakes.some((each) => each.name === name));
  if (alone)
    throw new UsageError(
      `${alone.name} is not the name of both a --corpus and a --queries, though ${namesakes[0]!.name} is: ` +
        'give all the same names to pair them up, or none to ask all queries of all corpora.',
    );
  return corpora.map((corpus) => ({
    name: corpus.name,
    corpus,
    evalSet: evalSets.find(({ name }) => name === corpus.name)!,
  }));
}

function qrelsFor(dataset: string, evalSet: NamedPath, qrels: readonly NamedPath[]): NamedPath | undefined {
  const [only, another] = qrels;
  return (
    qrels.find(({ name }) => name === dataset) ??
    qrels.find(({ name }) => name === evalSet.name) ??
    (!another && (only?.name === '' || evalSet.name === '') ? only : undefined)
  );
}

/** `path` or `name=path`; a file whose whole name has an equals sign is a path. */
function readNamed(option: 'corpus' | 'queries' | 'qrels', given: readonly string[] = []): NamedPath[] {
  required(given[0], option);
  const named = given.map((text) => {
    const parts = existsSync(text) ? undefined : /^([^=]+)=(.+)$/su.exec(text);
    return parts ? { name: parts[1]!, path: parts[2]! } : { name: '', path: text };
  });
  if (named.length === 1) return named;
  for (const [index, { name, path: place }] of named.entries()) {
    if (name === '')
      throw new UsageError(
        `--${option} is given ${named.length} times: each needs a name, as in --${option} name=${place}.`,
      );
    if (named.findIndex((other) => other.name === name) !== index)
      throw new UsageError(`--${option} has the name ${name} twice.`);
  }
  return named;
}

interface JudgedQueries {
  readonly queries: readonly Query[];
  readonly qrels: Qrels;
}

async function readJudgedQueries({ queriesFile, qrelsFile }: DatasetPlan, io: Io): Promise<JudgedQueries> {
  const { queries, warnings } = await readInput(queriesFile, (text) => parseEvalSet(text, queriesFile));
  const parsed = await readInput(qrelsFile, (text) => parseQrels(text));
  for (const warning of warnings) io.stderr(`warning: ${warning}\n`);
  for (const warning of parsed.warnings) io.stderr(`warning: ${qrelsFile}: ${warning}\n`);
  const judged = queries.filter(({ id }) => parsed.qrels.has(id)).map(withStances);
  checkShared(queries, parsed.qrels, judged.length, { queriesFile, qrelsFile }, io);
  return {
    queries: judged,
    qrels: parsed.kind === 'plain' ? parsed.qrels : withAllPerspectives(parsed.qrels, judged),
  };
}

/** What finds nothing only because no page was fetched for it says nothing about a pipeline. */
async function withPages(
  index: CorpusIndex,
  { queries, qrels }: JudgedQueries,
  { queriesFile }: DatasetPlan,
  io: Io,
): Promise<JudgedQueries> {
  const { asked, leftOut } = await splitByPages(index, queries);
  if (leftOut.length === 0) return { queries, qrels };
  const ids = new Set(leftOut.map(({ id }) => id));
  io.stderr(
    `warning: ${l10n.t`${ids.size} of ${queries.length} queries of ${queriesFile} have no pages that were found for them, and are left out: ${[...ids].join(', ')}.`}\n`,
  );
  return { queries: asked, qrels: new Map([...qrels].filter(([id]) => !ids.has(id))) };
}

/** A perspective that nobody judged anything for must still be covered. */
function withAllPerspectives(qrels: Qrels, queries: readonly Query[]): Qrels {
  const perspectivesOf = new Map(queries.map(({ id, perspectives }) => [id, perspectives]));
  return new Map(
    [...qrels].map(([query, judgements]) => {
      const unjudged = (perspectivesOf.get(query) ?? []).filter(
        ({ id }) => id !== PLAIN_PERSPECTIVE && !judgements.has(id),
      );
      return [query, new Map([...judgements, ...unjudged.map(({ id }) => [id, new Map()] as const)])];
    }),
  );
}

/** Where an eval set calls its two perspectives `support` and `oppose`, it says which side they are on. */
function withStances(query: Query): Query {
  const { perspectives } = query;
  const sides = new Set(perspectives.map(({ id }) => id));
  const isNamed = perspectives.length === 2 && sides.has('support') && sides.has('oppose');
  if (!isNamed || perspectives.some(({ stance }) => stance !== undefined)) return query;
  return {
    ...query,
    perspectives: perspectives.map((each) => ({
      ...each,
      stance: each.id === 'support' ? 'support' : 'oppose',
    })),
  };
}

function checkShared(
  queries: readonly Query[],
  qrels: Qrels,
  judged: number,
  { queriesFile, qrelsFile }: Pick<DatasetPlan, 'queriesFile' | 'qrelsFile'>,
  io: Io,
): void {
  if (judged === 0)
    throw new ParallaxError(
      'bad-argument',
      `${queriesFile} and ${qrelsFile} share no query; check that they use the same ids ` +
        `("${queries[0]?.id}", "${[...qrels.keys()][0]}").`,
    );
  if (judged < qrels.size)
    io.stderr(
      `warning: ${qrels.size - judged} of ${qrels.size} judged queries of ${qrelsFile} are not among the queries and count zero.\n`,
    );
  if (judged < queries.length)
    io.stderr(
      `warning: ${queries.length - judged} of ${queries.length} queries of ${queriesFile} have no judgements and are left out.\n`,
    );
}

function warnOfUnknownPassages(index: CorpusIndex, qrels: Qrels, { qrelsFile }: DatasetPlan, io: Io): void {
  const judged = new Set(
    [...qrels.values()].flatMap((topic) => [...topic.values()].flatMap((passages) => [...passages.keys()])),
  );
  const missing = [...judged].filter((id) => !index.passageById(id)).length;
  if (missing > 0)
    io.stderr(
      `warning: ${missing} of ${judged.size} judged passages of ${qrelsFile} are not in the corpus; check ids and --split.\n`,
    );
}
