import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { ParallaxError, type ErrorId } from '../../../src/core/errors.ts';
import type { Judgement } from '../../../src/core/model.ts';
import { createCachedJudge } from '../../../src/engine/judgements/cached-judge.ts';
import type { Judge, JudgePair } from '../../../src/engine/judges/judge.ts';
import { JudgementCache } from '../../../src/engine/judgements/judgement-cache.ts';
import { Judges } from '../../../src/engine/judges/judges.ts';
import { createNliJudge } from '../../../src/engine/judges/nli-judge.ts';
import { NliModel, type Entailment, type NliModelConfig } from '../../../src/engine/models/nli-model.ts';
import { NliModels } from '../../../src/engine/models/nli-models.ts';
import { openDatabase } from '../../../src/engine/store/database.ts';
import { judgeSchema } from '../../../src/shared/judge-config.ts';
import {
  makeWeights,
  NLI_CLASSES,
  VOCABULARY,
  writeTinyEncoder,
  writeTinyNli,
  type TinyEncoderOptions,
} from '../../fixtures/tiny-encoder/make.ts';
import { classify, runReference, wordPieceIds } from '../../fixtures/tiny-encoder/reference.ts';
import { collector } from './support.ts';
import { testWorkspace } from '../../fixtures/workspace.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const WEIGHTS = makeWeights();
const ENTAILMENT = NLI_CLASSES.indexOf('entailment');
/** The number of tokens [CLS], [SEP] and [SEP]. */
const SPECIAL = 3;

const PREMISES = [
  'The city should ban cars because cars are unsafe.',
  'vaccine',
  '',
  'Helpful vaccines, and a safe cafe.',
  'the the the the the the the',
];
const HYPOTHESES = ['Ban the cars.', 'Vaccines help.'];
const PAIRS: readonly JudgePair[] = PREMISES.flatMap((premise) =>
  HYPOTHESES.map((hypothesis) => ({ passage: { text: premise }, perspective: { text: hypothesis } })),
);

const idsOf = (text: string): number[] => wordPieceIds(VOCABULARY, text).slice(1, -1);

/** P(entailment) by definition: premise and hypothesis alone, without padding or batches. */
function reference(premise: string, hypothesis: string, premiseTokens = Infinity): number {
  const [cls, sep] = ['[CLS]', '[SEP]'].map((token) => VOCABULARY.indexOf(token)) as [number, number];
  const first = [cls, ...idsOf(premise).slice(0, premiseTokens), sep];
  const second = [...idsOf(hypothesis), sep];
  const types = [...first.map(() => 0), ...second.map(() => 1)];
  const powers = classify(WEIGHTS, runReference(WEIGHTS, [...first, ...second], true, types), 3).map(
    Math.exp,
  );
  return powers[ENTAILMENT]! / powers.reduce((sum, power) => sum + power, 0);
}

/** The tiny model's limit is 64 tokens. */
function open(t: TestContext, folder: string, config: Partial<NliModelConfig> = {}): NliModel {
  const model = new NliModel({ path: basename(folder), maxTokens: 64, ...config }, dirname(folder));
  t.after(() => model.dispose());
  return model;
}

async function openTiny(
  t: TestContext,
  options: TinyEncoderOptions = {},
  config: Partial<NliModelConfig> = {},
  names = NLI_CLASSES,
): Promise<NliModel> {
  const folder = temporaryFolder(t);
  await writeTinyNli(folder, options, names);
  return open(t, folder, config);
}

async function entailed(model: NliModel, pairs: readonly JudgePair[]): Promise<Entailment[]> {
  const answers: Entailment[] = [];
  await model.entail(
    pairs.map(({ passage, perspective }) => ({ premise: passage.text, hypothesis: perspective.text })),
    (index, entailment) => {
      assert.equal(answers[index], undefined, 'told twice');
      answers[index] = entailment;
    },
  );
  return answers;
}

const isError = (id: ErrorId, message: RegExp) => (error: unknown) => {
  assert.ok(ParallaxError.is(error, id), String(error));
  assert.match(error.message, message);
  return true;
};

