/** Why a document is missing: planted causes in a real corpus. */
import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { causeText, changeText } from '../../../src/features/explain/core/wording.ts';
import { parsePipeline, type PipelineInput } from '../../../src/core/pipeline.ts';
import type { Params, Result } from '../../../src/shared/rpc.ts';
import { testWorkspace, type TestWorkspace } from '../../fixtures/workspace.ts';

const HEAT =
  'Heat pumps warm a house by moving heat from the air outside to the rooms inside, which takes a third of the energy that burning gas would take.';
const files = {
  'docs/heat/exact.md': `# Heat pumps\n\n${HEAT}\n`,
  'docs/heat/noise.md': '# Sound\n\nHeat pumps hum at night, and neighbours complain about heat pumps.\n',
  'docs/heat/copy.md': `# Heat pumps\n\n${HEAT} That is physics.\n`,
  'docs/heat/cost.md': '# Money\n\nA new boiler costs less than one of these machines, but gas is dear.\n',
  'docs/heat/grant.md': '# Grants\n\nThe state pays a third of the price of heat pumps.\n',
  'docs/long.md': `# Long\n\n${'One sentence about cables and wires. '.repeat(40)}The fuse of the cellar is marked red. ${'More about cables. '.repeat(30)}\n`,
  'docs/plan.xyz': 'A kind that no reader knows.',
  'docs/private/notes.md': '# Notes\n\nHeat pumps are loud.\n',
  'docs/.gitignore': 'private\n',
  'web/page.md': '# Page\n\nOutside of the roots.\n',
};

function open(t: TestContext): Promise<TestWorkspace> {
  return testWorkspace(t, {
    files,
    corpora: { docs: { roots: ['docs'], split: { type: 'words', size: 40, overlap: 0 } } },
  });
}

async function explained(
  workspace: TestWorkspace,
  document: string,
  pipeline: Partial<PipelineInput> = {},
  question = 'how do heat pumps warm a house',
): Promise<Result<'explain'>> {
  return workspace.request('explain', {
    corpus: 'docs',
    query: { text: question },
    perspectives: [],
    pipeline: parsePipeline({ retriever: { type: 'bm25' }, k: 1, ...pipeline }),
    document,
    tryChanges: true,
  });
}

test('a document within k is retrieved, and its terms add up to its score', async (t) => {
  const workspace = await open(t);
  const found = await explained(workspace, 'docs/heat/exact.md', { k: 2 });
  assert.deepEqual([found.cause, found.tried.length], ['retrieved', 0]);
  assert.match(causeText(found), /^It is returned: rank [12] of 2\.$/);
  const [arm] = found.arms;
  const sum = found.terms.reduce((total, { contribution }) => total + contribution, 0);
  assert.ok(Math.abs(sum - arm!.score!) < 1e-9);
});

test('a passage that repeats one above it is a duplicate', async (t) => {
  const workspace = await open(t);
  const found = await explained(workspace, 'docs/heat/copy.md');
  assert.equal(found.cause, 'duplicate-above');
  assert.equal(found.duplicate!.documentId, 'docs/heat/exact.md');
  assert.match(causeText(found), /exact.* says nearly the same and has rank 1\. Its own rank is 2\.$/);
});

test('a candidate below k names the smallest k that returns it', async (t) => {
  const workspace = await open(t);
  const found = await explained(workspace, 'docs/heat/grant.md', { k: 2 });
  assert.equal(found.cause, 'below-k');
  assert.equal(found.change!.kind, 'k');
  assert.equal(found.change!.pipeline.k, found.rank);
  assert.match(changeText(found), /k 2 → [34] \(rank [34]\)\.$/);
});

test('a passage without a word of the question is no candidate, and another search may find it', async (t) => {
  const workspace = await open(t);
  const found = await explained(workspace, 'docs/heat/cost.md', {}, 'a boiler that costs less');
  const lacking = await explained(workspace, 'docs/heat/cost.md');
  assert.equal(found.cause, 'retrieved');
  assert.equal(lacking.cause, 'outside-candidates');
  assert.equal(lacking.arms[0]!.rank, undefined);
  assert.deepEqual(
    lacking.terms.filter(({ frequency }) => frequency > 0).map(({ word }) => word),
    [],
  );
});

