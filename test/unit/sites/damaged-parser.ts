/**
 * Run by itself: a parser that a program damages, whose runtime is then of no use to its whole process. Prints how each of
 * two programs ends, the one that does it and an honest one after it.
 */
import { Parsers, ParserDamaged } from '../../../src/sites/parsing.ts';
import { wasm } from './wasm-files.ts';

/** Levels beyond what the parser has room for; the texts between them make it write them down. */
const HOSTILE = Array.from(
  { length: 600 },
  (_, width) => `${' '.repeat(width)}if x:\n${' '.repeat(width + 1)}"""\na"""\n`,
).join('');

const parsers = new Parsers(wasm);
for (const text of [HOSTILE, 'd(e, k=5)\n']) {
  const how = await parsers.parse('python', text).then(
    () => 'read',
    (error: unknown) => (error instanceof ParserDamaged ? 'damaged' : String(error)),
  );
  process.stdout.write(`${how}\n`);
}