function assertClose(actual: number, expected: number, what = ''): void {
  assert.ok(Math.abs(actual - expected) <= 1e-5, `${what} ${actual} is not ${expected}`);
}

const judgeOf = (model: NliModel, threshold = 0.5): Judge =>
  createNliJudge({ name: 'nli', model, threshold: () => Promise.resolve(threshold) });

test('the probability of entailment equals a plain reference, premise first', async (t) => {
  const answers = await entailed(await openTiny(t), PAIRS);
  PAIRS.forEach(({ passage, perspective }, i) =>
    assertClose(answers[i]!.probability, reference(passage.text, perspective.text), `pair ${i}:`),
  );
  assertClose(
    (await entailed(await openTiny(t), [{ passage: { text: 'ban car' }, perspective: { text: 'safe' } }]))[0]!
      .probability,
    reference('ban car', 'safe'),
  );
  assert.notEqual(reference('ban car', 'safe').toFixed(3), reference('safe', 'ban car').toFixed(3));
});

test('the class for entailment is found by name, or configured', async (t) => {
  const renamed = await openTiny(t, {}, {}, ['CONTRADICTION', 'Entailment', 'NEUTRAL']);
  assertClose((await entailed(renamed, PAIRS))[0]!.probability, reference(PREMISES[0]!, HYPOTHESES[0]!));
  for (const entailment of [ENTAILMENT, 'yes'])
    assertClose(
      (await entailed(await openTiny(t, {}, { entailment }, ['no', 'yes', 'maybe']), PAIRS))[1]!.probability,
      reference(PREMISES[0]!, HYPOTHESES[1]!),
    );
  const two = await openTiny(t, { classes: 2 }, {}, ['not_entailment', 'entailment']);
  const probabilities = (await entailed(two, PAIRS)).map(({ probability }) => probability);
  const other = await openTiny(t, { classes: 2 }, { entailment: 0 }, ['not_entailment', 'entailment']);
  (await entailed(other, PAIRS)).forEach(({ probability }, i) =>
    assertClose(probability + probabilities[i]!, 1),
  );
});

test('a long passage is read in windows of sentences, and the best one counts', async (t) => {
  const sentences = [
    'The city should ban cars.',
    'Vaccines help the city.',
    'Cafes help because cars are unsafe.',
    'The cars help.',
    'A safe vaccine and a helpful cafe.',
  ];
  const premise = sentences.join('  ');
  const hypothesis = 'Ban cars.';
  assert.deepEqual(
    [...sentences, hypothesis].map((text) => idsOf(text).length),
    [6, 6, 11, 4, 9, 3],
  );
  const maxTokens = 24 + SPECIAL + 3;
  // 6 + 6 + 11 tokens fit into 24; then the shared sentence and two more, 11 + 4 + 9.
  const windows = [sentences.slice(0, 3).join('  '), sentences.slice(2).join('  ')];
  const expected = windows.map((window) => reference(window, hypothesis));
  const model = await openTiny(t, {}, { maxTokens });
  const pair = { passage: { text: premise }, perspective: { text: hypothesis } };
  // With others, so that windows of several passages share batches.
  const [, { probability, span } = { probability: 0, span: { start: 0, end: 0 } }] = await entailed(model, [
    PAIRS[0]!,
    pair,
    PAIRS[3]!,
  ]);
  assertClose(probability, Math.max(...expected));
  assert.ok(Math.abs(expected[0]! - expected[1]!) > 1e-3, 'the windows cannot be told apart');
  assert.equal(premise.slice(span.start, span.end), windows[expected.indexOf(Math.max(...expected))]);
});

test('a sentence that is too long is cut at its end, and the hypothesis stays complete', async (t) => {
  const maxTokens = 16;
  const premise = 'the city and the cafe and the car and the city and the vaccine and the car';
  const room = maxTokens - SPECIAL - idsOf('ban cars').length;
  const model = await openTiny(t, {}, { maxTokens });
  const answers = await entailed(model, [{ passage: { text: premise }, perspective: { text: 'ban cars' } }]);
  assertClose(answers[0]!.probability, reference(premise, 'ban cars', room));
});