test('a reranker that moves a passage below k is named', async (t) => {
  const workspace = await open(t);
  const rerank = [{ type: 'mmr' as const, lambda: 0.05, embedder: 'hashing' }];
  const found = await explained(workspace, 'docs/heat/copy.md', { k: 2, rerank });
  assert.equal(found.retrievedRank, 2);
  assert.equal(found.cause, 'duplicate-above', 'the reason of MMR is the duplicate');
  const moved = await explained(workspace, 'docs/heat/noise.md', { k: 3, rerank });
  if (moved.cause === 'moved-down') assert.equal(moved.reranker, 'MMR 0.05');
  const change = found.change!;
  assert.equal(change.kind, 'reranker');
  assert.ok(change.rank! <= 2);
});

test('MMR names the passage within k that is too similar to a document', async (t) => {
  const workspace = await open(t);
  const rerank = [{ type: 'mmr' as const, lambda: 0, embedder: 'hashing' }];
  const question = 'heat pumps warm a house at night, hum and gas';
  const all = ['exact', 'noise', 'cost', 'grant'].map((name) => `docs/heat/${name}.md`);
  const found = await Promise.all(
    all.map((document) => explained(workspace, document, { k: 2, rerank }, question)),
  );
  const moved = found.find(({ cause }) => cause === 'moved-down')!;
  const k = 2;
  assert.equal(moved.reranker, 'MMR 0');
  assert.ok(moved.alike!.rank <= k && moved.alike!.cosine > 0);
  assert.match(
    causeText(moved),
    /^The retriever ranks it \d, and MMR 0 moves it to \d\. It is most like .+ rank \d \(cosine 0\.\d\d\)\.$/,
  );
});

test('a search by meaning names the nearest sentence, and another passage that ranks better', async (t) => {
  const workspace = await open(t);
  const dense = { retriever: { type: 'dense' as const, embedder: 'hashing' }, k: 1 };
  const question = 'Which colour marks the fuse of the cellar?';
  await explained(workspace, 'docs/long.md', dense, question);
  const { arms } = await explained(workspace, 'docs/long.md', dense, question);
  assert.match(arms[0]!.nearest!.text, /The fuse of the cellar is marked red\./);
  const [last] = (await explained(workspace, 'docs/long.md#p1', dense, question)).arms;
  assert.equal(last!.better, undefined, 'a passage is asked about itself alone');
});

test('a results file shows its content, and what cannot be known', async (t) => {
  const workspace = await open(t);
  const question = 'how do heat pumps warm a house';
  const results = [
    { text: HEAT },
    { id: 'docs/heat/cost.md', text: 'A new boiler costs less than one of these machines' },
  ];
  workspace.write('run.jsonl', `${JSON.stringify({ id: 'q', query: question, results })}\n`);
  const run = { retriever: { type: 'run' as const, file: 'run.jsonl' }, k: 1 };
  const lacking = await explained(workspace, 'docs/heat/noise.md', run);
  assert.equal(lacking.cause, 'outside-candidates');
  assert.match(
    causeText(lacking),
    /run\.jsonl.* returns 2 passages when asked for 1,000, and it is not among them\. Its rank beyond these is unknown\.$/,
  );
  const cut = await explained(workspace, 'docs/heat/cost.md', run);
  assert.deepEqual([cut.cause, cut.rank, cut.change!.label], ['below-k', 2, 'k 1 → 2']);
});

test('a text that no passage contains completely is split', async (t) => {
  const workspace = await open(t);
  const text =
    'One sentence about cables and wires. The fuse of the cellar is marked red. More about cables. More about cables. More about cables. More about cables. More about cables. More about cables. More about cables. More about cables. More about cables. More about cables.';
  const found = await explained(workspace, text);
  assert.equal(found.cause, 'cut-apart');
  assert.ok(found.parts!.length >= 2);
  assert.ok(found.parts!.some((part) => part.text.includes('fuse')));
  const rendered = await explained(
    workspace,
    '“The **fuse** of the cellar”, is marked red!',
    {},
    'cellar fuse',
  );
  assert.equal(rendered.cause, 'retrieved', 'marks are no words');
  const whole = await explained(workspace, 'The fuse of the cellar', {}, 'cellar fuse');
  assert.equal(whole.cause, 'retrieved');
});

