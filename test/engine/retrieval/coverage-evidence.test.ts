/** How the coverage reranker weighs a judge's answers, and its explanation of the passages that it moved up. */
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { parsePipeline } from '../../../src/core/pipeline.ts';
import { CAUTIOUS_ERRORS } from '../../../src/core/rerank/judge-errors.ts';
import { verdictReply, type ChatRequest } from '../../fixtures/model-server.ts';
import { readPairPrompt } from '../../fixtures/read-prompts.ts';
import { testWorkspace } from '../../fixtures/workspace.ts';
import { serverFor } from '../judges/support.ts';

const DOCUMENTS = 24;
/** People say that the first twelve support it. The judge says so of nine of them, and of two others. */
const LABELLED = 'Blue is good.';
const judgedBlue = (place: number): boolean => place < 9 || place === 12 || place === 13;

const GREEN = 5;

/** Shorter documents rank higher; only one supports green. */
const textOf = (place: number): string =>
  [
    'The paper',
    ...(judgedBlue(place) ? ['says blue.'] : ['says little.']),
    ...(place === 0 ? ['It says red.'] : []),
    ...(place === GREEN ? ['It says green.'] : []),
    ...Array.from({ length: place }, () => 'Words follow.'),
  ].join(' ');

const answer = ({ messages }: ChatRequest) => {
  const { passage, statement } = readPairPrompt(messages);
  return verdictReply(passage.includes(`says ${statement.split(' ')[0]!.toLowerCase()}`) ? 'yes' : 'no');
};

const labelled = (document: string, perspectiveText: string, verdict: 'yes' | 'no'): object => ({
  v: 1,
  query: 'q',
  perspective: 'p',
  perspectiveText,
  document,
  verdict,
  by: { kind: 'human', name: 'ann' },
  at: '2026-01-01T00:00:00Z',
});

async function workspace(t: TestContext, more: Readonly<Record<string, string>> = {}) {
  const server = await serverFor(t, { chat: answer });
  const places = DOCUMENTS + Object.keys(more).length;
  const names = Array.from({ length: DOCUMENTS }, (_, place) => `docs/${String(place).padStart(2, '0')}.md`);
  const opened = await testWorkspace(t, {
    files: {
      ...Object.fromEntries(names.map((name, place) => [name, textOf(place)])),
      ...more,
      '.parallax/judgements.jsonl': names
        .map((document, place) => JSON.stringify(labelled(document, LABELLED, place < 12 ? 'yes' : 'no')))
        .join('\n'),
    },
    corpora: { papers: { roots: ['docs'] } },
    judges: {
      J: { type: 'openai', mode: 'pair', baseUrl: server.url, model: 'm', concurrency: 4 },
      again: { type: 'openai', mode: 'pair', baseUrl: server.url, model: 'm' },
      other: { type: 'openai', mode: 'pair', baseUrl: server.url, model: 'n' },
      sampled: { type: 'openai', mode: 'pair', baseUrl: server.url, model: 's', temperature: 1 },
      whole: { type: 'openai', mode: 'passage', baseUrl: server.url, model: 'w' },
    },
  });
  const search = async (
    perspectives: readonly string[],
    errors?: object,
    aim?: string,
    judge = 'J',
    more: object = {},
  ) =>
    opened.request('search', {
      corpus: 'papers',
      judge: 'J',
      query: { text: 'paper' },
      perspectives: perspectives.map((text, place) => ({ id: `p${place + 1}`, text })),
      pipeline: parsePipeline({
        retriever: { type: 'bm25' },
        k: 2,
        candidates: places,
        rerank: [
          { type: 'coverage', judge, ...(errors ? { errors } : {}), ...(aim ? { aim } : {}), ...more },
        ],
      }),
    });
  const request = opened.request.bind(opened);
  return {
    folder: opened.folder,
    /** Models, in the order of their requests. */
    models: () => server.requests.map(({ body }) => (body as { model: string }).model),
    prompts: () => server.requests.map(({ body }) => JSON.stringify(body)),
    request,
    search,
    /** Labels of people that say which documents support these. */
    label: (document: string, perspectives: readonly string[]) =>
      appendFileSync(
        path.join(opened.folder, '.parallax/judgements.jsonl'),
        perspectives.map((text) => `\n${JSON.stringify(labelled(document, text, 'yes'))}`).join(''),
      ),
    kept: path.join(opened.folder, '.parallax/validations.jsonl'),
  };
}

const QUESTION = ['Red is good.', 'Green is good.'];

test('without a validation, cautious rates are used and reported with the moved passage', async (t) => {
  const { search } = await workspace(t);
  const { candidates, takenErrors, validated } = await search(QUESTION);
  assert.deepEqual(takenErrors, { judge: 'J', ...CAUTIOUS_ERRORS, from: 'default' });
  assert.equal(validated, undefined, 'nothing was measured');
  const raised = candidates.filter((candidate) => candidate.raised);
  assert.deepEqual(
    raised.map(({ documentId, raised: reason }) => [documentId, reason!.perspectiveId]),
    [['docs/05.md', 'p2']],
  );
  const { supports, only } = raised[0]!.raised!;
  assert.ok(supports > 0.2 && only <= supports && only > 0, `${supports} ${only}`);
});

test('with α-nDCG, passages with most support come first, and people are trusted fully', async (t) => {
  // The others support one statement each and rank higher.
  const both = ['The paper says red. It says little.', ...Array<string>(12).fill('Words follow.')].join(' ');
  const { search, label } = await workspace(t, { 'docs/both.md': both });
  const asked = ['Red is good.', 'Little is good.'];
  const sure = { yesOfSupport: 1, yesOfNone: 0 };
  const first = async (aim: string, judge?: string): Promise<string> =>
    (await search(asked, judge ? undefined : sure, aim, judge)).candidates[0]!.documentId;
  assert.equal(await first('alpha_nDCG'), 'docs/both.md');
  label('docs/both.md', asked);
  label('docs/10.md', ['Little is good.']);
  assert.equal(await first('alpha_nDCG', 'labels'), 'docs/both.md');
  const { takenErrors } = await search(asked, undefined, 'alpha_nDCG', 'labels');
  assert.equal(takenErrors, undefined, 'people are no judge that errs');
});

