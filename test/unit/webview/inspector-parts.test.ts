import assert from 'node:assert/strict';
import { strings } from '../../../webview/inspector/strings.ts';
import { exactly } from '../../../src/core/measured.ts';
import { describe, test } from 'node:test';
import { BUILT_IN_PIPELINES, parsePipeline, pipelineSchema } from '../../../src/core/pipeline.ts';
import { perspectiveMark, toInspectorSchema } from '../../../src/features/inspector/contract/panel.ts';
import { EMPTY_DRAFT, keep, restore } from '../../../webview/inspector/draft.ts';
import {
  chosenName,
  embedderOf,
  stepTexts,
  withDepth,
  withEmbedder,
  withRetriever,
} from '../../../webview/inspector/pipeline-edit.ts';
import { verdictOfKey } from '../../../webview/components/verdict-keys.ts';
import { nextUnjudged } from '../../../webview/inspector/labelling.ts';
import { suggestions } from '../../../webview/inspector/suggestions.ts';
import { FIXTURES } from '../../panels/fixtures.ts';

const STATES = Object.entries(FIXTURES).flatMap(([name, state]) => (state ? [[name, state] as const] : []));

test('the states of the panel used in tests fit the schema', () => {
  for (const [name, state] of STATES)
    assert.equal(toInspectorSchema.safeParse({ type: 'state', state }).success, true, name);
});

describe('perspectiveMark', () => {
  test('gives every perspective its own letter, and repeats eight colours', () => {
    const marks = Array.from({ length: 60 }, (_, index) => perspectiveMark(index));
    assert.equal(new Set(marks.map(({ letter }) => letter)).size, 60);
    assert.deepEqual(marks[0], { letter: 'A', color: 0 });
    assert.deepEqual(marks[25], { letter: 'Z', color: 1 });
    assert.deepEqual(marks[26], { letter: 'AA', color: 2 });
    assert.equal(marks[52]?.letter, 'BA');
  });
});

test('shows a figure that unjudged pairs can raise as a lower bound', () => {
  const precision = { value: 0.4, bound: 'least', most: 0.8 } as const;
  assert.equal(strings.precisionValue(precision), '≥ 40%');
  assert.equal(strings.precisionNote(precision, 5), '≥ 2 of 5 passages');
  assert.equal(strings.mrecallValue({ value: 0, bound: 'least', most: 1 }), '≥ 0');
  assert.equal(strings.precisionValue(exactly(0.6)), '60%');
});

describe('suggestions', () => {
  const source = {
    history: ['Is tea healthy?', 'Are cats wise?'],
    evalQueries: [
      { id: '1', text: 'Are cats wise?', evalSet: 'a.jsonl' },
      { id: '2', text: 'Is coffee healthy?', evalSet: 'a.jsonl' },
    ],
  };

  test('offers history first and each question once', () => {
    assert.deepEqual(suggestions(source, ''), [
      { text: 'Is tea healthy?' },
      { text: 'Are cats wise?' },
      { text: 'Is coffee healthy?', evalSet: 'a.jsonl' },
    ]);
  });

  test('keeps entries with all typed words, in any order and case', () => {
    assert.deepEqual(suggestions(source, 'healthy COFF'), [
      { text: 'Is coffee healthy?', evalSet: 'a.jsonl' },
    ]);
  });

  test('does not offer the typed text itself', () => {
    assert.deepEqual(suggestions(source, ' Are cats wise? '), []);
  });
});