test('judgements have the probability, and evidence if the answer is yes', async (t) => {
  const model = await openTiny(t);
  const expected = PAIRS.map(({ passage, perspective }) => reference(passage.text, perspective.text));
  const threshold = expected.toSorted((a, b) => a - b)[4]! - 1e-4;
  const judge = createCachedJudge(judgeOf(model, threshold), new JudgementCache(openDatabase(':memory:')));
  const { delivered, onJudgement } = collector();
  const report = await judge.judge(PAIRS, { onJudgement });
  assert.deepEqual(
    [report.asked, report.answered, report.failed, report.unparsable, report.requests],
    [PAIRS.length, PAIRS.length, 0, 0, 0],
  );
  PAIRS.forEach(({ passage }, i) => {
    const {
      verdict,
      evidence,
      source,
      confidence,
      judge: name,
      standard,
      rationale,
    } = delivered.get(i)!.judgement;
    assertClose(confidence!, expected[i]!);
    assert.equal(verdict, expected[i]! >= threshold ? 'yes' : 'no');
    const whole = [{ start: 0, end: passage.text.length }];
    assert.deepEqual(evidence, verdict === 'yes' && passage.text !== '' ? whole : []);
    assert.deepEqual([source, name, standard], ['nli', 'nli', 'berds-1']);
    assert.match(
      rationale!,
      new RegExp(`entailment ${confidence!.toFixed(3)}, "yes" from ${threshold.toFixed(3)}`),
    );
  });
  assert.equal(new Set([...delivered.values()].map(({ judgement }) => judgement.verdict)).size, 2);
});

test('the answer is yes at the threshold itself', async (t) => {
  const model = await openTiny(t);
  const [{ probability } = { probability: 0 }] = await entailed(model, PAIRS);
  const verdicts: string[] = [];
  for (const threshold of [probability, probability + 1e-12])
    await createCachedJudge(judgeOf(model, threshold), new JudgementCache(openDatabase(':memory:'))).judge(
      [PAIRS[0]!],
      {
        onJudgement: (_, { verdict }) => verdicts.push(verdict),
      },
    );
  assert.deepEqual(verdicts, ['yes', 'no']);
});

test('another threshold changes every cached answer, without running the model again', async (t) => {
  const model = await openTiny(t);
  const cache = new JudgementCache(openDatabase(':memory:'));
  let threshold = 0;
  const judge = createCachedJudge(
    createNliJudge({ name: 'nli', model, threshold: () => Promise.resolve(threshold) }),
    cache,
  );
  await judge.judge(PAIRS);
  assert.ok((await judge.known(PAIRS)).every((answer) => answer?.judgement.verdict === 'yes'));
  threshold = 1;
  const after = await judge.known(PAIRS);
  assert.ok(
    after.every((answer) => answer?.judgement.verdict === 'no' && answer.judgement.evidence.length === 0),
  );
  const second = createCachedJudge(judgeOf(model, 0), cache);
  const { delivered, onJudgement } = collector();
  const { asked, cached } = await second.judge(PAIRS, { onJudgement });
  assert.deepEqual([asked, cached], [0, PAIRS.length]);
  assert.equal(delivered.get(0)!.judgement.verdict, 'yes');
  assert.equal(delivered.get(0)!.judgement.evidence.length, 1, 'the evidence was not kept');
});

