/** A command with unusable input says so in one sentence, and writes no file. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { evalCommand } from '../../../src/cli/commands/eval-command.ts';
import { indexCommand } from '../../../src/cli/commands/index-command.ts';
import { searchCommand } from '../../../src/cli/commands/search-command.ts';
import { ParallaxError, type ErrorId } from '../../../src/core/errors.ts';
import {
  HIDDEN,
  makeWeights,
  writeTinyCrossEncoder,
  writeTinyEncoder,
} from '../../fixtures/tiny-encoder/make.ts';
import { files, inputs, lines, run } from './support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

/** Words of the tiny encoder's vocabulary and others. */
const CORPUS = lines([
  { _id: 'a', text: 'the city is good' },
  { _id: 'b', text: 'the city is bad' },
]);
const QRELS = 'q pro a 1\nq con b 1\n';

interface Case {
  readonly text?: string;
  readonly perspectives?: readonly string[];
  readonly pipeline: unknown;
  readonly config?: object;
}

/** Runs eval with a JSON file to write, and returns the arguments. */
async function argumentsFor(t: TestContext, given: Case, target: string): Promise<string[]> {
  const { text = 'the city', perspectives = ['good', 'bad'], pipeline, config = {} } = given;
  const ids = ['pro', 'con'];
  const query = { _id: 'q', text, perspectives: perspectives.map((each, i) => ({ id: ids[i], text: each })) };
  const places = await files(t, {
    corpus: CORPUS,
    queries: lines([query]),
    qrels: QRELS,
    config: JSON.stringify(config),
  });
  const shown = typeof pipeline === 'string' ? pipeline : JSON.stringify(pipeline);
  return [...inputs(places), '--pipeline', shown, '--config', places.config, '--json', target, '--k', '2'];
}

async function refuses(t: TestContext, given: Case, id: ErrorId, sentence: RegExp): Promise<void> {
  const folder = temporaryFolder(t);
  const argv = await argumentsFor(t, given, path.join(folder, 'out.json'));
  await assert.rejects(run(evalCommand, ...argv), (error) => {
    assert.ok(ParallaxError.is(error), String(error));
    assert.deepEqual([error.id, sentence.test(error.message)], [id, true], error.message);
    assert.doesNotMatch(error.message, /\n/u);
    return true;
  });
  assert.deepEqual(await readdir(folder), [], 'nothing is half-written');
}

const bm25 = { type: 'bm25' };
const dense = { type: 'dense', embedder: 'hashing' };
const withStep = (step: object) => ({ retriever: bm25, rerank: [step] });

