/**
 * The long run of the fuzz tests: every parser of foreign input on so many inputs. Prints how many each took,
 * which tells whether the inputs come near enough to what is read, and how long one takes beside `JSON.parse`
 * of the same text.
 *
 *   npm run bench -- fuzz [--count 100000] [--seed 1] [--only <name>]
 */
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { FUZZED_BYTES, type FuzzedBytes } from '../test/fuzz/engine-parsers.ts';
import { inputsLike } from '../test/fuzz/inputs.ts';
import { FUZZED_PARSERS, survives, type FuzzedParser } from '../test/fuzz/parsers.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
});
const numRuns = Number(values.count);
const seed = Number(values.seed);

let faults = 0;
for (const parser of FUZZED_PARSERS.filter(({ name }) => name.includes(values.only))) {
  const { taken, parsing, reading, fault } = fuzz(parser);
  process.stdout.write(
    `${parser.name.padEnd(42)} ${String(numRuns).padStart(8)} inputs, ${((100 * taken) / numRuns).toFixed(1).padStart(5)}% taken, ` +
      `${(parsing / reading).toFixed(1).padStart(6)}× JSON.parse${fault === undefined ? '' : `\n  FAULT: ${fault}`}\n`,
  );
  if (fault !== undefined) faults++;
}
for (const parser of FUZZED_BYTES.filter(({ name }) => name.includes(values.only))) {
  const { taken, runs, milliseconds, fault } = await fuzzBytes(parser);
  process.stdout.write(
    `${parser.name.padEnd(42)} ${String(runs).padStart(8)} inputs, ${((100 * taken) / runs).toFixed(1).padStart(5)}% taken, ` +
      `${(milliseconds / runs).toFixed(2).padStart(6)} ms each${fault === undefined ? '' : `\n  FAULT: ${fault}`}\n`,
  );
  if (fault !== undefined) faults++;
}
process.exitCode = faults > 0 ? 1 : 0;

/** Formats that a library takes long for get fewer inputs, and the table says how many. */
async function fuzzBytes({ examples, cost, survives: survive }: FuzzedBytes): Promise<{
  taken: number;
  runs: number;
  milliseconds: number;
  fault: string | undefined;
}> {
  const runs = Math.ceil(numRuns / cost);
  let taken = 0;
  const begun = performance.now();
  const result = await fc.check(
    fc.asyncProperty(inputsLike(examples), async (text) => {
      if (await survive(text)) taken++;
    }),
    { seed, numRuns: runs },
  );
  return { taken, runs, milliseconds: performance.now() - begun, fault: faultOf(result) };
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
      const begun = performance.now();
      if (survives(parser, text)) taken++;
      const parsed = performance.now();
      readJson(text);
      parsing += parsed - begun;
      reading += performance.now() - parsed;
    }),
    { seed, numRuns },
  );
  return { taken, parsing, reading, fault: faultOf(result) };
}

/** The reference: what reading such a text costs at least. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}