test('the key depends on all that affects answers', async (t) => {
  const folder = temporaryFolder(t);
  await writeTinyNli(folder);
  const keyOf = (config: Partial<NliModelConfig> = {}): string => judgeOf(open(t, folder, config)).key;
  const key = keyOf();
  assert.equal(judgeOf(open(t, folder), 0.9).key, key, 'the threshold is applied when reading');
  assert.notEqual(keyOf({ maxTokens: 32 }), key);
  assert.notEqual(keyOf({ entailment: 2 }), key);
  await writeTinyNli(folder, { weights: makeWeights(8) });
  assert.notEqual(keyOf(), key);
  await writeTinyNli(folder, {}, ['entailment', 'neutral', 'contradiction']);
  assert.notEqual(keyOf(), key, 'the names of the classes decide which one is read');
  await writeTinyNli(folder);
  assert.equal(keyOf(), key);
  await writeFile(join(folder, 'model.onnx_data'), 'weights');
  assert.notEqual(keyOf(), key);
});

test('missing files are named', async (t) => {
  const folder = temporaryFolder(t);
  assert.throws(() => open(t, folder), isError('model-missing', /model\.onnx and no .*onnx.model\.onnx/));
  await writeTinyNli(folder, { tokenizer: false });
  assert.throws(() => open(t, folder), isError('model-missing', /tokenizer\.json is missing/));
});

test('models that are no NLI models are refused by name', async (t) => {
  const fails = async (model: Promise<NliModel>, message: RegExp): Promise<void> =>
    assert.rejects(entailed(await model, PAIRS), isError('bad-file', message));
  await fails(openTiny(t, { classes: 2 }), /has 2 classes .* config\.json names 3/);
  await fails(
    openTiny(t, { classes: 1 }, {}, ['entailment']),
    /one figure per pair; an NLI model separates entailment/,
  );
  await fails(
    openTiny(t, {}, {}, ['LABEL_0', 'LABEL_1', 'LABEL_2']),
    /0 LABEL_0, 1 LABEL_1, 2 LABEL_2\), none of which is called entailment: set "entailment"/,
  );
  await fails(openTiny(t, {}, {}, []), /\(0, 1, 2\), none of which is called entailment/);
  await fails(openTiny(t, {}, {}, ['entailment', 'entailed', 'neutral']), /several could mean entailment/);
  await fails(openTiny(t, {}, { entailment: 3 }), /has no class 3/);
  await fails(openTiny(t, {}, { entailment: 'supports' }), /has no "supports"/);
  const folder = temporaryFolder(t);
  await writeTinyEncoder(folder, { outputs: ['last_hidden_state'] });
  await fails(
    Promise.resolve(open(t, folder)),
    /none of which is a score per pair: it is an encoder, not an NLI model/,
  );
  await writeTinyNli(folder);
  await writeFile(join(folder, 'config.json'), '{"id2label": [');
  await fails(Promise.resolve(open(t, folder)), /config\.json cannot be read/);
  await writeFile(join(folder, 'config.json'), '[]');
  await fails(Promise.resolve(open(t, folder)), /config\.json is not a JSON object/);
});

test('unknown class names are refused', async (t) => {
  const folder = temporaryFolder(t);
  await writeTinyNli(folder);
  const fails = async (
    id2label: object,
    message: RegExp,
    config: Partial<NliModelConfig> = {},
  ): Promise<void> => {
    await writeFile(join(folder, 'config.json'), JSON.stringify({ id2label }));
    await assert.rejects(entailed(open(t, folder, config), PAIRS), isError('bad-file', message));
  };
  await fails({ 0: 'contradiction', 1: 'neutral', 7: 'entailment' }, /7 entailment|do not belong together/);
  await fails(
    { 0: 'contradiction', 1: 'neutral', '-1': 'entailment' },
    /id2label does not map class numbers/,
  );
  await fails({ 0: 'no', 1: 'maybe', 1.5: 'yes' }, /id2label does not map class numbers/, {
    entailment: 'yes',
  });
});

test('figures that are not numbers are errors, never a "no"', async (t) => {
  const bias = Float32Array.of(NaN, 0, 0);
  const model = await openTiny(t, { weights: { ...WEIGHTS, 'classifier3.bias': bias } });
  const { delivered, onJudgement } = collector();
  const report = await judgeOf(model).judge(PAIRS, { onJudgement });
  assert.equal(delivered.size, 0);
  assert.equal(report.failed, PAIRS.length);
  assert.ok(isError('model-answer', /not numbers/)(report.error));
});

