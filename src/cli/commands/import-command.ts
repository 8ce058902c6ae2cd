/** `parallax import`: converts labels from a table or diversity qrels to labels of a workspace. */
import { counted, counts } from '../../core/counted.ts';
import path from 'node:path';
import { ParallaxError } from '../../core/errors.ts';
import { QrelsReading } from '../../core/formats/exchange/trec.ts';
import { labelsFromQrels } from '../../core/formats/import-qrels.ts';
import { formatLabel, type Label } from '../../core/formats/labels.ts';
import { EvalSetReading } from '../../core/formats/queries.ts';
import {
  anchorLabels,
  documentsNamed,
  readSimpleLabels,
  rowsOfQrels,
  type Anchored,
  type Mismatch,
  type SimpleLabel,
} from '../../core/formats/exchange/simple-labels.ts';
import type { Query } from '../../core/model.ts';
import { SECTIONS_SPLIT } from '../../core/split/spec.ts';
import { appendText } from '../../engine/files/output-file.ts';
import { readArgument, readArgumentLines } from '../../engine/files/read-input.ts';
import { LABELS_FILE, type ParallaxConfig } from '../../shared/config.ts';
import {
  configuredCorpus,
  corpusNames,
  corpusOfPaths,
  openCorpus,
  updateIndex,
  type CorpusSource,
} from '../local-corpus.ts';
import { readSplit } from '../options/pipeline-option.ts';
import { folderOfConfig, readConfig } from '../options/read-config.ts';
import { required, UsageError, type Io } from '../presentation/terminal.ts';
import { command } from './command.ts';

/** The most rows named for the same fault. */
const SHOWN = 3;

export const importCommand = command({
  usage: `parallax import --labels <table> | --qrels <file> --queries <file> [--corpus <path>] [--by <name>] [--to ${LABELS_FILE}]`,
  options: {
    labels: {
      type: 'string',
      help: `CSV, TSV or JSONL with the columns query, perspective, document and supports (yes, no, unsure), and perhaps
quote, passage (its number), by and note: docs/labels.md`,
    },
    qrels: { type: 'string', help: 'diversity qrels: query perspective passage relevance' },
    queries: { type: 'string', help: 'the eval set that names the perspectives, JSONL' },
    corpus: {
      type: 'string',
      help: 'files or a folder in which documents, passages and quotations are looked up, or the name of a corpus of\nparallax.json (default for --labels: the corpus of parallax.json). A folder of such a corpus is cut as that one is',
    },
    split: {
      type: 'string',
      help: 'how the documents of --corpus become passages (default: as parallax.json says; else sections:120, as in the\neditor)',
    },
    'text-field': { type: 'string', help: 'field of JSON, JSONL and CSV records that holds the text' },
    by: {
      type: 'string',
      help: 'whose labels these are, if no column says so; without a name they are imported, and labels of people take precedence',
    },
    agent: {
      type: 'string',
      help: "the name of an agent that gave these labels by itself: they are an agent's then, whatever a column says, and\nthose of people and imported ones win over them",
    },
    store: {
      type: 'string',
      help: 'the folder of an index (parallax index), so that the corpus is not read again',
    },
    to: {
      type: 'string',
      help: `the labels file to append to; human labels in it win over imported ones (default: ${LABELS_FILE} beside parallax.json)`,
    },
    config: {
      type: 'string',
      help: 'parallax.json with the corpus (default: the one in this folder, if any)',
    },
  },

  async run({ values }, io) {
    if ((values.labels === undefined) === (values.qrels === undefined))
      throw new UsageError('Give either --labels with a table of labels or --qrels with diversity qrels.');
    const file = values.labels ?? values.qrels!;
    const queriesFile = required(values.queries, 'queries');
    const { queries } = await readArgumentLines(queriesFile, new EvalSetReading(queriesFile));
    const at = new Date().toISOString();
    const name = path.basename(file);
    const config = await readConfig(values.config);
    const source = sourceOf(values, config);
    if (values.agent !== undefined && values.by !== undefined)
      throw new UsageError('Give either --by with the name of a person or --agent with that of an agent.');
    if (!source && (values.labels !== undefined || values.agent !== undefined))
      throw new UsageError(
        'Name the corpus whose documents the labels are about with --corpus, or run this beside its parallax.json.',
      );
    const imported = source
      ? await anchored(
          await rowsIn(values, io),
          { queries, source, config, name, by: values.by, agent: values.agent, store: values.store, at },
          io,
        )
      : await plain(file, queries, { name, at }, io);
    if (imported.labels.length === 0)
      throw new ParallaxError(
        'bad-argument',
        'Nothing was imported: no row names a question and a perspective of the eval set and a document of the corpus.',
      );
    const base = folderOfConfig(values.config);
    const to = values.to ?? path.join(path.relative('.', base), LABELS_FILE);
    const text = imported.labels.map(formatLabel).join('');
    await appendText(to, text, values.to === undefined ? base : undefined);
    io.stdout(`${counts.labels(imported.labels.length)} appended to ${to}${imported.description}.\n`);
    return 0;
  },
});

interface Imported {
  readonly labels: readonly Label[];
  /** Its description, printed after the row number. */
  readonly description: string;
}

