/** Labels with numbered passages, over the real engine: whether they count depends on the corpus. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatLabel, labelSchema } from '../../../src/core/formats/labels.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { LABELS_FILE } from '../../../src/shared/config.ts';
import { records, testWorkspace, type TestWorkspace } from '../../fixtures/workspace.ts';

const LABEL = labelSchema.parse({
  v: 1,
  query: 'q1',
  perspective: 'p1',
  perspectiveText: 'Wolves hunt elk.',
  document: 'a.md#p2',
  by: { kind: 'human', name: 'Kim' },
  at: '2026-02-01T00:00:00Z',
  verdict: 'yes',
});

async function notices(workspace: TestWorkspace): Promise<string> {
  const asked = {
    corpus: 'corpus',
    query: { text: 'wolves' },
    perspectives: [{ id: 'p1', text: LABEL.perspectiveText }],
    pipeline: parsePipeline({ retriever: { type: 'bm25' } }),
  };
  return (await workspace.request('search', asked)).notices.join();
}

test('an answer says that they do not count if the document is split', async (t) => {
  const workspace = await testWorkspace(t, {
    files: {
      'a.md': '# A\n\nWolves hunt elk.\n\n# B\n\nElk eat willow.\n',
      [LABELS_FILE]: formatLabel(LABEL),
    },
    corpora: { corpus: { roots: ['a.md'] } },
  });
  assert.match(await notices(workspace), /^1 label names a passage by its number, such as "a\.md#p2",/u);
});

test('nothing is reported if a record has that name', async (t) => {
  const workspace = await testWorkspace(t, {
    files: { 'all.jsonl': records({ 'a.md#p2': 'Wolves hunt elk.' }), [LABELS_FILE]: formatLabel(LABEL) },
    corpora: { corpus: { roots: ['all.jsonl'], split: { type: 'none' } } },
  });
  assert.equal(await notices(workspace), '');
});