describe('an invalid pipeline is reported by field and value', () => {
  const cases: Readonly<Record<string, [RegExp, unknown]>> = {
    'an unknown field': [
      /^Pipeline: rerankers: there is no such field \(found \[\{"type":"mmr"\}\]\)\.$/u,
      { retriever: bm25, rerankers: [{ type: 'mmr' }] },
    ],
    'an unknown field within a step': [
      /^Pipeline: rerank\.0\.lamda: there is no such field \(found 0\.5\)\.$/u,
      withStep({ type: 'mmr', lamda: 0.5 }),
    ],
    'an unknown field with a long value': [
      /^Pipeline: extra: there is no such field \(found "x{59}…\)\.$/u,
      { retriever: bm25, extra: 'x'.repeat(500) },
    ],
    'an unknown retriever': [
      /^Pipeline: retriever\.type: .*\(found "bm26"\)\.$/u,
      { retriever: { type: 'bm26' } },
    ],
    'an unknown method': [
      /^Pipeline: projection\.method: .*\(found "papp"\)\.$/u,
      { retriever: dense, projection: { method: 'papp' } },
    ],
    'λ above 1': [
      /^Pipeline: rerank\.0\.lambda: .*\(found 1\.5\)\.$/u,
      withStep({ type: 'mmr', lambda: 1.5 }),
    ],
    'λ below 0': [
      /^Pipeline: rerank\.0\.lambda: .*\(found -0\.1\)\.$/u,
      withStep({ type: 'pm2', lambda: -0.1 }),
    ],
    'λ as text': [
      /^Pipeline: rerank\.0\.lambda: .*\(found "0\.5"\)\.$/u,
      withStep({ type: 'xquad', lambda: '0.5' }),
    ],
    'a maximum of zero': [
      /^Pipeline: rerank\.0\.datasetMaximum: .*\(found 0\)\.$/u,
      withStep({ type: 'mmr', datasetMaximum: 0 }),
    ],
    'a maximum in words': [
      /^Pipeline: rerank\.0\.datasetMaximum: .*"auto".*\(found "max"\)\.$/u,
      withStep({ type: 'mmr', datasetMaximum: 'max' }),
    ],
    'k of zero': [/^Pipeline: k: .*\(found 0\)\.$/u, { retriever: bm25, k: 0 }],
  };
  for (const [what, [sentence, pipeline]] of Object.entries(cases))
    test(what, (t) => refuses(t, { pipeline }, 'bad-pipeline', sentence));
});

describe('a query without perspectives is reported by query and step', () => {
  for (const [step, pipeline] of Object.entries({
    xquad: withStep({ type: 'xquad' }),
    pm2: withStep({ type: 'pm2' }),
    coverage: withStep({ type: 'coverage' }),
    expansion: { retriever: bm25, expansion: { type: 'perspectives' } },
    projection: { retriever: dense, projection: {} },
  }))
    test(step, (t) =>
      refuses(
        t,
        { perspectives: [], pipeline },
        'bad-argument',
        new RegExp(`^Question "q": The step "${step}" needs perspectives`, 'u'),
      ),
    );
});

describe('unusable vectors', () => {
  const projection = (method: string) => ({ retriever: dense, projection: { method } });

  test('a perspective of length zero', (t) =>
    refuses(
      t,
      { perspectives: ['good', '?!'], pipeline: projection('pap+') },
      'bad-argument',
      /^Question "q": Perspective "\?!": The vector of the perspective has length zero\.$/u,
    ));

  test('a perspective parallel to the query', (t) =>
    refuses(
      t,
      { text: '!', perspectives: ['good'], pipeline: projection('pap') },
      'bad-argument',
      /^Question "q": Perspective "good": The projection is empty, because the query is parallel/u,
    ));

  test('a query of length zero', (t) =>
    refuses(
      t,
      { text: '!', pipeline: { retriever: dense } },
      'bad-argument',
      /^Question "q": The query is a zero vector/u,
    ));

  test('NaN from an encoder, as retriever and as the measure of similarity', async (t) => {
    const weights = makeWeights();
    const folder = temporaryFolder(t);
    const words = weights['words']!.map((value, i) => (i < 6 * HIDDEN ? value : NaN));
    await writeTinyEncoder(folder, { weights: { ...weights, words } });
    const config = { embedders: { broken: { type: 'onnx', path: folder } } };
    for (const pipeline of [
      { retriever: { type: 'dense', embedder: 'broken' } },
      withStep({ type: 'mmr', embedder: 'broken' }),
    ])
      await refuses(t, { config, pipeline }, 'model-answer', /^Question "q": .*not numbers/u);
  });
});

test('a cross-encoder whose inputs do not fit', async (t) => {
  const folder = temporaryFolder(t);
  await writeTinyCrossEncoder(folder, { extraInput: 'decoder_input_ids' });
  const pipeline = withStep({ type: 'cross-encoder', path: folder });
  await refuses(t, { pipeline }, 'bad-file', /^Question "q": .*asks for the input decoder_input_ids/u);
});

test('without candidates every reranker does nothing, and the figures are 0', async (t) => {
  const target = path.join(temporaryFolder(t), 'out.json');
  const rerank = [{ type: 'mmr' }, { type: 'xquad' }, { type: 'pm2' }, { type: 'coverage' }];
  const pipeline = { retriever: bm25, rerank };
  const argv = await argumentsFor(t, { text: 'zebra', perspectives: ['zebra', 'gnu'], pipeline }, target);
  const { code } = await run(evalCommand, ...argv);
  assert.equal(code, 0);
  assert.ok(existsSync(target));
});

test('without candidates a data set has no maximum', (t) =>
  refuses(
    t,
    { text: 'zebra', pipeline: withStep({ type: 'mmr', datasetMaximum: 'auto' }) },
    'bad-argument',
    /^rerank\.0\.datasetMaximum cannot be worked out: no candidate/u,
  ));

test('a single query has no maximum of a data set', async (t) => {
  const { corpus } = await files(t, { corpus: CORPUS });
  const store = temporaryFolder(t);
  await run(indexCommand, corpus, '--store', store);
  const pipeline = JSON.stringify(withStep({ type: 'mmr', datasetMaximum: 'auto' }));
  await assert.rejects(
    run(searchCommand, 'city', '--store', store, '--pipeline', pipeline),
    (error) =>
      ParallaxError.is(error, 'bad-pipeline') && /datasetMaximum "auto".*give a number/u.test(error.message),
  );
});

test('a search writes JSON to standard output by --json, and by --json - like other commands', async (t) => {
  const { corpus } = await files(t, { corpus: CORPUS });
  const store = temporaryFolder(t);
  await run(indexCommand, corpus, '--store', store);
  const asked = ['city', '--store', store, '--pipeline', 'bm25', '--json'];
  const { stdout } = await run(searchCommand, ...asked);
  assert.equal((JSON.parse(stdout) as { query: string }).query, 'city');
  assert.equal((await run(searchCommand, ...asked, '-')).stdout, stdout);
  await assert.rejects(run(searchCommand, 'city', '-', '--store', store), /as one argument/u);
});
