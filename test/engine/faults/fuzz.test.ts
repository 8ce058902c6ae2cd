/**
 * The engine's parsers accept any bytes or refuse them with a message. The seed is fixed; the long run is `npm run
 * bench -- fuzz`.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { FUZZED_BYTES } from '../../fuzz/engine-parsers.ts';
import { inputsOf } from '../../fuzz/fuzzed-bytes.ts';

/** The fixed seed repeats the same inputs. The long run tries new ones. */
const RUNS = 17;

describe('parsers of foreign bytes', () => {
  for (const parser of FUZZED_BYTES)
    test(parser.name, async (t) => {
      const { examples, cost, survives, close } = parser;
      if (close) t.after(close);
      for (const example of examples) assert.ok(await survives(example), `takes ${example.slice(0, 80)}`);
      await fc.assert(
        fc.asyncProperty(inputsOf(parser), async (text) => void (await survives(text))),
        { seed: 20_261_121, numRuns: Math.max(7, Math.ceil(RUNS / cost)) },
      );
    });
});
