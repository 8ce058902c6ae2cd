/** `parallax index`: indexes files and folders. */
import { formatSkipped, openPaths, progressLine, readConfig, readSplit } from './local-corpus.ts';
import { readOptions, required, UsageError, type Io } from './terminal.ts';

const HELP = `parallax index <path…> --store <folder> [--split words:100] [--text-field <name>] [--per-query] [--config <file>]

  <path…>       files and folders to index
  --store       where the index is kept; running the command again brings it up to date
  --split       none, words:100 (default), tokens:256, sentences:5, headings:300, or JSON
  --text-field  field of JSON, JSONL and CSV records that holds the text
  --per-query   of a snapshot of parallax web: every question has its own pages as a corpus of its own
  --config      parallax.json with embedders (default: the one in this folder, if any)
`;

/** @returns the exit code */
export async function indexCommand(argv: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = readOptions(
    argv,
    {
      store: { type: 'string' },
      split: { type: 'string', default: 'words:100' },
      'text-field': { type: 'string' },
      'per-query': { type: 'boolean', default: false },
      config: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
    true,
  );
  if (values.help) {
    io.stdout(HELP);
    return 0;
  }
  if (positionals.length === 0) throw new UsageError('Name at least one file or folder to index.');
  const { corpus, close } = await openPaths(
    {
      paths: positionals,
      store: required(values.store, 'store'),
      split: readSplit(values.split),
      textField: values['text-field'],
      perQuery: values['per-query'],
      config: await readConfig(values.config),
    },
    io,
  );
  try {
    const report = await corpus.update({ onProgress: progressLine(io, 'Indexing') });
    const { documents, passages, added, changed, deleted, unchanged, milliseconds } = report;
    for (const line of formatSkipped(corpus.skipped)) io.stderr(line);
    io.stdout(
      `${documents} documents, ${passages} passages in ${(milliseconds / 1000).toFixed(1)} s ` +
        `(files: ${added} new, ${changed} changed, ${deleted} deleted, ${unchanged} unchanged, ${report.skipped} skipped).\n`,
    );
    return 0;
  } finally {
    await close();
  }
}