const SHED = {
  'docs/shed.md': `# Shed\n\n${'Some planks lean there. '.repeat(8)}The spare key of the shed hangs behind the old blue barrel. ${'Planks and more planks. '.repeat(8)}\n`,
  'docs/car.md': 'The key of the car.\n',
  'docs/beer.md': 'Beer from the barrel.\n',
};

/** A question about a sentence that the splitter of {@link shedWorkspace} cuts. */
const SPLIT_SENTENCE = {
  corpus: 'docs',
  query: { text: 'key barrel' },
  perspectives: [],
  pipeline: parsePipeline({ retriever: { type: 'bm25' }, k: 2 }),
  document: 'The spare key of the shed hangs behind the old blue barrel.',
  tryChanges: true,
};

function shedWorkspace(t: TestContext): Promise<TestWorkspace> {
  const split = { type: 'words', size: 40, overlap: 0 } as const;
  return testWorkspace(t, { files: SHED, corpora: { docs: { roots: ['docs'], split } } });
}

test('trying splitters can be cancelled, and leaves the index and no folder', async (t) => {
  const workspace = await shedWorkspace(t);
  const before = await workspace.request('explain', SPLIT_SENTENCE);
  assert.equal(before.splitters, 'untried');
  const abort = new AbortController();
  await assert.rejects(
    workspace.request(
      'explain',
      { ...SPLIT_SENTENCE, trySplitters: true },
      { signal: abort.signal, onNote: () => abort.abort() },
    ),
    { id: 'cancelled' },
  );
  assert.deepEqual(await workspace.request('explain', SPLIT_SENTENCE), before);
  const left = readdirSync(workspace.folder, { recursive: true, encoding: 'utf8' });
  assert.ok(!left.some((file) => file.endsWith('resplit')));
});

test('another splitter is tried on the whole corpus, and finds a sentence that is split now', async (t) => {
  const workspace = await shedWorkspace(t);
  const ask = (trySplitters: boolean): Promise<Result<'explain'>> =>
    workspace.request('explain', { ...SPLIT_SENTENCE, trySplitters });
  const present = await ask(false);
  assert.deepEqual([present.cause, present.splitters, present.tried], ['cut-apart', 'untried', []]);
  assert.match(changeText(present), /^Another splitter may/);
  const found = await ask(true);
  const { kind, split: other, rank, passages } = found.change!;
  assert.deepEqual([found.cause, found.splitters, kind], ['cut-apart', undefined, 'splitter']);
  assert.match(
    changeText(found),
    new RegExp(
      `^The smallest .* split words 40 → .* \\(rank ${rank}\\)\\. .* ${passages!.before} passages become ${passages!.after}\\.$`,
    ),
  );
  assert.deepEqual(
    readdirSync(path.join(workspace.folder), { recursive: true, encoding: 'utf8' }).filter((file) =>
      /resplit$/.test(file),
    ),
    [],
  );
  const again = await testWorkspace(t, {
    files: SHED,
    corpora: { docs: { roots: ['docs'], split: other! } },
  });
  const result = await again.request('explain', { ...SPLIT_SENTENCE, tryChanges: false });
  assert.deepEqual([result.cause, result.rank, result.parts], ['retrieved', rank, undefined]);
});

