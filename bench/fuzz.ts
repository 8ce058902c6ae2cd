/**
 * The long run of the fuzz tests: every parser of foreign input on so many inputs. Prints how many each took,
 * which tells whether the inputs come near enough to what is read, and how long one takes beside `JSON.parse`
 * of the same text.
 *
 *   npm run bench -- fuzz [--count 100000] [--seed 1] [--only <name>]
 */
import { parseArgs } from 'node:util';
import fc from 'fast-check';
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
process.exitCode = faults > 0 ? 1 : 0;

function fuzz(parser: FuzzedParser): {
  taken: number;
  parsing: number;
  reading: number;
  fault: string | undefined;
} {
  let taken = 0;
  let parsing = 0;
  let reading = 0;
  const { failed, counterexample, errorInstance } = fc.check(
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
  const fault = failed
    ? `${JSON.stringify(counterexample?.[0])}\n  ${String((errorInstance as Error).stack)}`
    : undefined;
  return { taken, parsing, reading, fault };
}

/** The reference: what reading such a text costs at least. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}
