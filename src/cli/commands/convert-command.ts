/** `parallax convert`: converts files of other tools between formats. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { ParallaxError } from '../../core/errors.ts';
import { mergeExchanges, mismatches, type ParsedExchange } from '../../core/formats/exchange/exchange.ts';
import {
  EXCHANGE_FORMATS,
  lostParts,
  type ExchangeFormat,
  type ExchangeFormatName,
  type Files,
} from '../../core/formats/exchange/exchange-formats.ts';
import { writeText } from '../../engine/files/output-file.ts';
import { readPackedArgument } from '../../engine/corpus/packed-argument.ts';
import { command } from './command.ts';
import { UsageError, type Io } from '../presentation/terminal.ts';

export const convertCommand = command({
  usage: 'parallax convert --from <format>=<path> … --to <format>=<path> …',
  options: {
    from: {
      type: 'string',
      multiple: true,
      help: "what to read; may be repeated: the queries of one file, the judgements of another, a third one's run",
    },
    to: {
      type: 'string',
      multiple: true,
      help: 'what to write; may be repeated; - writes a single file to standard output',
    },
    tag: { type: 'string', default: 'parallax', help: 'name of the system in runs (default parallax)' },
  },
  notes: `Formats:
${formatList()}

Gzip-compressed files and Parquet tables are read as they are. Ids that do not match between the files,
scores that contradict ranks, ties, and what a format cannot hold are reported on standard error. A run and judgements
that share no query are refused.
`,

  async run({ values }, io) {
    const sources = readPlaces(values.from, 'from');
    const targets = readPlaces(values.to, 'to');
    const parsed: ParsedExchange[] = [];
    for (const source of sources) parsed.push(await read(source));
    const { exchange, warnings } = mergeExchanges(parsed.map((each) => each.exchange));
    warn([...parsed.flatMap((each) => each.warnings), ...warnings], io);
    warn(mismatches(exchange), io);
    const formats = targets.map(({ format }) => format);
    warn(lostParts(exchange, formats), io);
    // Formats everything before it writes anything.
    const written = targets.map((target) => ({ target, ...target.format.format!(exchange, values.tag) }));
    for (const { target, files, warnings: lost } of written) {
      warn(lost, io);
      await write(target, files, io);
    }
    return 0;
  },
});

interface Place {
  readonly format: ExchangeFormat;
  readonly path: string;
}

function readPlaces(places: readonly string[] | undefined, option: 'from' | 'to'): Place[] {
  if (!places) throw new UsageError(`--${option} is missing.`);
  return places.map((text) => {
    const [, name = '', place = ''] = /^([^=]*)=(.+)$/su.exec(text) ?? [];
    if (place === '')
      throw new UsageError(
        `--${option} takes a format and a path, as in ${option} trec-run=run.txt, not "${text}".`,
      );
    if (!isFormat(name))
      throw new UsageError(
        `--${option}: there is no format "${name}". Available: ${namesFor(option).join(', ')}.`,
      );
    const format: ExchangeFormat = EXCHANGE_FORMATS[name];
    if (option === 'to' ? !format.format : !format.parse)
      throw new UsageError(`--${option}: ${name} can only be ${option === 'to' ? 'read' : 'written'}.`);
    if (place === '-' && format.reads) throw new UsageError(`--${option} ${text}: ${name} is a folder.`);
    return { format, path: place };
  });
}

function isFormat(name: string): name is ExchangeFormatName {
  return Object.hasOwn(EXCHANGE_FORMATS, name);
}

function namesFor(option: 'from' | 'to'): string[] {
  return Object.entries<ExchangeFormat>(EXCHANGE_FORMATS)
    .filter(([, format]) => (option === 'to' ? format.format : format.parse))
    .map(([name]) => name);
}

function formatList(): string {
  const all = Object.entries<ExchangeFormat>(EXCHANGE_FORMATS);
  const width = Math.max(...all.map(([name]) => name.length));
  return all
    .map(
      ([name, { summary, parse, format }]) =>
        `  ${name.padEnd(width)}  ${summary}${format ? (parse ? '' : ' (can only be written)') : ' (can only be read)'}`,
    )
    .join('\n');
}

async function read({ format, path: place }: Place): Promise<ParsedExchange> {
  if (!format.reads) return readPackedArgument(place, (text) => format.parse!(new Map([['', text]]), place));
  const stats = await stat(place).catch(() => undefined);
  if (!stats?.isDirectory()) throw new ParallaxError('not-found', `${place} is not a folder.`);
  const files = new Map<string, string>();
  for (const file of await filesIn(place))
    if (format.reads(file)) files.set(file, await readPackedArgument(path.join(place, file), (text) => text));
  return format.parse!(files, place);
}

/** Sorted paths relative to the folder, with slashes. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .sort();
}

async function write({ path: place }: Place, files: Files, io: Io): Promise<void> {
  for (const [name, text] of files)
    if (place === '-') io.stdout(text, 'data');
    else await writeText(name === '' ? place : path.join(place, name), text);
}

function warn(warnings: readonly string[], io: Io): void {
  for (const warning of warnings) io.stderr(`warning: ${warning}\n`);
}
