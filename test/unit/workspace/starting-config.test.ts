/** A new `parallax.json` contains the configuration in force, so that saving it changes nothing. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { evalSetPattern, mayMatchNothing } from '../../../src/core/formats/eval-set-pattern.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { assignFolders, type CorpusFolder } from '../../../src/extension/engine-process/corpus-folders.ts';
import { startingConfig } from '../../../src/shared/defaults/starting-config.ts';
import { defaultConfig, pipelinesOf } from '../../../src/shared/defaults/default-config.ts';
import { parseConfig } from '../../../src/extension/workspace/workspace-model.ts';

describe('a new file', () => {
  const inForce = defaultConfig('/home/me/notes');

  test('has the corpus, pipelines and eval sets in force, and the selected judge', () => {
    const written = parseConfig(startingConfig(inForce, 'labels'));
    assert.deepEqual(written.corpora, inForce.corpora);
    assert.deepEqual(pipelinesOf(written), pipelinesOf(inForce));
    assert.deepEqual(written.evalSets, inForce.evalSets);
    assert.equal(written.judge, 'labels');
    assert.deepEqual([written.embedders, written.judges], [{}, {}]);
  });

  test('is valid for any of them', () => {
    const split = { type: 'sentences', size: 7, overlap: 1 } as const;
    const corpora = { 'a "b"': { ...inForce.corpora['notes']!, roots: ['x', 'y'], split } };
    const mixed = parsePipeline({
      retriever: { type: 'hybrid', retrievers: [{ type: 'bm25', k1: 0.5 }, { type: 'dense' }], rrfK: 10 },
      rerank: [{ type: 'mmr', lambda: 0.3 }],
      k: 7,
    });
    const config = { ...inForce, corpora, pipelines: { mixed } };
    const written = parseConfig(startingConfig(config, 'gpt'));
    assert.deepEqual([written.corpora, written.pipelines], [corpora, { mixed }]);
  });

  test('its commented examples are valid', () => {
    const text = startingConfig(inForce, 'labels').replaceAll(/^( +)\/\/ (?=")/gmu, '$1');
    const { embedders, judges, pipelines } = parseConfig(text);
    assert.deepEqual(
      [embedders, judges].map((each) => Object.values(each).map(({ type }) => type)),
      [
        ['openai', 'onnx'],
        ['openai', 'openai'],
      ],
    );
    assert.equal(pipelines['store']?.retriever.type, 'chroma');
  });

  test('omits defaults', () => {
    assert.match(
      startingConfig(inForce, 'labels'),
      /"bm25": \{ "retriever": \{ "type": "bm25" \}, "k": 5 \},\n/u,
    );
  });
});

describe('the folders of corpora', () => {
  const known = (folder: string, name: string, identity: string): CorpusFolder => ({
    folder,
    name,
    identity,
  });
  const folders = (...args: Parameters<typeof assignFolders>): string[] =>
    assignFolders(...args).map(({ folder }) => folder);

  test('a renamed corpus keeps its index', () => {
    assert.deepEqual(assignFolders([known('f', 'old', 'docs')], [{ name: 'new', identity: 'docs' }]), [
      known('f', 'new', 'docs'),
    ]);
  });

  test('its former name then starts a new one', () => {
    const [notes] = assignFolders([], [{ name: 'notes', identity: 'a' }]);
    const renamed = assignFolders([notes!], [{ name: 'wiki', identity: 'a' }]);
    const both = folders(renamed, [
      { name: 'wiki', identity: 'a' },
      { name: 'notes', identity: 'b' },
    ]);
    assert.equal(both[0], notes!.folder);
    assert.equal(new Set(both).size, 2);
  });

  test("a corpus with other files keeps the folder of its name and takes no other's", () => {
    assert.deepEqual(folders([known('f', 'docs', 'a')], [{ name: 'docs', identity: 'b' }]), ['f']);
    const [first, second] = folders(
      [known('f', 'docs', 'a')],
      [
        { name: 'docs', identity: 'a' },
        { name: 'copy', identity: 'a' },
      ],
    );
    assert.equal(first, 'f');
    assert.notEqual(second, 'f');
  });

  test('removed corpora are remembered and restored', () => {
    const without = assignFolders([known('f', 'docs', 'a')], []);
    assert.deepEqual(folders(without, [{ name: 'docs', identity: 'a' }]), ['f']);
  });
});

describe('an entry of evalSets', () => {
  test('names a file, a pattern, or a folder to which a pattern is added', () => {
    assert.equal(evalSetPattern('eval/a.jsonl'), 'eval/a.jsonl');
    assert.equal(evalSetPattern('eval/*.jsonl'), 'eval/*.jsonl');
    for (const folder of ['eval', 'eval/']) assert.equal(evalSetPattern(folder), 'eval/**/*.jsonl');
    assert.equal(evalSetPattern('./eval.d/'), './eval.d/**/*.jsonl');
  });

  test('may match nothing yet, unless it names a file', () => {
    assert.deepEqual(['eval/a.jsonl', 'eval/*.jsonl', 'eval', 'eval/{a,b}.jsonl'].map(mayMatchNothing), [
      false,
      true,
      true,
      true,
    ]);
  });
});
