/** The data sets of a command: queries with judgements, each asked of a corpus. Shared by all views of `eval`. */
import { existsSync, statSync } from 'node:fs';
import * as l10n from '@vscode/l10n';
import { counted } from '../core/counted.ts';
import { ParallaxError } from '../core/errors.ts';
import { isOfGold } from '../core/formats/gold-perspective.ts';
import { EvalSetReading } from '../core/formats/queries.ts';
import { QrelsReading } from '../core/formats/exchange/trec.ts';
import { qrelsKind } from '../core/metrics/evaluate.ts';
import type { Qrels, Query } from '../core/model.ts';
import { SECTIONS_SPLIT, type SplitSpec } from '../core/split/spec.ts';
import { readArgumentLines } from '../engine/files/read-input.ts';
import type { ParallaxConfig } from '../shared/config.ts';
import { isMeasured } from '../shared/eval-query.ts';
import {
  configuredCorpus,
  corpusNames,
  corpusOfPaths,
  openCorpus,
  updateIndex,
  warnOfSkipped,
  type CorpusSource,
  type LocalCorpus,
} from './local-corpus.ts';
import { ANSWERS_HELP } from './kept-answers.ts';
import { CODE_OPTION, readCode, readSplit } from './options/pipeline-option.ts';
import { CONFIG_OPTION, folderOfConfig } from './options/read-config.ts';
import { requireNamedStore } from './options/store-hint.ts';
import { required, UsageError, type Io } from './presentation/terminal.ts';
import { corpusFolder, madeWith } from './store-manifest.ts';

/** Options of every command that works on data sets; used with {@link DATASETS_HELP}. */
export const DATASET_OPTIONS = {
  corpus: {
    type: 'string',
    multiple: true,
    help: 'a corpus file (BEIR corpus.jsonl and the like) or a folder, or the name of a corpus of parallax.json\n(default: the corpus of parallax.json)',
  },
  queries: {
    type: 'string',
    multiple: true,
    help: 'questions with their perspectives, JSONL (default: the eval sets of parallax.json)',
  },
  qrels: {
    type: 'string',
    multiple: true,
    help: "TREC qrels, plain or diversity (query perspective passage relevance), or BEIR's; without them people's labels\ncount, those of .parallax/judgements.jsonl in this folder",
  },
  split: {
    type: 'string',
    help: 'how documents become passages: none (a record or document is one), sections:120, words:100 …; default: as\nan index in --store was made; else none for a file of records and if --qrels name documents, and\nsections:120, as in the editor, for a folder',
  },
  code: CODE_OPTION,
  'per-query': {
    type: 'boolean',
    default: false,
    help: 'the corpus is a snapshot of parallax web: every question has the pages that were found for it as a\ncorpus of its own (BERDS, section 4.2)',
  },
  store: {
    type: 'string',
    help: `keep the index and what models answer in this folder, so that the next run, of any command, starts
warm; ${ANSWERS_HELP}`,
  },
  json: {
    type: 'string',
    help: 'also write everything as JSON to a file; - writes JSON, and nothing else, to standard output',
  },
  config: CONFIG_OPTION,
} as const;

/** Width of the help's column of names for these options. */
export const DATASET_COLUMN = 10;

export interface DatasetValues {
  readonly corpus?: readonly string[] | undefined;
  readonly queries?: readonly string[] | undefined;
  readonly qrels?: readonly string[] | undefined;
  readonly split?: string | undefined;
  readonly code?: string | undefined;
  readonly 'per-query'?: boolean | undefined;
  readonly store?: string | undefined;
  readonly config?: string | undefined;
}

/** For commands that accept several. */
export const DATASETS_HELP = `Several data sets: --corpus, --queries and --qrels may be repeated, each with a name, as in kialo=queries.jsonl.
  Questions and qrels belong together by name. One corpus serves all questions, and one set of questions is asked of
  all corpora. Several of both pair up where the names of the corpora are those of the questions; where no name
  is the same, all questions are asked of all corpora, as data sets named kialo/wiki. Qrels may be named after
  the data set (kialo/wiki, or wiki where there is one set of questions) where each corpus has its own.
`;

/** Queries, their judgements, and their corpus, opened and up to date. */
export interface Dataset extends DatasetPlan {
  /** With qrels the queries that they judge, else the queries with perspectives. */
  readonly queries: readonly Query[];
  /** `undefined` if human labels are used instead. */
  readonly qrels: Qrels | undefined;
  /** The file of human labels, as shown to the user. `undefined` if there is none. */
  readonly labels: string | undefined;
  readonly local: LocalCorpus;
}

/** The files of a data set. */
export interface DatasetPlan {
  /** Unique. Empty for a single data set without a name. */
  readonly name: string;
  /** Name of the corpus. Empty for a single corpus without a name. */
  readonly corpus: string;
  readonly corpusPath: string;
  readonly queriesFile: string;
  /** `undefined` if human labels are used instead. */
  readonly qrelsFile: string | undefined;
}

/** The same fields as in {@link Dataset}. */
export type JudgementFiles = Partial<Pick<Dataset, 'qrelsFile' | 'labels'>>;