describe('changing a pipeline', () => {
  const bm25 = parsePipeline({ name: 'BM25', retriever: { type: 'bm25', k1: 1.2 }, k: 5 });
  const hybrid = parsePipeline({
    retriever: {
      type: 'hybrid',
      retrievers: [{ type: 'bm25' }, { type: 'dense', embedder: 'minilm' }],
      rrfK: 10,
    },
  });

  test('every retriever type gives a valid pipeline and drops the old name', () => {
    for (const type of ['bm25', 'dense', 'hybrid'] as const) {
      const changed = pipelineSchema.parse(withRetriever(bm25, type));
      assert.equal(changed.retriever.type, type);
      assert.equal(changed.name, undefined);
      assert.equal(changed.k, 5);
    }
  });

  test('a hybrid made from words equals the built-in pipeline', () => {
    const { retriever } = pipelineSchema.parse(withRetriever(bm25, 'hybrid'));
    assert.deepEqual(retriever, BUILT_IN_PIPELINES.hybrid.retriever);
  });

  test('the embedder is kept when the type changes, and changes in all dense parts', () => {
    assert.equal(embedderOf(pipelineSchema.parse(withRetriever(hybrid, 'dense')).retriever), 'minilm');
    const changed = pipelineSchema.parse(withEmbedder(hybrid, 'bge'));
    assert.equal(embedderOf(changed.retriever), 'bge');
    assert.equal(changed.retriever.type === 'hybrid' && changed.retriever.rrfK, 10);
  });

  test('candidates are never fewer than k', () => {
    assert.deepEqual([withDepth(bm25, { k: 200 }).k, withDepth(bm25, { k: 200 }).candidates], [200, 200]);
    assert.deepEqual(
      [withDepth(bm25, { candidates: 3 }).k, withDepth(bm25, { candidates: 3 }).candidates],
      [3, 3],
    );
  });

  const stepped = parsePipeline({
    name: 'Mine',
    retriever: { type: 'dense', embedder: 'minilm' },
    projection: { weight: 0.8 },
    rerank: [{ type: 'mmr', lambda: 0.5 }, { type: 'coverage' }],
  });

  test('steps are kept with another depth or embedder; a projection only with a dense retriever', () => {
    for (const changed of [
      withDepth(stepped, { k: 3 }),
      withEmbedder(stepped, 'bge'),
      withRetriever(stepped, 'dense'),
    ]) {
      const { projection, rerank, name } = parsePipeline(changed);
      assert.deepEqual([projection, rerank, name], [stepped.projection, stepped.rerank, undefined]);
    }
    const { projection, rerank } = parsePipeline(withRetriever(stepped, 'bm25'));
    assert.deepEqual([projection, rerank], [undefined, stepped.rerank]);
  });

  test('summarises its steps in a few words', () => {
    assert.deepEqual(stepTexts(stepped), ['PAP w 0.8', 'MMR 0.5', 'coverage']);
    assert.deepEqual(stepTexts(bm25), []);
    const expanded = { retriever: { type: 'bm25' }, expansion: { type: 'hyde' } };
    assert.deepEqual(stepTexts(parsePipeline(expanded)), ['hyde']);
  });

  test('has no name of a preset with other steps', () => {
    assert.equal(
      chosenName({ ...stepped, name: undefined }, [{ name: 'A', pipeline: { ...stepped, rerank: [] } }]),
      undefined,
    );
  });

  test('has the name of the preset that it equals', () => {
    const choices = [
      { name: 'BM25', pipeline: bm25 },
      { name: 'Mixed', pipeline: { ...hybrid, name: 'Mixed' } },
    ];
    assert.equal(chosenName(bm25, choices), 'BM25');
    assert.equal(chosenName(hybrid, choices), 'Mixed');
    assert.equal(chosenName({ ...hybrid, k: 7 }, choices), undefined);
  });
});

describe('labelling by hand', () => {
  type Labelled = Parameters<typeof nextUnjudged>[0];
  const state = (...columns: readonly string[]): Labelled =>
    ({
      perspectives: [{ id: 'a' }, { id: 'b' }],
      results: {
        metrics: { k: 3 },
        items: columns.map((verdicts) => ({
          judgements: [...verdicts].flatMap((sign, row) =>
            sign === ' ' ? [] : { perspectiveId: 'ab'[row], verdict: sign === '.' ? 'unjudged' : 'no' },
          ),
        })),
      },
    }) as unknown as Labelled;

  test('continues with the same passage, then those below, then those above, in the top k', () => {
    const open = state('..', ' x', '.x', '..');
    assert.deepEqual(nextUnjudged(open, { row: 0, column: 0 }), { row: 1, column: 0 });
    assert.deepEqual(nextUnjudged(open, { row: 1, column: 0 }), { row: 0, column: 1 });
    assert.deepEqual(nextUnjudged(open, { row: 0, column: 1 }), { row: 0, column: 2 });
    assert.deepEqual(nextUnjudged(open, { row: 0, column: 2 }), { row: 0, column: 0 });
  });

  test('ends when every pair is judged', () => {
    assert.equal(nextUnjudged(state('.x', 'xx'), { row: 0, column: 0 }), undefined);
    assert.equal(nextUnjudged(state(), { row: 0, column: 0 }), undefined);
  });

  test('uses three keys in either case, without modifiers', () => {
    const key = (letter: string, ctrlKey = false): string | undefined =>
      verdictOfKey({ key: letter, ctrlKey, altKey: false, metaKey: false });
    assert.deepEqual(
      ['y', 'N', 'u', 'x', 'Enter'].map((letter) => key(letter)),
      ['yes', 'no', 'unsure', undefined, undefined],
    );
    assert.equal(key('n', true), undefined);
  });
});

describe('the kept draft', () => {
  test('is restored', () => {
    const draft = {
      ...EMPTY_DRAFT,
      query: 'half a quest',
      perspectives: { query: 'q', texts: ['one', ''] },
      expanded: { query: 'q', passages: ['p'] },
      pipelineOpen: true,
      shown: 100,
    };
    assert.deepEqual(restore(JSON.parse(JSON.stringify(keep(draft)))), {
      ...draft,
      shown: EMPTY_DRAFT.shown,
    });
  });

  test('is empty if the stored value is invalid', () => {
    for (const kept of [null, 'x', { query: 1, perspectives: { query: 'q', texts: [1] }, expanded: [] }])
      assert.deepEqual(restore(kept), EMPTY_DRAFT);
  });
});