test('a selected text is searched in its file, whose other passages can be asked about', async (t) => {
  const workspace = await open(t);
  const select = (document: string, file: string): Promise<Result<'explain'>> =>
    workspace.request('explain', {
      corpus: 'docs',
      query: { text: 'how do heat pumps warm a house' },
      perspectives: [],
      pipeline: parsePipeline({ retriever: { type: 'bm25' }, k: 1 }),
      document,
      within: path.join(workspace.folder, file),
      tryChanges: false,
    });
  const copied = await select(HEAT, 'docs/heat/copy.md');
  assert.deepEqual([copied.passage!.documentId, copied.documents], ['docs/heat/copy.md', undefined]);
  assert.equal((await select('dear', 'docs/heat/cost.md')).passage!.documentId, 'docs/heat/cost.md');
  assert.equal((await select('Outside of the roots', 'web/page.md')).cause, 'not-read');
  const long = await select('The fuse of the cellar', 'docs/long.md');
  assert.match(long.passage!.text, /fuse/);
  const whole = await explained(workspace, 'docs/long.md', {}, 'fuse');
  assert.deepEqual(
    [whole.passage!.id, ...whole.others!.map(({ id }) => id)].toSorted(),
    [long.passage!.id, ...long.others!.map(({ id }) => id)].toSorted(),
  );
  assert.ok(whole.others!.length > 5);
  assert.equal(whole.others![0]!.rank, undefined, 'no other passage has the word');
});

test('an unread file has a reason', async (t) => {
  const workspace = await open(t);
  const reasons: Record<string, RegExp> = {
    'docs/plan.xyz': /No reader reads files of the kind "xyz"/,
    'docs/private/notes.md': /\.gitignore leaves it out/,
    'web/page.md': /outside of the folders that are indexed: docs/,
  };
  for (const [file, reason] of Object.entries(reasons)) {
    const found = await explained(workspace, file);
    assert.equal(found.cause, 'not-read', file);
    assert.match(causeText(found), reason);
  }
});

test('invalid input is answered by one sentence with advice', async (t) => {
  const workspace = await testWorkspace(t, {
    files: {
      ...files,
      'docs/link.md': 'See [the manual](https://example.org/pump) of the pump before winter comes.\n',
      'docs/empty.html': '<html><script>let a = 1;</script><body> </body></html>',
    },
    corpora: {
      docs: { roots: ['docs'], split: { type: 'words', size: 40, overlap: 0 } },
      web: { roots: ['web'] },
    },
  });
  const rendered = await explained(workspace, 'See the manual of the pump before winter comes');
  assert.equal(rendered.passage!.documentId, 'docs/link.md', 'the target of a link is no text');
  const unknown = 'zyxwv qwertz';
  const elsewhere = await explained(workspace, 'web/page.md');
  assert.equal(elsewhere.cause, 'not-read');
  const sentences: [Result<'explain'>, RegExp][] = [
    [elsewhere, /The corpus “web” has it: choose that corpus and ask again\.$/],
    [await explained(workspace, 'docs/empty.html'), /^It is not in the index\. It has no text\.$/],
    [
      await explained(workspace, 'docs/heat/grant.md', {}, unknown),
      /^No word of the question is in the corpus\. Use other words, or search by meaning\.$/,
    ],
    [
      await explained(workspace, 'gone.md'),
      /Type a part of its path or title, or copy a sentence from it\.$/,
    ],
  ];
  for (const [found, sentence] of sentences) assert.match(causeText(found), sentence);
  const qdrant = { type: 'qdrant', url: 'http://127.0.0.1:1', collection: 'c', embedder: 'hashing' } as const;
  await assert.rejects(explained(workspace, 'docs/heat/grant.md', { retriever: qdrant }), {
    id: 'retriever-failed',
    message: /could not be reached.*is it running\?$/,
  });
  const command = { type: 'command', command: [process.execPath, '-e', 'process.exit(3)'] } as const;
  await assert.rejects(explained(workspace, 'docs/heat/grant.md', { retriever: command }), {
    message: /^The command .* ended with exit code 3\.$/,
    id: 'retriever-failed',
  });
});

test('a new file is not indexed yet, and a deleted one is unknown', async (t) => {
  const workspace = await open(t);
  workspace.write('docs/new.md', '# New\n\nHeat pumps in new houses.\n');
  assert.equal((await explained(workspace, 'docs/new.md')).cause, 'not-indexed');
  rmSync(path.join(workspace.folder, 'docs/new.md'));
  const gone = await explained(workspace, 'docs/new.md');
  assert.equal(gone.cause, 'unknown');
  assert.match(causeText(gone), /no document, passage or text of this name/);
});

