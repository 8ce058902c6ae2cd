/** Names of parallax.json without a definition. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { SAMPLE } from '../../../scripts/lib/project.mjs';
import {
  brokenNames,
  missingPath,
  namedPaths,
  oldSplits,
} from '../../../src/extension/workspace/config-links.ts';

const sentences = (config: unknown): string[] =>
  brokenNames(config).map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('names in parallax.json', () => {
  test('of the sample are all defined', () => {
    assert.deepEqual(brokenNames(JSON.parse(readFileSync(`${SAMPLE}/parallax.json`, 'utf8'))), []);
  });

  test('an undefined corpus, judge or generator', () => {
    const config = { corpora: { a: {} }, corpus: 'b', judge: 'gpt', generator: 'lexical' };
    assert.deepEqual(sentences(config), [
      'corpus: There is no corpus "b". Available: a.',
      'judge: There is no judge "gpt". Available: labels, lexical, vscode.',
    ]);
  });

  test('embedders and judges of pipelines, also in a hybrid retriever', () => {
    const pipelines = {
      one: {
        retriever: { type: 'hybrid', retrievers: [{ type: 'bm25' }, { type: 'dense', embedder: 'mini' }] },
        rerank: [
          { type: 'mmr', embedder: 'hashing' },
          { type: 'coverage', judge: 'gpt' },
        ],
        expansion: { type: 'hyde', model: 'writer' },
      },
    };
    assert.deepEqual(
      brokenNames({ pipelines, judges: { gpt: {} } }).map(({ path }) => path),
      [
        ['pipelines', 'one', 'expansion', 'model'],
        ['pipelines', 'one', 'retriever', 'retrievers', 1, 'embedder'],
      ],
    );
  });

  test('judges that other judges name', () => {
    const judges = {
      both: { type: 'debate', agents: 'nobody', adjudicator: 'gpt' },
      pair: { type: 'debate', agents: ['gpt', 'none'] },
      filter: { type: 'filter', judges: ['lexical', 'cheap'], then: 'gpt' },
      gpt: { type: 'openai' },
    };
    assert.deepEqual(
      brokenNames({ judges }).map(({ path }) => path.join('.')),
      ['judges.both.agents', 'judges.pair.agents.1', 'judges.filter.judges.1'],
    );
  });

  test('eval sets of thresholds, and those that select a corpus', () => {
    const evalSets = ['eval/one.parallax.jsonl', 'eval/two.jsonl'];
    const gate = {
      corpora: { one: 'a', 'eval/two.jsonl': 'a', three: 'a' },
      thresholds: [{ dataset: 'two' }, { dataset: 'eval/one.parallax.jsonl' }, { dataset: 'tow' }, {}],
    };
    const found = brokenNames({ corpora: { a: {} }, gate }, evalSets);
    assert.deepEqual(found, [
      {
        path: ['gate', 'thresholds', 2, 'dataset'],
        message: 'There is no eval set "tow". Available: one, two.',
      },
      {
        path: ['gate', 'corpora', 'three'],
        isKey: true,
        message: 'There is no eval set "three". Available: one, two.',
      },
    ]);
    assert.deepEqual(
      brokenNames({ corpora: { a: {} }, gate }),
      [],
      'nothing is said of sets that are not known',
    );
  });

  test('eval sets with equal names in two folders need their paths', () => {
    const evalSets = ['a/set.jsonl', 'b/set.jsonl'];
    const config = { gate: { thresholds: [{ dataset: 'set' }, { dataset: 'a/set.jsonl' }] } };
    assert.deepEqual(
      brokenNames(config, evalSets).map(({ message }) => message),
      ['There is no eval set "set". Available: a/set.jsonl, b/set.jsonl.'],
    );
  });

  test('pipelines and corpora that the gate names', () => {
    const gate = {
      pipelines: ['bm25', 'mine'],
      judge: 'x',
      corpora: { questions: 'wiki' },
      thresholds: [{ pipeline: 'dense' }, { pipeline: 'bm25' }],
    };
    assert.deepEqual(sentences({ gate }), [
      'gate.corpora.questions: There is no corpus "wiki". Available: none at all.',
      'gate.judge: There is no judge "x". Available: labels, lexical, vscode.',
      'gate.pipelines.1: There is no pipeline "mine". Available: hybrid, bm25, dense.',
      'gate.thresholds.0.pipeline: The gate has no pipeline "dense"; it has: bm25, mine.',
    ]);
  });

  test('a binding may name captured runs', () => {
    const bindings = [{ pipeline: 'captured' }, { pipeline: 'captured:store' }, { pipeline: 'captures' }];
    assert.deepEqual(
      brokenNames({ bindings }).map(({ path }) => path),
      [['bindings', 2, 'pipeline']],
    );
  });

  test('leaves other shapes to the schema', () => {
    for (const odd of [null, 3, [], { pipelines: [], judge: 7, gate: 'x', judges: null }])
      assert.deepEqual(brokenNames(odd), []);
    // An inherited name, such as "constructor", is not defined.
    assert.equal(brokenNames({ corpora: {}, corpus: 'constructor' }).length, 1);
  });
});

test('paths that must exist, with their kind', () => {
  const found = namedPaths({
    corpora: { a: { roots: ['docs', '../more'] } },
    judges: { nli: { type: 'nli', path: 'model', calibration: 'c.json' } },
    pipelines: { p: { rerank: [{ type: 'cross-encoder', path: 'ce', file: 'onnx/model.onnx' }] } },
    gate: { baseline: { file: 'main.json' } },
    evalSets: ['eval/*.jsonl'],
  });
  assert.deepEqual(
    found.map(({ target, kind }) => [target, kind]),
    [
      ['docs', 'path'],
      ['../more', 'path'],
      ['model', 'path'],
      ['c.json', 'path'],
      ['ce', 'path'],
      ['main.json', 'baseline'],
      ['eval/*.jsonl', 'pattern'],
    ],
  );
  assert.match(missingPath(found.at(-2)!), /no baseline "main\.json" yet.*Accept as Baseline/u);
  assert.match(missingPath(found.at(-1)!), /No eval set matches/u);
});

describe('corpora with the splitting of old files', () => {
  const corpora = {
    docs: { roots: ['docs'] },
    cut: { roots: ['docs'], split: { type: 'sections' } },
    kept: { store: { type: 'qdrant' } },
  };

  test('are those without a version and without a split', () => {
    assert.deepEqual(oldSplits({ corpora }), [['corpora', 'docs']]);
  });

  test('are none if the file has a version or is not valid', () => {
    for (const config of [{ version: 2, corpora }, { version: 1, corpora }, { corpora: [corpora] }, null])
      assert.deepEqual(oldSplits(config), []);
  });
});