/** The file of judgements behind figures, as shown to the user. `undefined` if there is none. */
export function judgementsOf({ qrelsFile, labels }: JudgementFiles): string | undefined {
  return qrelsFile ?? labels;
}

/**
 * Processes the data sets one after the other. Reads all files before it indexes any corpus, and keeps each corpus open
 * only as long as its data sets need it.
 *
 * @returns the results of the work, in the order of {@link planDatasets}
 * @param judged whether a judge fills gaps in the qrels, so that queries without qrels count too
 * @throws UsageError for conflicting options, ParallaxError for files that cannot be read
 */
export async function forEachDataset<T>(
  values: DatasetValues,
  config: ParallaxConfig,
  io: Io,
  work: (dataset: Dataset) => Promise<T>,
  { judged: isJudged = false }: { readonly judged?: boolean } = {},
): Promise<T[]> {
  // Checked before any file is read, because these options concern all data sets.
  if (values.split !== undefined) readSplit(values.split);
  if (values.code !== undefined) readCode(values.code);
  const plans = planDatasets(values, config);
  const judged = new Map<DatasetPlan, JudgedQueries>();
  for (const plan of plans) judged.set(plan, await readJudgedQueries(plan, isJudged, io));

  const results: T[] = [];
  for (const [corpus, plansOfCorpus] of Map.groupBy(plans, (plan) => plan.corpus)) {
    const [{ corpusPath }] = plansOfCorpus as [DatasetPlan];
    const source = ownCorpus(corpusPath, values, config) ?? (await corpusOfPath(plansOfCorpus, values));
    await using local = await openCorpus(source, values.store, config, io);
    await updateIndex(local, io, { title: `Indexing ${corpus}`.trim() });
    await warnOfSkipped(local, io);
    for (const plan of plansOfCorpus) {
      const { queries, qrels } = judged.get(plan)!;
      if (qrels) await warnOfUnknownPassages(local, qrels, plan, io);
      results.push(await work({ ...plan, queries, qrels, labels: local.engine.labels, local }));
    }
  }
  return results;
}

/** A file or folder as a corpus. An existing index keeps its passages unless an option says otherwise. */
async function corpusOfPath(plans: readonly DatasetPlan[], values: DatasetValues): Promise<CorpusSource> {
  const { corpus, corpusPath } = plans[0]!;
  const { split, code, store, 'per-query': perQuery } = values;
  const manifest = store === undefined ? undefined : await madeWith(corpusFolder(store, corpus));
  const source = corpusOfPaths({
    paths: [corpusPath],
    split: split === undefined ? (manifest?.split ?? usualSplit(plans)) : readSplit(split),
    code: code === undefined ? manifest?.code : readCode(code),
    perQuery,
  });
  return { ...source, within: corpus };
}

/** Qrels name whole records or documents, so these are not split by default; a folder is split as in the editor. */
function usualSplit(plans: readonly DatasetPlan[]): SplitSpec {
  const isWhole = plans.some(({ qrelsFile }) => qrelsFile !== undefined) || !isFolder(plans[0]!.corpusPath);
  return isWhole ? readSplit('none') : SECTIONS_SPLIT;
}

function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Combines corpora, queries and qrels, corpus by corpus; see {@link DATASETS_HELP} for the rules.
 *
 * @returns at least one
 * @param config provides the corpus if --corpus is not given
 * @throws UsageError for missing, repeated or unknown names
 */
export function planDatasets(
  values: DatasetValues,
  config?: Pick<ParallaxConfig, 'corpora' | 'corpus' | 'pipelines'>,
): DatasetPlan[] {
  if (config && values.corpus === undefined) requireNamedStore(config);
  const corpora = readNamed('corpus', values.corpus ?? (config && corpusNames(config)));
  const queries = readNamed('queries', values.queries);
  const qrels = values.qrels ? readNamed('qrels', values.qrels) : [];
  const used = new Set<string>();
  const plans = pairUp(corpora, queries).map(({ name, corpus, evalSet }) => {
    const match = qrelsFor(name, evalSet, qrels);
    if (match === undefined && qrels.length > 0)
      throw new UsageError(
        `There are no --qrels for ${name}; given are ${qrels.map((each) => each.name).join(', ')}.`,
      );
    if (match) used.add(match.name);
    return {
      name,
      corpus: corpus.name,
      corpusPath: corpus.path,
      queriesFile: evalSet.path,
      qrelsFile: match?.path,
    };
  });
  const surplus = qrels.find(({ name }) => !used.has(name));
  if (surplus)
    throw new UsageError(
      `--qrels ${surplus.name} belongs to no data set; there are ${plans.map(({ name }) => name).join(', ')}.`,
    );
  return plans;
}

/**
 * A corpus of parallax.json by name. An existing file or folder of the same name takes precedence, unless --corpus is
 * not given.
 */
function ownCorpus(
  name: string,
  { corpus, config: file }: DatasetValues,
  config: Pick<ParallaxConfig, 'corpora'>,
): CorpusSource | undefined {
  if (corpus !== undefined && existsSync(name)) return undefined;
  return configuredCorpus(name, config, folderOfConfig(file));
}

