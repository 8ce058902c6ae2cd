import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ParallaxError } from '../../../src/core/errors.ts';
import { baselineOf } from '../../../src/features/gate/core/accept.ts';
import {
  formatBaseline,
  parseBaseline,
  sameFigures,
  stableJson,
  type Baseline,
} from '../../../src/features/gate/core/baseline.ts';
import { PLACES } from '../../../src/core/coverage-states.ts';
import { accepted, all, dataset, report } from './support.ts';

const text = fc.string({ unit: 'binary', maxLength: 6 });
const share = fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0);
const metrics = fc.dictionary(fc.constantFrom('MRecall@5', 'AP', 'nDCG@10'), share);
const unique = <T extends object>(item: fc.Arbitrary<T>, keyOf: (item: T) => string): fc.Arbitrary<T[]> =>
  fc.uniqueArray(item, { maxLength: 3, selector: keyOf });

const query = fc.record({
  id: text,
  digest: text,
  metrics,
  lost: fc.array(fc.record({ perspective: text, where: fc.constantFrom(...PLACES) }), { maxLength: 2 }),
  ranked: fc.array(text, { maxLength: 3 }),
});
const pipeline = fc.record({
  name: text,
  pipeline: fc.constant({ retriever: { type: 'bm25' } }),
  models: fc.constant({}),
  metrics,
  queries: unique(query, ({ id }) => id),
});
const baselines: fc.Arbitrary<Baseline> = fc.record({
  version: fc.constant(1 as const),
  at: text,
  k: fc.integer({ min: 1, max: 100 }),
  datasets: unique(
    fc.record({
      name: text,
      evalSet: text,
      corpus: fc.record(
        {
          name: text,
          fingerprint: text,
          passages: fc.nat(),
          sample: fc.record({ store: text, records: fc.nat(), checksum: text }),
        },
        { requiredKeys: ['name', 'fingerprint', 'passages'] },
      ),
      judgements: fc.record({
        judge: text,
        pairs: fc.nat(),
        judged: fc.nat(),
        by: fc.array(
          fc.record({
            source: fc.constantFrom('human', 'llm'),
            judge: text,
            count: fc.integer({ min: 1, max: 9 }),
            heuristic: fc.boolean(),
          }),
          { maxLength: 2 },
        ),
      }),
      pipelines: unique(pipeline, ({ name }) => name),
    }),
    ({ name }) => name,
  ) as fc.Arbitrary<Baseline['datasets']>,
});

const reversed = (baseline: Baseline): Baseline => ({
  ...baseline,
  datasets: baseline.datasets.toReversed().map((own) => ({
    ...own,
    pipelines: own.pipelines.toReversed().map((each) => ({ ...each, queries: each.queries.toReversed() })),
  })),
});

describe('a baseline file', () => {
  test('is read back as it was written, whatever the names and their order', () => {
    fc.assert(
      fc.property(baselines, (baseline) => {
        const written = formatBaseline(baseline);
        assert.equal(formatBaseline(parseBaseline(written, 'x')), written);
        assert.equal(formatBaseline(reversed(baseline)), written);
        assert.equal(parseBaseline(written, 'x').datasets.length, baseline.datasets.length);
      }),
    );
  });

  test('has one passage on each line and sorted keys', () => {
    const written = formatBaseline(accepted(dataset({ bm25: all(1, 'both') })));
    const lines = written.split('\n').map((line) => line.trim());
    assert.ok(lines.includes('"pro of q1",') && lines.includes('"con of q1"'), written);
    const [at, datasets] = ['"at"', '"datasets"'].map((key) => written.indexOf(key));
    assert.ok(at! >= 0 && at! < datasets! && datasets! < written.indexOf('"version"'));
  });

  test('is equal on another day and different with another figure', () => {
    const one = accepted(dataset({ bm25: all(3, 'both') }));
    assert.ok(sameFigures(one, { ...one, at: 'later', commit: 'abc' }));
    assert.ok(!sameFigures(one, accepted(dataset({ bm25: all(3, 'one') }))));
  });

  test('contains the commit, the models of a pipeline, and what its own judge made', () => {
    const own = dataset({ bm25: all(1, 'both') });
    const circular = own.pipelines.map((each) => ({
      ...each,
      circular: 'J',
      models: { b: 1, a: undefined },
    }));
    const found = { ...report({}, { ...own, pipelines: circular }), commit: 'abc' };
    const kept = baselineOf(found);
    assert.equal(kept.commit, 'abc');
    const [pipeline] = kept.datasets[0]!.pipelines;
    assert.deepEqual([pipeline!.circular, pipeline!.models], ['J', { b: 1 }]);
    assert.deepEqual(parseBaseline(formatBaseline(kept), 'x'), kept);
    const [plain] = accepted(own).datasets[0]!.pipelines;
    assert.ok(!('circular' in plain!) && !('correction' in plain!) && !('commit' in accepted(own)));
  });

  test('values have one canonical text at any depth', () => {
    assert.equal(stableJson({ b: [{ d: 1, c: null }], a: 2 }), '{"a":2,"b":[{"c":null,"d":1}]}');
    assert.equal(stableJson(undefined), 'undefined');
  });

  test('keeps lost perspectives and the passages within the depth of the measures', () => {
    const kept = accepted(dataset({ bm25: { q: 'one' } }), { thresholds: [{ metric: 'nDCG@3', min: 0 }] });
    const [own] = kept.datasets[0]!.pipelines[0]!.queries;
    assert.deepEqual(own!.lost, [{ perspective: 'con', where: 'below-k' }]);
    assert.deepEqual(own!.ranked, ['pro of q', 'other of q', 'con of q']);
    assert.ok('nDCG@3' in own!.metrics);
  });

  for (const [what, content, message] of [
    ['no JSON', '{', /main\.json is not valid JSON/u],
    ['another version', '{"version": 2}', /version 2; this is version 1\. Accept a new one/u],
    ['something else', '{"version": 1, "at": 5}', /is not a baseline: at: .*\(found 5\)/u],
    ['a list', '[]', /is not a baseline/u],
    ['nothing', 'null', /is not a baseline/u],
    ['a version in words', '{"version": "2"}', /is not a baseline: version/u],
  ] as const)
    test(`${what} is refused with a reason`, () => {
      assert.throws(
        () => parseBaseline(content, 'main.json'),
        (error) => ParallaxError.is(error, 'bad-file') && message.test(error.message),
      );
    });
});
