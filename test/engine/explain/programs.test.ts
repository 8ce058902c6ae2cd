/** A document and the passages that a program of the user returned. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { poolText, programText } from '../../../src/features/explain/core/wording.ts';
import type { Explanation } from '../../../src/features/explain/core/explanation.ts';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { DOCS, send, setUp, until, type Setup } from '../capture/support.ts';

const QUESTION = 'Should trams run at night?';

/** A program that retrieved once, in an indexed corpus. */
async function captured(
  setup: Setup,
  documents: readonly { readonly id?: string; readonly text?: string }[],
): Promise<(document: string) => Promise<Explanation>> {
  const { client } = setup;
  await client.request('index', { corpus: 'docs', rebuild: false });
  const url = await new Promise<string>((resolve, reject) => {
    client
      .request(
        'capture',
        { keep: 'newest', tools: {} },
        { onNote: (note) => note.type === 'capturing' && resolve(note.url) },
      )
      .catch(reject);
  });
  await send(url, [
    { query: QUESTION, documents, attributes: { 'code.filepath': '/app/ask.py', 'code.lineno': 7 } },
  ]);
  const explain = (document: string): Promise<Explanation> =>
    client.request('explain', {
      corpus: 'docs',
      query: { text: ` ${QUESTION.toLowerCase()}` },
      perspectives: [],
      pipeline: parsePipeline({ retriever: { type: 'bm25' }, k: 2 }),
      document,
      tryChanges: false,
    });
  await until(async () => (await explain('docs/night.md')).programs, 'nothing arrived');
  return explain;
}

test('a document that a program returned has its rank, however it was split', async (t) => {
  const cut = { id: 'docs/noise.md', text: DOCS['noise.md'].slice(0, 40) };
  const explain = await captured(setUp(t), [{ text: DOCS['night.md'] }, cut]);
  const [night] = (await explain('docs/night.md')).programs!;
  assert.equal(programText(night!), 'Your program (VectorStoreRetriever, ask.py:7) returns it: rank 1 of 2.');
  assert.equal((await explain('docs/noise.md')).programs![0]!.rank, 2);
});

test('a document that it did not return, and what cannot be known', async (t) => {
  const explain = await captured(setUp(t), [
    { text: DOCS['night.md'] },
    { text: 'From another collection.' },
  ]);
  const noise = await explain('docs/noise.md');
  assert.equal(noise.cause, 'retrieved', 'the pipeline in view returns it');
  const [program] = noise.programs!;
  assert.equal(
    programText(program!),
    'Your program (VectorStoreRetriever, ask.py:7) returns 2 passages, and it is not among them. Its rank beyond these is unknown. 1 of them matches no passage of the corpus, so it may be that one.',
  );
  assert.equal(program!.live, undefined);
  const elsewhere = await explain('From another collection.');
  assert.deepEqual([elsewhere.cause, elsewhere.programs![0]!.rank], ['unknown', 2]);
});

test('a program that is asked for more passages has the rank among these', async (t) => {
  const setup = setUp(t);
  await captured(setup, [{ text: DOCS['night.md'] }]);
  const place = (results: readonly { readonly text: string }[]): Promise<Parameters<typeof poolText>[0]> =>
    setup.client.request('placeInProgram', {
      corpus: 'docs',
      document: 'docs/noise.md',
      results: [...results],
      asked: 50,
    });
  const all = [{ text: 'Of others.' }, { text: DOCS['noise.md'] }];
  assert.equal(poolText(await place(all)), 'Asked for 50, it returns it at rank 2.');
  assert.match(
    poolText(await place(all.slice(0, 1))),
    /^Asked for 50, it returns 1 passage, and it is another/,
  );
});