test('a document is found by its title, and a text in several documents names them all', async (t) => {
  const workspace = await open(t);
  assert.equal((await explained(workspace, 'grants')).passage!.documentId, 'docs/heat/grant.md');
  const twice = await explained(workspace, HEAT);
  assert.deepEqual(twice.documents!.toSorted(), ['docs/heat/copy.md', 'docs/heat/exact.md']);
});

test('a part of a path or title that fits one document is that document', async (t) => {
  const workspace = await open(t);
  assert.equal((await explained(workspace, 'grant')).passage!.documentId, 'docs/heat/grant.md');
  assert.equal((await explained(workspace, 'heat/COST')).passage!.documentId, 'docs/heat/cost.md');
  const several = await explained(workspace, 'docs/heat');
  assert.equal(several.cause, 'unknown');
  assert.match(causeText(several), /^Several documents .* type more of one: docs\/heat\/.+, docs\/heat\/.+/);
  assert.match(
    causeText(await explained(workspace, 'xyz/none')),
    /no document, passage or text of this name/,
  );
});

test('every proposed change finds the passage', async (t) => {
  const workspace = await open(t);
  for (const document of ['docs/heat/grant.md', 'docs/heat/noise.md', 'docs/heat/copy.md']) {
    const found = await explained(workspace, document, {
      k: 1,
      retriever: { type: 'hybrid', retrievers: [{ type: 'bm25' }, { type: 'dense', embedder: 'hashing' }] },
    });
    const { change } = found;
    if (!change) continue;
    const again = await explained(workspace, document, change.pipeline);
    assert.equal(again.cause, 'retrieved', document);
    assert.equal(again.rank, change.rank);
  }
});

test('the list of all passages agrees with explanations, in parts, by words and by decision', async (t) => {
  const workspace = await open(t);
  const question = 'how do heat pumps warm a house';
  const rerank = [{ type: 'mmr' as const, lambda: 0.05, embedder: 'hashing' }];
  const pipelines: PipelineInput[] = [
    { retriever: { type: 'bm25' }, k: 1, candidates: 3 },
    { retriever: { type: 'dense', embedder: 'hashing' }, k: 2, candidates: 4, rerank },
  ];
  for (const input of pipelines) {
    const slice = (part: Partial<Params<'ranking'>> = {}): Promise<Result<'ranking'>> =>
      workspace.request('ranking', {
        corpus: 'docs',
        query: { text: question },
        perspectives: [],
        pipeline: parsePipeline(input),
        words: '',
        from: 0,
        most: 100,
        ...part,
      });
    const all = await slice();
    assert.equal(all.selected, all.total);
    for (const { id, rank, decision, repeats } of all.passages) {
      const { cause, rank: explainedRank, duplicate } = await explained(workspace, id, input, question);
      assert.deepEqual([decision, rank, repeats], [cause, explainedRank, duplicate?.rank], id);
    }
    const counted = Object.values(all.counts).reduce((sum, count) => sum + count, 0);
    assert.equal(counted, all.total);
    const second = await slice({ from: 1, most: 1 });
    assert.deepEqual(second.passages, all.passages.slice(1, 2));
    const outside = await slice({ decision: 'outside-candidates' });
    assert.equal(outside.selected, all.counts['outside-candidates']);
    assert.ok(outside.passages.every(({ decision }) => decision === 'outside-candidates'));
    const worded = await slice({ words: 'PRICE of heat' });
    assert.deepEqual(
      worded.passages.map(({ documentId }) => documentId),
      ['docs/heat/grant.md'],
    );
  }
});

test('documents are offered by a part of their path or title, and wildcards are plain text', async (t) => {
  const workspace = await open(t);
  const named = async (text: string): Promise<string[]> => {
    const { documents } = await workspace.request('documentsNamed', { corpus: 'docs', text, most: 3 });
    return documents.map(({ id }) => id);
  };
  assert.deepEqual(await named('GRANT'), ['docs/heat/grant.md']);
  assert.deepEqual(await named('Money'), ['docs/heat/cost.md']);
  assert.equal((await named('heat')).length, 3);
  assert.deepEqual(await named('%'), []);
  assert.deepEqual(await named('_'), []);
});
