import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { checkNames, evalSetNames, isNamed, type KnownNames } from '../../../src/features/gate/core/names.ts';
import { depthOf, measuresOf } from '../../../src/features/gate/core/spec.ts';
import { measureName, MEASURES } from '../../../src/core/metrics/measures.ts';
import { describeIssue } from '../../../src/core/schema-issue.ts';
import { configSchema } from '../../../src/shared/config.ts';
import { spec } from './support.ts';

function problemOf(gate: object): string {
  const input = { gate: { pipelines: ['bm25'], ...gate } };
  const parsed = configSchema.safeParse(input);
  return parsed.success ? '' : describeIssue(parsed.error, input);
}

describe('reads the gate field of parallax.json', () => {
  for (const [gate, problem] of [
    [
      { thresholds: [{ metric: 'MRecal@5', min: 0.5 }] },
      /^gate\.thresholds\.0\.metric: Unknown measure "MRecal@5".*\(found "MRecal@5"\)/u,
    ],
    [{ thresholds: [{ metric: 'MRecall', min: 0.5 }] }, /^gate\.thresholds\.0\.metric: .*needs a cutoff/u],
    [
      { thresholds: [{ metric: ' MRecall@5', min: 0.5 }] },
      /^gate\.thresholds\.0\.metric: is written MRecall@5/u,
    ],
    [{ thresholds: [{ metric: 'MRecall@99999', min: 0.5 }] }, /cutoff may be 10000 at most/u],
    [{ thresholds: [{ metric: 'MRecall@5', min: 50 }] }, /^gate\.thresholds\.0\.min: .*\(found 50\)/u],
    [
      { thresholds: [{ metric: 'MRecall@5', min: 0.5, tagg: 'x' }] },
      /^gate\.thresholds\.0\.tagg: there is no such field \(found "x"\)/u,
    ],
    [{ baseline: { file: 'x', alpha: 0 } }, /^gate\.baseline\.alpha: .*\(found 0\)/u],
    [{ baseline: { file: 'x', metrics: ['nope'] } }, /^gate\.baseline\.metrics\.0: Unknown measure "nope"/u],
    [
      { baseline: { file: 'x', metrics: ['Themes@5'] } },
      /^gate\.baseline\.metrics\.0: is neither better nor worse by itself; use a threshold/u,
    ],
    [{ pipelines: [] }, /^gate\.pipelines: /u],
  ] as const)
    test(`names field and value: ${JSON.stringify(gate)}`, () => assert.match(problemOf(gate), problem));

  test('takes a threshold on every measure there is', () => {
    const thresholds = MEASURES.map(({ family, ofField }) => ({
      metric: ofField ? `${family}(author)@3` : `${family}@3`,
      min: 0,
    }));
    assert.equal(problemOf({ thresholds }), '');
    const names = measuresOf(spec({ thresholds })).map(measureName);
    assert.ok(thresholds.every(({ metric }) => names.includes(metric)));
  });

  test('ranking depth is the depth of the deepest measure', () => {
    assert.equal(depthOf(spec({})), 2);
    assert.equal(depthOf(spec({ thresholds: [{ metric: 'nDCG@20', min: 0 }] })), 20);
    assert.equal(depthOf(spec({ baseline: { file: 'x', metrics: ['AP'] } })), 2);
  });
});

