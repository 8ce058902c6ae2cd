/**
 * Whatever bytes arrive, a parser of the engine takes them or refuses them in words. A fixed seed; the long run is
 * `npm run bench -- fuzz`.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { FUZZED_BYTES } from '../../fuzz/engine-parsers.ts';
import { inputsOf } from '../../fuzz/fuzzed-bytes.ts';

/** With a fixed seed they are the same every time: what is new, the long run finds. */
const RUNS = 50;

describe('parsers of foreign bytes', () => {
  for (const parser of FUZZED_BYTES)
    test(parser.name, async (t) => {
      const { examples, cost, survives, close } = parser;
      if (close) t.after(close);
      for (const example of examples) assert.ok(await survives(example), `takes ${example.slice(0, 80)}`);
      await fc.assert(
        fc.asyncProperty(inputsOf(parser), async (text) => void (await survives(text))),
        { seed: 20_261_121, numRuns: Math.max(20, Math.ceil(RUNS / cost)) },
      );
    });
});
