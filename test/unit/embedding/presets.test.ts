import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ENCODER_PRESETS, encoderSettings } from '../../../src/core/embedding/presets.ts';
import { describeIssue } from '../../../src/core/schema-issue.ts';
import { embedderSchema, type EmbedderConfig } from '../../../src/shared/config.ts';

type OnnxConfig = Extract<EmbedderConfig, { type: 'onnx' }>;

function parsed(given: object): OnnxConfig {
  return embedderSchema.parse({ type: 'onnx', path: 'model', ...given }) as OnnxConfig;
}

function refusal(given: object): string {
  const input = { type: 'onnx', path: 'model', ...given };
  const { error } = embedderSchema.safeParse(input);
  assert.ok(error);
  return describeIssue(error, input);
}

/** Pooling, tokens, scale, whether the prefix is pooled, and the prefixes of queries and passages. */
const EXPECTED: Readonly<Record<string, readonly [string, number, boolean, boolean, RegExp, RegExp]>> = {
  contriever: ['mean', 512, false, true, /^$/u, /^$/u],
  'contriever-msmarco': ['mean', 512, false, true, /^$/u, /^$/u],
  simcse: ['pooler', 512, true, true, /^$/u, /^$/u],
  'simcse-unsup': ['cls', 512, true, true, /^$/u, /^$/u],
  dpr: ['cls', 256, false, true, /^$/u, /^$/u],
  'tas-b': ['cls', 512, false, true, /^$/u, /^$/u],
  'tct-colbert': ['mean', 512, false, false, /^\[Q\] $/u, /^\[D\] $/u],
  'all-minilm': ['mean', 256, true, true, /^$/u, /^$/u],
  bge: ['cls', 512, true, true, /passages: $/u, /^$/u],
  'uae-large': ['cls', 512, true, true, /passages: $/u, /^$/u],
  instructor: ['mean', 512, true, false, /question.*: $/u, /document.*: $/u],
};

describe('presets of encoders', () => {
  test('each defines how to run its model', () => {
    assert.deepEqual([...ENCODER_PRESETS].sort(), Object.keys(EXPECTED).sort());
    for (const preset of ENCODER_PRESETS) {
      const own = encoderSettings(preset, {});
      const [pooling, maxTokens, normalize, poolPrefix, query, passage] = EXPECTED[preset]!;
      assert.deepEqual(
        [own.pooling, own.maxTokens, own.normalize, own.poolPrefix],
        [pooling, maxTokens, normalize, poolPrefix],
        preset,
      );
      assert.match(own.queryPrefix, query, preset);
      assert.match(own.passagePrefix, passage, preset);
    }
  });

  test('an encoder without a preset is unchanged', () => {
    assert.deepEqual(parsed({}), {
      type: 'onnx',
      path: 'model',
      pooling: 'mean',
      maxTokens: 256,
      queryPrefix: '',
      passagePrefix: '',
      poolPrefix: true,
      normalize: true,
    });
  });

  test('explicit fields override the preset, even if empty or false', () => {
    const own = { pooling: 'mean', maxTokens: 99, queryPrefix: '', passagePrefix: 'x ', normalize: false };
    const { preset, ...config } = parsed({ preset: 'bge', ...own });
    assert.equal(preset, 'bge');
    assert.deepEqual(config, { type: 'onnx', path: 'model', poolPrefix: true, ...own });
    assert.equal(parsed({ preset: 'tct-colbert', poolPrefix: true }).poolPrefix, true);
  });

  test('a parsed configuration parses to the same again', () => {
    const config = parsed({ preset: 'dpr', query: 'questions', maxTokens: 100 });
    assert.deepEqual(embedderSchema.parse(config), config);
  });

  test('refuses an unknown preset and lists the known ones', () => {
    const said = refusal({ preset: 'contreiver' });
    assert.match(said, /^preset: unknown preset; available: contriever, .*\(found "contreiver"\)\.$/u);
    for (const preset of ENCODER_PRESETS) assert.ok(said.includes(preset));
  });

  test('refuses a preset that conflicts with explicit fields, with the reason', () => {
    assert.match(refusal({ preset: 'dpr' }), /^query: DPR encodes queries with a model of their own/u);
    assert.match(
      refusal({ preset: 'instructor', pooling: 'cls' }),
      /^poolPrefix: false needs pooling "mean"/u,
    );
  });
});