test('a pair without numbers fails alone, whatever shares its batch', async (t) => {
  const words = WEIGHTS['words']!.slice();
  const HIDDEN = words.length / VOCABULARY.length;
  words[VOCABULARY.indexOf('vaccine') * HIDDEN] = NaN;
  const model = await openTiny(t, { weights: { ...WEIGHTS, words } });
  const pairs = ['ban', 'vaccine', 'car', 'the city should ban the car'].map((text) => ({
    passage: { text },
    perspective: { text: 'Ban cars.' },
  }));
  const { delivered, onJudgement } = collector();
  const report = await judgeOf(model).judge(pairs, { onJudgement });
  assert.deepEqual([...delivered.keys()].sort(), [0, 2, 3]);
  assert.equal(report.failed, 1);
  assert.ok(isError('model-answer', /not numbers/)(report.error));
});

test('a pair that the model refuses fails alone', async (t) => {
  // The tiny model has 64 positions, and the judge believes it has 512.
  const model = await openTiny(t, {}, { maxTokens: 512 });
  const long = { passage: { text: 'the '.repeat(100) }, perspective: { text: 'Ban cars.' } };
  const { delivered, onJudgement } = collector();
  const report = await judgeOf(model).judge([PAIRS[0]!, long, ...PAIRS.slice(1)], { onJudgement });
  assert.equal(delivered.size, PAIRS.length);
  assert.equal(delivered.has(1), false);
  assert.equal(report.failed, 1);
  assert.ok(isError('bad-file', /106 tokens.*maxTokens/s)(report.error));
});

test('cancelling ends it between batches and keeps answers', async (t) => {
  const model = await openTiny(t);
  const pairs = Array.from({ length: 200 }, (_, i) => ({
    passage: { text: `${'the '.repeat(i % 20)}city ${i}` },
    perspective: { text: 'Ban cars.' },
  }));
  const controller = new AbortController();
  const cache = new JudgementCache(openDatabase(':memory:'));
  const judge = createCachedJudge(judgeOf(model), cache);
  let count = 0;
  const onJudgement = (): void => {
    if (++count === 40) controller.abort();
  };
  const report = await judge.judge(pairs, { onJudgement, signal: controller.signal });
  assert.ok(report.cancelled && report.error === undefined);
  assert.ok(count >= 40 && count < 64, `${count} answers after cancelling at 40`);
  const rest = await judge.judge(pairs);
  assert.deepEqual([rest.cached, rest.answered], [count, pairs.length]);
  assert.equal((await judge.judge(pairs, { signal: AbortSignal.abort() })).answered, 0);
});

test('pairs that were answered since are skipped', async (t) => {
  const { delivered, onJudgement } = collector();
  await judgeOf(await openTiny(t)).judge(PAIRS, { onJudgement, isAnswered: (index) => index % 2 === 0 });
  assert.deepEqual([...delivered.keys()].sort(), [1, 3, 5, 7, 9]);
});

interface Workspace {
  readonly judges: Judges;
  readonly base: string;
}

/** A configuration with the judge `local`, whose model lies in the folder `model`. */
async function workspace(
  t: TestContext,
  judge: Record<string, unknown> = {},
  trusted = true,
): Promise<Workspace> {
  const base = temporaryFolder(t);
  await writeTinyNli(join(base, 'model'));
  const nliModels = new NliModels({ base, trusted });
  t.after(() => nliModels.dispose());
  const config = judgeSchema.parse({ type: 'nli', path: 'model', maxTokens: 64, ...judge });
  const cache = new JudgementCache(openDatabase(':memory:'));
  const judges = new Judges({ judges: { local: config }, keys: {} }, cache, undefined, { nliModels });
  return { judges, base };
}

async function verdictOf(judges: Judges): Promise<Judgement['verdict'] | undefined> {
  let verdict: Judgement['verdict'] | undefined;
  await judges
    .get('local')!
    .judge([PAIRS[0]!], { onJudgement: (_, judgement) => (verdict = judgement.verdict) });
  return verdict;
}

