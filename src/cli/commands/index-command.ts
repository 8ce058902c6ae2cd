/** `parallax index`: indexes files and folders, or the corpora of parallax.json. */
import { counts } from '../../core/counted.ts';
import { BUILT_IN_PIPELINES } from '../../core/pipeline.ts';
import { SECTIONS_SPLIT, SHORT_SPLITS } from '../../core/split/spec.ts';
import path from 'node:path';
import { ParallaxError } from '../../core/errors.ts';
import { command } from './command.ts';
import {
  configuredCorpus,
  corpusOfPaths,
  openCorpus,
  updateIndex,
  warnOfSkipped,
  type CorpusSource,
  type LocalCorpus,
} from '../local-corpus.ts';
import { CODE_OPTION, readCode, readSplit } from '../options/pipeline-option.ts';
import { folderOfConfig, readConfig, readConfigFromHere } from '../options/read-config.ts';
import { oneLine } from '../presentation/printable.ts';
import { progressLine } from '../presentation/progress.ts';
import { required, UsageError, type Io } from '../presentation/terminal.ts';
import { canBeWritten } from '../read-only-store.ts';
import { madeWith, type Models } from '../store-manifest.ts';
import { untilInterrupted } from '../until-interrupted.ts';

/** Options only for files and folders; a corpus of parallax.json defines them itself. */
const OF_PATHS = ['split', 'code', 'text-field', 'per-query'] as const;

export const indexCommand = command({
  usage:
    'parallax index [<path…>] --store <folder> [--split sections:120] [--code <true|false|auto>] [--text-field <name>] [--per-query] [--vectors] [--config <file>]',
  positionals: true,
  argument: ['<path…>', 'files and folders to index (default: the corpora of parallax.json)'],
  options: {
    store: {
      type: 'string',
      help: 'where the index is kept; running the command again brings it up to date',
    },
    split: {
      type: 'string',
      help: `${SHORT_SPLITS.join(', ')}, or JSON (default: sections:120; an index that is there keeps its own)`,
    },
    code: CODE_OPTION,
    'text-field': { type: 'string', help: 'field of JSON, JSONL and CSV records that holds the text' },
    'per-query': {
      type: 'boolean',
      default: false,
      help: 'of a snapshot of parallax web: every question has its own pages as a corpus of its own',
    },
    vectors: {
      type: 'boolean',
      default: false,
      help: 'also embed every passage with the encoder that ships, so that a search by meaning ranks them all at once',
    },
    config: {
      type: 'string',
      help: 'parallax.json with corpora and embedders (default: the one in this folder, if any)',
    },
  },

  async run({ values, positionals: paths }, io) {
    const store = required(values.store, 'store');
    if (!(await canBeWritten(path.resolve(store))))
      throw new ParallaxError(
        'store-unusable',
        `The index in ${store} cannot be written. Make the folder writable, or name another with --store.`,
      );
    if (paths.length === 0) return indexConfigured(values, store, io);
    const manifest = await madeWith(store);
    const source = corpusOfPaths({
      paths,
      split: values.split === undefined ? (manifest?.split ?? SECTIONS_SPLIT) : readSplit(values.split),
      code: values.code === undefined ? manifest?.code : readCode(values.code),
      textField: values['text-field'],
      perQuery: values['per-query'],
    });
    await indexCorpus(source, { ...values, store }, await readConfigFromHere(values.config), io);
    return 0;
  },
});

/** Indexes all corpora of parallax.json, each in its place in the store, where every other command finds it. */
async function indexConfigured(
  values: {
    readonly config?: string | undefined;
    readonly vectors: boolean;
  } & Partial<Record<(typeof OF_PATHS)[number], unknown>>,
  store: string,
  io: Io,
): Promise<number> {
  const config = await readConfig(values.config);
  const names = Object.keys(config.corpora);
  if (names.length === 0)
    throw new UsageError('Name at least one file or folder to index: no parallax.json here has corpora.');
  const option = OF_PATHS.find((name) => values[name] !== undefined && values[name] !== false);
  if (option !== undefined)
    throw new UsageError(
      `--${option} is for files and folders. Name them, or say it in parallax.json, of which the corpora are indexed here.`,
    );
  for (const name of names) {
    if (names.length > 1) io.stdout(`${name}: `);
    const base = folderOfConfig(values.config);
    await indexCorpus(configuredCorpus(name, config, base)!, { ...values, store }, config, io);
  }
  return 0;
}

async function indexCorpus(
  source: CorpusSource,
  { store, vectors }: { readonly store: string; readonly vectors: boolean },
  models: Models,
  io: Io,
): Promise<void> {
  await using local = await openCorpus(source, store, models, io);
  const report = await updateIndex(local, io);
  const { documents, passages, added, changed, deleted, unchanged, milliseconds } = report;
  await warnOfSkipped(local, io);
  io.stdout(
    `${counts.documents(documents)}, ${counts.passages(passages)} in ${(milliseconds / 1000).toFixed(1)} s ` +
      `(files: ${added} new, ${changed} changed, ${deleted} deleted, ${unchanged} unchanged, ${report.skipped} skipped).\n`,
  );
  if (vectors && passages > 0) await embed(local, io);
}

/** Embeds all passages with the encoder that ships. */
async function embed({ corpus, engine }: LocalCorpus, io: Io): Promise<void> {
  const { dense: pipeline } = BUILT_IN_PIPELINES;
  const { notices } = await untilInterrupted((signal) =>
    engine.request(
      'search',
      { corpus, query: { text: corpus }, perspectives: [], pipeline, atOnce: false },
      { signal, onProgress: progressLine(io, 'Embedding') },
    ),
  );
  for (const notice of notices) io.stderr(`note: ${oneLine(notice)}\n`);
  io.stdout('Every passage is embedded.\n');
}
