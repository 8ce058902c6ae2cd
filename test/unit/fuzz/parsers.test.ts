/**
 * A parser of foreign input accepts or refuses any input with a message. Uses a fixed seed; the long run is `npm run
 * bench -- fuzz`.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { inputsLike } from '../../fuzz/inputs.ts';
import { FUZZED_PARSERS, survives } from '../../fuzz/parsers.ts';

describe('parsers of foreign input', () => {
  for (const parser of FUZZED_PARSERS)
    test(parser.name, () => {
      for (const example of parser.examples)
        assert.ok(survives(parser, example), `takes ${example.slice(0, 80)}`);
      fc.assert(
        fc.property(inputsLike(parser.examples), (text) => void survives(parser, text)),
        { seed: 20_261_121, numRuns: 100 },
      );
    });
});