test("a validation on the workspace's labels is kept, and its rates are taken for other questions", async (t) => {
  const { search, kept, request } = await workspace(t);
  await request('validateJudge', { judges: ['J', 'lexical'], corpus: 'papers' });
  const measured = { yesOfSupport: 10 / 14, yesOfNone: 3 / 14, labels: 24, leftOut: 0 };
  const found = await search(QUESTION);
  assert.deepEqual(found.takenErrors, { judge: 'J', ...measured, from: 'validation' });
  assert.deepEqual(found.validated, found.takenErrors, 'beside the figures, too');
  const errors = { yesOfSupport: 0.9, yesOfNone: 0.1 };
  assert.deepEqual((await search(QUESTION, errors)).takenErrors, { judge: 'J', ...errors, from: 'pipeline' });
  // The labels of a question do not count for that question.
  assert.equal((await search([LABELLED, 'Green is good.'])).takenErrors!.from, 'default');

  appendFileSync(kept, '<<<<<<< ours\n{"type":"validation"}\n');
  assert.equal((await search(QUESTION)).takenErrors!.from, 'validation', 'a damaged line is none');
  const { judge, at } = JSON.parse(readFileSync(kept, 'utf8').split('\n')[0]!) as Record<string, string>;
  assert.equal(judge, 'J');
  assert.match(at!, /^\d{4}-/);
});

test('joint errors of two judges are stored with a validation of both, for other questions', async (t) => {
  const { search, kept, request } = await workspace(t);
  const together = async (more: object = {}) =>
    (await search(QUESTION, undefined, undefined, 'J', { also: ['other'], ...more })).takenErrors!.together!;
  const judges = ['J', 'other'];
  assert.deepEqual(await together(), { judges, correlation: 0.5, votes: 2 / 1.5, from: 'default' });
  const { together: measured } = await request('validateJudge', { judges: ['other', 'J'], corpus: 'papers' });
  // Both answer by the same rule, so they make the same errors.
  assert.equal(measured[0]!.correlation, 1);
  const correlation = (24 / 30) * 1 + (6 / 30) * 0.5;
  assert.deepEqual(await together(), {
    judges,
    correlation,
    votes: 2 / (1 + correlation),
    from: 'validation',
    pairs: 24,
  });
  assert.equal((await together({ correlation: 0.2 })).from, 'pipeline');
  assert.match(readFileSync(kept, 'utf8'), /"type":"together","judges":\["other","J"\]/);
  // The labels of a question do not count for that question.
  const own = await search([LABELLED, 'Green is good.'], undefined, undefined, 'J', { also: ['other'] });
  assert.equal(own.takenErrors!.together!.from, 'default');
});

test('rates from other or too few labels are not stored', async (t) => {
  const { folder, kept, request, search } = await workspace(t);
  const others = Array.from({ length: DOCUMENTS }, (_, place) =>
    JSON.stringify({ document: `Dogs bark ${place}.`, perspective: 'Dogs bark.', label: place % 2 }),
  );
  writeFileSync(path.join(folder, 'other.jsonl'), others.join('\n'));
  await request('validateJudge', { judges: ['J'], labelsFile: 'other.jsonl' });
  await request('validateJudge', { judges: ['J'], corpus: 'papers', limit: 15 });
  assert.equal(existsSync(kept), false);
  assert.equal((await search(QUESTION)).takenErrors!.from, 'default');
});

test('a judge in "also" is asked after a yes of the first, and must be another judge', async (t) => {
  const { search, models } = await workspace(t);
  await search(QUESTION, undefined, undefined, 'J', { also: ['other'], correlation: 0 });
  const asked = models();
  assert.equal(asked[0], 'm', 'the first one first');
  const second = asked.filter((model) => model === 'n').length;
  assert.ok(second > 0 && second < asked.length / 2, asked.join(' '));
  await assert.rejects(
    search(QUESTION, undefined, undefined, 'J', { also: ['again'] }),
    /"J" and "again" are the same model with the same prompt, so both give the same answer/,
  );
  await assert.rejects(
    search(QUESTION, undefined, undefined, 'J', { also: ['labels'] }),
    /"labels" has only human labels\. In "also", name judges that can be asked/,
  );
});

test('a judge that is sampled may be named again: it is asked again, with the correlation of its repeats', async (t) => {
  const { search, models, prompts, request } = await workspace(t);
  const ask = (name: string) => search(QUESTION, undefined, undefined, name, { also: [name, name] });
  await assert.rejects(ask('J'), /"J" and "J" are the same model .* give the judge a "temperature" above 0/);
  const first = await ask('sampled');
  assert.equal(first.takenErrors!.together!.from, 'default');
  const asked = models().length;
  assert.ok(new Set(prompts()).size < asked, 'a yes is asked about again');
  await ask('sampled');
  assert.equal(models().length, asked, 'answers of every repeat are kept');
  await request('validateJudge', { judges: ['sampled'], repeats: 2, corpus: 'papers' });
  assert.equal((await ask('sampled')).takenErrors!.together!.from, 'validation');
});

test('no more requests are made than allowed', async (t) => {
  const { search, models } = await workspace(t);
  await search(QUESTION, undefined, undefined, 'J', { requests: 5 });
  assert.equal(models().length, 5);
});