test('a configuration names the model and its threshold', async (t) => {
  assert.equal(await verdictOf((await workspace(t, { threshold: 0 })).judges), 'yes');
  assert.equal(await verdictOf((await workspace(t, { threshold: 1 })).judges), 'no');
  assert.throws(() => judgeSchema.parse({ type: 'nli', path: 'model', threshold: 1.5 }), /threshold/);
});

test('after dispose the model is loaded again, and a repaired one works without a restart', async (t) => {
  const folder = temporaryFolder(t);
  await writeTinyNli(folder);
  const model = open(t, folder);
  const before = await entailed(model, PAIRS);
  await model.dispose();
  await writeFile(join(folder, 'model.onnx'), 'not a model');
  await assert.rejects(entailed(model, PAIRS), isError('bad-file', /is not a model/));
  await writeTinyNli(folder);
  assert.deepEqual(await entailed(model, PAIRS), before);
});

test('models are not loaded in an untrusted workspace', async (t) => {
  const { judges } = await workspace(t, {}, false);
  assert.throws(() => judges.get('local'), isError('untrusted', /NLI model model is loaded only once/));
  const config = judgeSchema.parse({ type: 'nli', path: 'model' });
  const cache = new JudgementCache(openDatabase(':memory:'));
  const without = new Judges({ judges: { local: config }, keys: {} }, cache, undefined);
  assert.throws(() => without.get('local'), isError('untrusted', /trusted/));
});

test('the threshold of a calibration is used, and read again when the file changes', async (t) => {
  const { judges, base } = await workspace(t, { calibration: 'calibration.json' });
  const write = (content: unknown): Promise<void> =>
    writeFile(join(base, 'calibration.json'), JSON.stringify(content));
  await assert.rejects(verdictOf(judges), isError('bad-config', /calibration\.json cannot be read/));
  const judgeKey = judges.get('local')!.key;
  assert.equal(judges.get('local')!.reading!.isFitted, true);
  await write({ judgeKey, threshold: 0 });
  assert.equal(await verdictOf(judges), 'yes');
  await write({ judgeKey, threshold: 1 });
  assert.equal(await verdictOf(judges), 'no');
  await write({ judgeKey: 'another', threshold: 1 });
  await assert.rejects(verdictOf(judges), isError('bad-config', /calibrated for another model/));
  await write({ judgeKey, threshold: 'high' });
  await assert.rejects(
    verdictOf(judges),
    isError('bad-config', /not what "parallax judge calibrate --json" writes/),
  );
});

test('in the engine, a new threshold changes known verdicts without asking', async (t) => {
  const judges = (threshold: number) => ({
    local: { type: 'nli' as const, path: 'model', maxTokens: 64, threshold },
  });
  const workspace = await testWorkspace(t, {
    files: { 'docs/a.txt': PREMISES[0]! },
    corpora: { docs: { roots: ['docs'] } },
    judges: judges(0),
    log: (message) => assert.fail(message),
  });
  await writeTinyNli(join(workspace.folder, 'model'));
  const perspectives = [{ id: 'a', text: HYPOTHESES[0]! }];
  // The first passage of a store has the slot 1.
  const judgingTask = { corpus: 'docs', judge: 'local', query: { text: 'Cars?' }, perspectives, slots: [1] };
  const known = async (): Promise<string[]> =>
    (await workspace.request('judgements', judgingTask)).pairs.map(({ judgement }) => judgement.verdict);

  assert.deepEqual(await known(), []);
  assert.equal((await workspace.request('judge', judgingTask)).answered, 1);
  assert.deepEqual(await known(), ['yes']);
  await workspace.configure({ judges: judges(1) });
  assert.deepEqual(await known(), ['no']);
  assert.equal((await workspace.request('judge', judgingTask)).asked, 0);
  await workspace.configure({ trusted: false });
  await assert.rejects(workspace.request('judge', judgingTask), isError('untrusted', /trusted/));
});
