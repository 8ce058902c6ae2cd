import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ParallaxError } from '../../../src/core/errors.ts';
import { checkNames, type KnownNames } from '../../../src/core/gate/names.ts';
import { depthOf, measuresOf } from '../../../src/core/gate/spec.ts';
import { measureName, MEASURES } from '../../../src/core/metrics/measures.ts';
import { describeIssue } from '../../../src/core/schema-issue.ts';
import { configSchema } from '../../../src/shared/config.ts';
import { spec } from './support.ts';

function problemOf(gate: object): string {
  const input = { gate: { pipelines: ['bm25'], ...gate } };
  const parsed = configSchema.safeParse(input);
  return parsed.success ? '' : describeIssue(parsed.error, input);
}

describe('the field gate of parallax.json', () => {
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
      /^gate\.baseline\.metrics\.0: says nothing of better or worse; demand it with a threshold/u,
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

  test('a ranking is read as deep as the deepest measure', () => {
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

  test('that are there pass', () => {
    const metric = { metric: 'AP', min: 0 };
    const thresholds = [{ ...metric, tag: 'hard', dataset: 'eval/set.jsonl', pipeline: 'bm25' }];
    checkNames(spec({ thresholds, judge: 'labels', corpora: { set: 'docs' } }), known);
  });

  for (const [gate, message] of [
    [{ pipelines: ['bm52'] }, 'gate.pipelines.0: there is no pipeline "bm52"; known: bm25, dense.'],
    [{ pipelines: ['bm25', 'bm25'] }, 'gate.pipelines.1: the pipeline "bm25" occurs a second time.'],
    [{ judge: 'gtp' }, 'gate.judge: there is no judge "gtp"; known: labels.'],
    [{ corpora: { sett: 'docs' } }, 'gate.corpora.sett: there is no eval set "sett"; known: set.'],
    [{ corpora: { set: 'dosc' } }, 'gate.corpora.set: there is no corpus "dosc"; known: docs.'],
    [
      { thresholds: [{ metric: 'AP', min: 0, pipeline: 'dense' }] },
      'gate.thresholds.0.pipeline: there is no pipeline of the gate "dense"; known: bm25.',
    ],
    [
      { thresholds: [{ metric: 'AP', min: 0, dataset: 'ste' }] },
      'gate.thresholds.0.dataset: there is no eval set "ste"; known: set.',
    ],
    [
      { thresholds: [{ metric: 'AP', min: 0, tag: 'easy' }] },
      'gate.thresholds.0.tag: there is no query with the tag "easy"; known: hard.',
    ],
  ] as const)
    test(`that are not: ${message}`, () => {
      assert.throws(
        () => checkNames(spec(gate as Parameters<typeof spec>[0]), known),
        (error) => ParallaxError.is(error, 'bad-config') && error.message === message,
      );
    });
});