interface NamedPath {
  /** Empty for a single one without a name. */
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
        'give all the same names to pair them up, or none to ask all questions of all corpora.',
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

/** `path` or `name=path`. An existing file with an equals sign in its name is a path. */
function readNamed(option: 'corpus' | 'queries' | 'qrels', texts: readonly string[] = []): NamedPath[] {
  required(texts[0], option);
  const named = texts.map((text) => {
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
  readonly qrels: Qrels | undefined;
}

async function readJudgedQueries(
  { queriesFile, qrelsFile }: DatasetPlan,
  isJudged: boolean,
  io: Io,
): Promise<JudgedQueries> {
  const { queries: read, warnings } = await readArgumentLines(queriesFile, new EvalSetReading(queriesFile));
  for (const warning of warnings) io.stderr(`warning: ${warning}\n`);
  if (qrelsFile === undefined) return { queries: withPerspectives(read, queriesFile, io), qrels: undefined };
  const parsed = await readArgumentLines(qrelsFile, new QrelsReading());
  for (const warning of parsed.warnings) io.stderr(`warning: ${qrelsFile}: ${warning}\n`);
  const { qrels } = parsed;
  // Diversity qrels name the perspectives, so gold answers are none.
  const queries =
    qrelsKind(qrels) === 'plain'
      ? read
      : read.map((own) => (isOfGold(own) ? { ...own, perspectives: [] } : own));
  const named = queries.filter(({ id }) => qrels.has(id));
  const counted = isJudged
    ? queries.filter((query) => qrels.has(query.id) || isMeasured(query))
    : queries.filter(({ id, answerable }) => qrels.has(id) || answerable === false);
  checkShared(
    queries,
    qrels,
    { named: named.length, counted: counted.length },
    { queriesFile, qrelsFile },
    io,
  );
  return { queries: counted, qrels };
}

/** Queries without perspectives have nothing to cover. */
function withPerspectives(queries: readonly Query[], file: string, io: Io): Query[] {
  const measuredQueries = queries.filter(isMeasured);
  if (!measuredQueries.some(({ perspectives }) => perspectives.length > 0))
    throw new ParallaxError(
      'bad-argument',
      `No question of ${file} has perspectives, and there are no --qrels: there is nothing to cover.`,
    );
  if (measuredQueries.length < queries.length)
    io.stderr(
      `warning: ${queries.length - measuredQueries.length} of ${queries.length} questions of ${file} have no perspectives and are left out.\n`,
    );
  return measuredQueries;
}

/** Questions without fetched pages find nothing, which says nothing about a pipeline. */
export function warnOfLeftOut(
  { queries, queriesFile }: Pick<Dataset, 'queries' | 'queriesFile'>,
  ids: readonly string[],
  io: Io,
): void {
  if (ids.length === 0) return;
  io.stderr(
    `warning: ${counted(l10n.t('{0} of {1} [1:question|questions] of {2} [0:has no pages that were found for it, and is|have no pages that were found for them, and are] left out: {3}.'), ids.length, queries.length, queriesFile, ids.join(', '))}\n`,
  );
}

function checkShared(
  queries: readonly Query[],
  qrels: Qrels,
  { named, counted }: { readonly named: number; readonly counted: number },
  { queriesFile, qrelsFile }: { readonly queriesFile: string; readonly qrelsFile: string },
  io: Io,
): void {
  if (named === 0)
    throw new ParallaxError(
      'bad-argument',
      `${queriesFile} and ${qrelsFile} share no question; check that they use the same ids ` +
        `("${queries[0]?.id}", "${[...qrels.keys()][0]}").`,
    );
  if (named < qrels.size)
    io.stderr(
      `warning: ${qrels.size - named} of ${qrels.size} judged questions of ${qrelsFile} are not among the questions and count zero.\n`,
    );
  if (counted < queries.length)
    io.stderr(
      `warning: ${queries.length - counted} of ${queries.length} questions of ${queriesFile} have no judgements and are left out.\n`,
    );
}

async function warnOfUnknownPassages(
  { corpus, engine }: LocalCorpus,
  qrels: Qrels,
  { qrelsFile }: DatasetPlan,
  io: Io,
): Promise<void> {
  const judged = new Set(
    [...qrels.values()].flatMap((topic) => [...topic.values()].flatMap((passages) => [...passages.keys()])),
  );
  const { unknown, numbered } = await engine.request('unknownPassages', {
    corpus,
    passageIds: [...judged],
  });
  if (numbered > 0)
    io.stderr(
      `warning: ${numbered} of ${judged.size} judged passages of ${qrelsFile} are named by their number in a document. They are the right ones only if the documents and --split are those that were judged; parallax import --qrels makes labels of them that stay with their text.\n`,
    );
  if (unknown.length > 0)
    io.stderr(
      `warning: ${unknown.length} of ${judged.size} judged passages of ${qrelsFile} are not in the corpus; check ids and --split.\n`,
    );
}
