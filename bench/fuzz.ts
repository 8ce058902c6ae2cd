/**
 * The long run of the fuzz tests for every parser of foreign input. Prints how many inputs each accepted, which shows
 * whether inputs are close enough to valid ones, and its time compared with `JSON.parse` of the same text. An input
 * that takes more than 2 s or 500 MB is a fault.
 *
 *   npm run bench -- fuzz [--count 100000] [--seed 1] [--only <name, or part of one>]… [--list]
 */
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { FUZZED_BYTES } from '../test/fuzz/engine-parsers.ts';
import { inputsOf, type FuzzedBytes } from '../test/fuzz/fuzzed-bytes.ts';
import { inputsLike } from '../test/fuzz/inputs.ts';
import { FUZZED_PARSERS, survives, type FuzzedParser } from '../test/fuzz/parsers.ts';
import { InputWatch } from './support/input-watch.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true, default: [''] },
    list: { type: 'boolean', default: false },
  },
});
const numRuns = Number(values.count);
const seed = Number(values.seed);
const names = new Set([...FUZZED_PARSERS, ...FUZZED_BYTES].map(({ name }) => name));
const isWanted = ({ name }: { readonly name: string }): boolean =>
  values.only.some((part) => (names.has(part) ? name === part : name.includes(part)));
if (values.list) {
  for (const { name } of [...FUZZED_PARSERS, ...FUZZED_BYTES].filter(isWanted))
    process.stdout.write(`${name}\n`);
  process.exit();
}
const watch = new InputWatch();

let faults = 0;
for (const parser of FUZZED_PARSERS.filter(isWanted)) {
  const { taken, parsing, reading, fault } = fuzz(parser);
  process.stdout.write(
    `${parser.name.padEnd(42)} ${String(numRuns).padStart(8)} inputs, ${((100 * taken) / numRuns).toFixed(1).padStart(5)}% taken, ` +
      `${(parsing / reading).toFixed(1).padStart(6)}× JSON.parse${fault === undefined ? '' : `\n  FAULT: ${fault}`}\n`,
  );
  if (fault !== undefined) faults++;
}
for (const parser of FUZZED_BYTES.filter(isWanted)) {
  const { taken, runs, seconds, fault } = await fuzzBytes(parser);
  process.stdout.write(
    `${parser.name.padEnd(42)} ${String(runs).padStart(8)} inputs, ${((100 * taken) / runs).toFixed(1).padStart(5)}% taken, ` +
      `${((1000 * seconds) / runs).toFixed(2).padStart(6)} ms of a processor each${afterComma(parser.notes?.())}${fault === undefined ? '' : `\n  FAULT: ${fault}`}\n`,
  );
  if (fault !== undefined) faults++;
}
process.exitCode = faults > 0 ? 1 : 0;

function afterComma(note = ''): string {
  return note === '' ? '' : `, ${note}`;
}

async function fuzzBytes(parser: FuzzedBytes): Promise<{
  taken: number;
  runs: number;
  seconds: number;
  fault: string | undefined;
}> {
  let taken = 0;
  const begun = process.cpuUsage();
  const result = await fc.check(
    fc.asyncProperty(inputsOf(parser), async (text) => {
      watch.begin(text);
      if (await parser.survives(text)) taken++;
      watch.end();
    }),
    { seed, numRuns },
  );
  const { user, system } = process.cpuUsage(begun);
  await parser.close?.();
  return { taken, runs: result.numRuns, seconds: (user + system) / 1e6, fault: faultOf(result) };
}

function faultOf({ failed, counterexample, errorInstance }: fc.RunDetails<[string]>): string | undefined {
  return failed
    ? `${JSON.stringify(counterexample?.[0])}\n  ${String((errorInstance as Error).stack)}`
    : undefined;
}

function fuzz(parser: FuzzedParser): {
  taken: number;
  parsing: number;
  reading: number;
  fault: string | undefined;
} {
  let taken = 0;
  let parsing = 0;
  let reading = 0;
  const result = fc.check(
    fc.property(inputsLike(parser.examples), (text) => {
      watch.begin(text);
      const begun = performance.now();
      if (survives(parser, text)) taken++;
      watch.end();
      const parsed = performance.now();
      readJson(text);
      parsing += parsed - begun;
      reading += performance.now() - parsed;
    }),
    { seed, numRuns },
  );
  return { taken, parsing, reading, fault: faultOf(result) };
}

/** The reference: the least cost of reading such a text. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}