describe('names', () => {
  const known: KnownNames = {
    pipelines: ['bm25', 'dense'],
    corpora: ['docs'],
    judges: ['labels'],
    datasets: [{ name: 'set', evalSet: 'eval/set.jsonl', queries: [{ tags: ['hard'] }] }],
  };

  test('existing names pass', () => {
    const metric = { metric: 'AP', min: 0 };
    const thresholds = [{ ...metric, tag: 'hard', dataset: 'eval/set.jsonl', pipeline: 'bm25' }];
    checkNames(spec({ thresholds, judge: 'labels', corpora: { set: 'docs' } }), known);
  });

  for (const [gate, message] of [
    [{ pipelines: ['bm52'] }, 'gate.pipelines.0: there is no pipeline "bm52". Available: bm25, dense.'],
    [{ pipelines: ['bm25', 'bm25'] }, 'gate.pipelines.1: the pipeline "bm25" occurs a second time.'],
    [{ judge: 'gtp' }, 'gate.judge: there is no judge "gtp". Available: labels.'],
    [{ corpora: { sett: 'docs' } }, 'gate.corpora.sett: there is no eval set "sett". Available: set.'],
    [{ corpora: { set: 'dosc' } }, 'gate.corpora.set: there is no corpus "dosc". Available: docs.'],
    [
      { thresholds: [{ metric: 'AP', min: 0, pipeline: 'dense' }] },
      'gate.thresholds.0.pipeline: there is no pipeline of the gate "dense". Available: bm25.',
    ],
    [
      { thresholds: [{ metric: 'AP', min: 0, dataset: 'ste' }] },
      'gate.thresholds.0.dataset: there is no eval set "ste". Available: set.',
    ],
    [
      { thresholds: [{ metric: 'AP', min: 0, tag: 'easy' }] },
      'gate.thresholds.0.tag: there is no question with the tag "easy". Available: hard.',
    ],
  ] as const)
    test(`unknown names fail: ${message}`, () => {
      assert.throws(
        () => checkNames(spec(gate as Parameters<typeof spec>[0]), known),
        (error) => ParallaxError.is(error, 'bad-config') && error.message === message,
      );
    });

  test('proposes nothing if there are no names; names existing ones once, in order', () => {
    const bare: KnownNames = { ...known, judges: [], pipelines: ['b', 'a', 'b'] };
    const messageOf = (gate: Parameters<typeof spec>[0]): string => {
      try {
        checkNames(spec(gate), bare);
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };
    assert.equal(
      messageOf({ pipelines: ['a'], judge: 'gpt' }),
      'gate.judge: there is no judge "gpt"; there is none at all.',
    );
    assert.equal(
      messageOf({ pipelines: ['c'] }),
      'gate.pipelines.0: there is no pipeline "c". Available: a, b.',
    );
    assert.equal(
      messageOf({ pipelines: ['a'], thresholds: [{ metric: 'AP', min: 0, dataset: 'set', tag: 'easy' }] }),
      'gate.thresholds.0.tag: there is no question with the tag "easy". Available: hard.',
    );
  });

  test('a tag counts if the eval set of the threshold has it', () => {
    const other = { name: 'other', evalSet: 'eval/other.jsonl', queries: [{ tags: ['easy'] }, {}] };
    const both: KnownNames = { ...known, datasets: [...known.datasets, other] };
    const threshold = { metric: 'AP', min: 0, tag: 'easy' };
    checkNames(spec({ thresholds: [threshold, { ...threshold, dataset: 'other' }] }), both);
    checkNames(spec({ corpora: { other: 'docs' } }), both);
    assert.throws(
      () => checkNames(spec({ thresholds: [{ ...threshold, dataset: 'set' }] }), both),
      /no question with the tag "easy"\. Available: hard\./u,
    );
  });

  test('names of eval sets are file names without extension, or paths if two are equal', () => {
    assert.deepEqual(evalSetNames(['eval/a.parallax.jsonl', 'b.jsonl', 'old/b.v2.csv']), ['a', 'b', 'b.v2']);
    assert.deepEqual(evalSetNames(['eval/.jsonl', 'eval/plain']), ['.jsonl', 'plain']);
    const same = ['one/a.jsonl', 'two/a.csv'];
    assert.deepEqual(evalSetNames(same), same);
    const [set] = known.datasets;
    assert.deepEqual(
      ['set', 'eval/set.jsonl', 'eval/set'].map((given) => isNamed(set!, given)),
      [true, true, false],
    );
  });
});