/** If they come without a corpus, qrels name documents. */
function sourceOf(
  {
    labels,
    corpus,
    split,
    config: file,
    'text-field': textField,
  }: Readonly<Partial<Record<'labels' | 'corpus' | 'split' | 'config' | 'text-field', string>>>,
  config: ParallaxConfig,
): CorpusSource | undefined {
  const base = folderOfConfig(file);
  if (corpus !== undefined) {
    const known =
      split === undefined && textField === undefined ? knownCorpus(corpus, config, base) : undefined;
    return (
      known ??
      corpusOfPaths({
        paths: [corpus],
        split: split === undefined ? SECTIONS_SPLIT : readSplit(split),
        textField,
      })
    );
  }
  const [name] = labels === undefined ? [] : corpusNames(config);
  return name === undefined ? undefined : configuredCorpus(name, config, base);
}

/** The corpus of parallax.json that an option names, or that has the given folder or file as a root. */
function knownCorpus(corpus: string, config: ParallaxConfig, base: string): CorpusSource | undefined {
  const place = path.resolve(corpus);
  const rooted = Object.keys(config.corpora).find((name) =>
    config.corpora[name]!.roots.some((root) => path.resolve(base, root) === place),
  );
  return configuredCorpus(Object.hasOwn(config.corpora, corpus) ? corpus : (rooted ?? corpus), config, base);
}

async function rowsIn(
  { labels, qrels }: Readonly<Partial<Record<'labels' | 'qrels', string>>>,
  io: Io,
): Promise<readonly SimpleLabel[]> {
  if (labels === undefined) return rowsOfQrels((await readArgumentLines(qrels!, new QrelsReading())).qrels);
  const { rows, problems } = await readArgument(labels, readSimpleLabels);
  for (const problem of problems.slice(0, SHOWN)) io.stderr(`warning: ${problem}\n`);
  if (problems.length > SHOWN) io.stderr(`warning: … and ${problems.length - SHOWN} more rows.\n`);
  return rows;
}

/** Converts ids of qrels to ids of documents, independent of their location. */
async function plain(
  file: string,
  queries: readonly Query[],
  { name, at }: { readonly name: string; readonly at: string },
  io: Io,
): Promise<Imported> {
  const { qrels } = await readArgumentLines(file, new QrelsReading());
  const { labels, warnings } = labelsFromQrels(qrels, queries, name, at);
  for (const warning of warnings) io.stderr(`warning: ${warning}\n`);
  return { labels, description: '' };
}

async function anchored(
  rows: readonly SimpleLabel[],
  about: {
    readonly queries: readonly Query[];
    readonly source: CorpusSource;
    readonly config: ParallaxConfig;
    readonly name: string;
    readonly by: string | undefined;
    readonly agent: string | undefined;
    readonly store: string | undefined;
    readonly at: string;
  },
  io: Io,
): Promise<Imported> {
  const { queries, source, config, store, ...options } = about;
  await using local = await openCorpus(source, store, config, io);
  await updateIndex(local, io);
  const { split, documents } = await local.engine.request('documentPassages', {
    corpus: local.corpus,
    documentIds: documentsNamed(rows),
  });
  const known = new Map(
    documents.flatMap(({ documentId, passages }) => (passages.length > 0 ? [[documentId, passages]] : [])),
  );
  const hashes = new Map(documents.flatMap(({ documentId, hash }) => (hash ? [[documentId, hash]] : [])));
  const anchors = anchorLabels(rows, queries, known, { ...options, split, hashes });
  for (const [mismatch, rowsOfMismatch] of anchors.unmatched)
    io.stderr(`warning: ${mismatchText(mismatch, rowsOfMismatch)}\n`);
  return { labels: anchors.labels, description: saidOf(anchors) };
}

function mismatchText(mismatch: Mismatch, rows: readonly SimpleLabel[]): string {
  const shown = rows.slice(0, SHOWN).map((row) => `${namedIn(mismatch, row)} (${row.place})`);
  const more = rows.length > SHOWN ? ', …' : '';
  return `${counted('{0} [0:row|rows]', rows.length)} left out, ${FAULTS[mismatch]}: ${shown.join(', ')}${more}.`;
}

const FAULTS: Readonly<Record<Mismatch, string>> = {
  query: 'because the eval set has no such question, by its id or text',
  perspective: 'because the question has no such perspective, by its id or text',
  document: 'because the corpus has no such document (paths start at the folder of the corpus)',
  passage: 'because the document has no passage of that number',
  quote: 'because no passage of the document has the quotation',
};

function namedIn(mismatch: Mismatch, row: SimpleLabel): string {
  const { document, passage } = row;
  if (mismatch === 'passage') return passage === undefined ? document : `${document}, passage ${passage}`;
  return `"${row[mismatch] ?? ''}"`;
}

function saidOf({ of: { passages, quotations, documents } }: Anchored): string {
  const parts = [
    ...(passages > 0 ? [`${passages} of single passages`] : []),
    ...(quotations > 0 ? [`${quotations} of quotations (every passage that has one)`] : []),
    ...(documents > 0 ? [`${documents} of whole documents (each of their passages counts)`] : []),
  ];
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}
