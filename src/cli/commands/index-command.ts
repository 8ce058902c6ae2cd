/** `parallax index`: indexes files and folders. */
import { SECTIONS_SPLIT } from '../../core/split/spec.ts';
import path from 'node:path';
import { ParallaxError } from '../../core/errors.ts';
import { command } from './command.ts';
import { corpusOfPaths, openCorpus, updateIndex, warnOfSkipped } from '../local-corpus.ts';
import { CODE_OPTION, readCode, readSplit } from '../options/pipeline-option.ts';
import { readConfigFromHere } from '../options/read-config.ts';
import { counted } from '../presentation/counted.ts';
import { required, UsageError } from '../presentation/terminal.ts';
import { canBeWritten } from '../read-only-store.ts';
import { madeWith } from '../store-manifest.ts';

export const indexCommand = command({
  usage:
    'parallax index <path…> --store <folder> [--split sections:120] [--code <true|false|auto>] [--text-field <name>] [--per-query] [--config <file>]',
  positionals: true,
  argument: ['<path…>', 'files and folders to index'],
  options: {
    store: {
      type: 'string',
      help: 'where the index is kept; running the command again brings it up to date',
    },
    split: {
      type: 'string',
      help: 'sections:120 (default; an index that is there keeps its own), words:100 (BERDS), none, tokens:256, sentences:5, headings:300, or JSON',
    },
    code: CODE_OPTION,
    'text-field': { type: 'string', help: 'field of JSON, JSONL and CSV records that holds the text' },
    'per-query': {
      type: 'boolean',
      default: false,
      help: 'of a snapshot of parallax web: every question has its own pages as a corpus of its own',
    },
    config: {
      type: 'string',
      help: 'parallax.json with embedders (default: the one in this folder, if any)',
    },
  },

  async run({ values, positionals: paths }, io) {
    if (paths.length === 0) throw new UsageError('Name at least one file or folder to index.');
    const store = required(values.store, 'store');
    if (!(await canBeWritten(path.resolve(store))))
      throw new ParallaxError(
        'store-unusable',
        `The index in ${store} cannot be written. Make the folder writable, or name another with --store.`,
      );
    const made = await madeWith(store);
    const source = corpusOfPaths({
      paths,
      split: values.split === undefined ? (made?.split ?? SECTIONS_SPLIT) : readSplit(values.split),
      code: values.code === undefined ? made?.code : readCode(values.code),
      textField: values['text-field'],
      perQuery: values['per-query'],
    });
    const local = await openCorpus(source, store, await readConfigFromHere(values.config), io);
    try {
      const report = await updateIndex(local, io);
      const { documents, passages, added, changed, deleted, unchanged, milliseconds } = report;
      await warnOfSkipped(local, io);
      io.stdout(
        `${counted(documents, 'document')}, ${counted(passages, 'passage')} in ${(milliseconds / 1000).toFixed(1)} s ` +
          `(files: ${added} new, ${changed} changed, ${deleted} deleted, ${unchanged} unchanged, ${report.skipped} skipped).\n`,
      );
      return 0;
    } finally {
      await local.engine.close();
    }
  },
});
