import assert from 'node:assert/strict';
import { exactly } from '../../../src/core/measured.ts';
import { test } from 'node:test';
import { hoverMarkdown, detailLines } from '../../../src/features/lens/host/hover-text.ts';
import {
  askedBy,
  asksTheSame,
  firstTies,
  outdatedRuns,
  siteCaptured,
  tieRuns,
  type FirstTie,
  type OpenSite,
} from '../../../src/features/lens/host/captured-sites.ts';
import {
  compactText,
  lensTexts,
  lineText,
  type SiteState,
} from '../../../src/features/lens/host/lens-text.ts';
import { capturedSentence, capturedText } from '../../../src/features/lens/host/captured-text.ts';
import type { CapturedRun } from '../../../src/features/capture/contract/captured.ts';
import { planSite } from '../../../src/sites/plan.ts';
import { capturedName } from '../../../src/sites/rebuild.ts';
import { LANGCHAIN, runOf } from '../capture/support.ts';
import { CALL, siteOf, workspaceOf } from './support.ts';

type Given = Omit<Partial<OpenSite>, 'site'> & { site?: Partial<OpenSite['site']> };
const siteAt = (key: string, given: Given = {}): OpenSite => ({
  key,
  path: '/w/app/rag.py',
  language: 'python',
  lines: [{ first: 10, last: 12 }],
  bound: undefined,
  asked: 'k=5',
  ...given,
  site: { library: 'langchain', callee: 'as_retriever', within: 'make', matching: 'vectors', ...given.site },
});

function tied(run: Partial<CapturedRun>, ...sites: OpenSite[]): string | undefined {
  return tieRuns([runOf(run)], sites, new Map()).get('t1:s1');
}

const OTHER = siteAt('other', { lines: [{ first: 20, last: 20 }] });

test('a retrieval belongs to the call at its place, or where its retriever is used', () => {
  const site = siteAt('a', {
    lines: [
      { first: 10, last: 12 },
      { first: 30, last: 30 },
    ],
  });
  for (const line of [10, 12, 30])
    assert.equal(tied({ code: { file: '/w/app/rag.py', line } }, site, OTHER), 'a', String(line));
  for (const line of [9, 13, 29])
    assert.equal(tied({ code: { file: '/w/app/rag.py', line } }, site), undefined);
  assert.equal(tied({ code: { file: '/other/rag.py', line: 10 } }, site), undefined);
  assert.equal(tied({ code: { file: '/w/app/rag.py' } }, site), 'a');
  assert.equal(tied({ code: { file: '/w/app/rag.py' } }, site, OTHER), undefined);
  const cell = siteAt('cell', { path: undefined });
  assert.equal(tied({ code: { file: '/w/app/rag.py', line: 10 } }, cell), undefined);
});

test('a retrieval stays with its call while lines move, until the call is removed', () => {
  const run = runOf({ code: { file: '/w/app/rag.py', line: 10 } });
  const moved = siteAt('a', { lines: [{ first: 50, last: 50 }] });
  assert.deepEqual([...tieRuns([run], [moved], new Map([[run.id, 'a']]))], [[run.id, 'a']]);
  assert.deepEqual([...tieRuns([run], [moved], new Map([[run.id, 'gone']]))], []);
});

test('captured runs are out of date while their call asks for something else', () => {
  const run = runOf({ code: { file: '/w/app/rag.py', line: 10 } });
  let first: ReadonlyMap<string, FirstTie> = new Map();
  const look = (runs: readonly CapturedRun[], sites: readonly OpenSite[]): string[] => {
    first = firstTies(runs, tieRuns(runs, sites, new Map()), sites, first);
    return [...outdatedRuns(sites, first)];
  };
  const edited = siteAt('a', { asked: 'k=8' });
  assert.deepEqual(look([run], [siteAt('a')]), []);
  assert.deepEqual(look([run], [edited]), [run.id]);
  assert.deepEqual(look([run], [siteAt('a', { asked: undefined })]), [], 'while it does not parse');
  assert.deepEqual(look([run], []), [], 'while its document is closed');
  assert.deepEqual(look([run], [edited]), [run.id], 'it is not tied anew when the document is opened again');
  const newer = { ...run, id: 't2:s1' };
  assert.deepEqual(look([newer, run], [edited]), [run.id]);
  assert.deepEqual(look([run], [siteAt('a')]), []);
  assert.equal(siteCaptured([newer, run], 5, new Set([run.id])).stale, false, 'the newest run counts');
  const stale = siteCaptured([FOUND], 5, new Set([FOUND.id]));
  assert.equal(capturedText(stale), 'captured: 1 question · k=5 · 2 of 2 perspectives (75% judged) (stale)');
  assert.match(capturedSentence(stale), /The call was edited since: run the program again/u);
});

test('a call asks for the same in any layout', async () => {
  const site = await siteOf(CALL);
  const asked = askedBy(site, 'store.as_retriever(k=5)');
  assert.equal(askedBy(site, 'store.as_retriever(\n    k=5,\n)'), asked);
  assert.notEqual(askedBy(site, 'store.as_retriever(k=6)'), asked);
  assert.equal(asksTheSame(asked, site, 'store.as_retriever( k=5 )'), true);
  assert.equal(asksTheSame(asked, site, 'reversed(store.as_retriever(k=5))'), false);
  assert.equal(asksTheSame(asked, site, undefined), true, 'nothing else of the call is known');
  assert.equal(asksTheSame(asked, { ...site, filtered: !site.filtered }, undefined), false);
  assert.notEqual(askedBy({ ...site, filtered: !site.filtered }, 'store.as_retriever(k=5)'), asked);
});

test('a retrieval without a place belongs to the only call of its library, if there is one', () => {
  assert.equal(tied({}, siteAt('a')), 'a');
  assert.equal(tied({}, siteAt('a'), OTHER), undefined);
  assert.equal(tied({}, siteAt('a'), siteAt('b', { site: { library: 'llama-index' } })), 'a');
  assert.equal(tied({ scope: 'my.tracer' }, siteAt('a')), undefined);
  assert.equal(
    tied(
      { scope: 'openinference.instrumentation.llama_index' },
      siteAt('b', { site: { library: 'llama-index' } }),
    ),
    'b',
  );
});

test('the instrumentation of one language does not match the other', () => {
  const js = siteAt('js', { language: 'typescript', site: { library: 'langchain-js' } });
  const scope = '@arizeai/openinference-instrumentation-langchain';
  assert.equal(tied({ scope }, js, siteAt('py')), 'js');
  assert.equal(tied({ scope: LANGCHAIN }, js, siteAt('py')), 'py');
  assert.equal(tied({ scope: LANGCHAIN }, js), undefined);
});

test('a manual span matches by the name of the called function', () => {
  assert.equal(tied({ scope: '', name: 'as_retriever' }, siteAt('a')), 'a');
  assert.equal(tied({ scope: '', name: 'make' }, siteAt('a')), 'a');
  assert.equal(tied({ scope: '', name: '' }, siteAt('a', { site: { within: '' } })), undefined);
});

test('output of rerankers belongs to calls that rerank', () => {
  const reranks = siteAt('r', { site: { matching: 'passages' } });
  assert.equal(tied({ step: 'reranker' }, siteAt('a'), reranks), 'r');
  assert.equal(tied({ step: 'reranker' }, siteAt('a')), undefined);
  assert.equal(tied({}, siteAt('a'), reranks), 'a');
});

test('a binding applies if nothing else matches, by name first', () => {
  const scope = 'my.tracer';
  const bound = siteAt('b', { bound: '', path: '/w/app/b.py' });
  const named = siteAt('n', { bound: 'app', path: '/w/app/n.py' });
  assert.equal(tied({ scope }, siteAt('a'), bound), 'b');
  assert.equal(tied({ scope, code: { file: '/lib/langchain.py', line: 3 } }, siteAt('a'), bound), 'b');
  assert.equal(tied({ code: { file: '/w/app/rag.py', line: 10 } }, siteAt('a'), bound), 'a');
  assert.equal(tied({ code: { file: '/w/app/rag.py', line: 10 } }, siteAt('a'), named), 'n');
  assert.equal(tied({ scope, service: 'x' }, named), undefined);
  assert.equal(tied({ service: 'x' }, siteAt('a'), named), 'a');
  assert.equal(tied({ scope }, bound, siteAt('c', { bound: '' })), undefined);
});

test('a retriever that uses others is only taken for the call by name', () => {
  const runs = ['EnsembleRetriever', 'BM25Retriever'].map((name, n) => runOf({ id: `t1:s${n}`, name }));
  assert.equal(tieRuns(runs, [siteAt('a')], new Map()).size, 0);
  const named = siteAt('a', { bound: 'EnsembleRetriever' });
  assert.deepEqual([...tieRuns(runs, [named], new Map())], [['t1:s0', 'a']]);
  const apart = runs.map((run, n) => ({ ...run, id: `t${n}:s1` }));
  assert.equal(tieRuns(apart, [siteAt('a')], new Map()).size, 2);
});

test('“captured” binds unless a pipeline has that name', () => {
  assert.equal(capturedName('captured', {}), '');
  assert.equal(capturedName('captured:Ensemble', {}), 'Ensemble');
  assert.equal(capturedName('capturedX', {}), undefined);
  assert.equal(capturedName(undefined, {}), undefined);
  assert.equal(capturedName('prod', {}), undefined);
  const { pipelines } = workspaceOf().config;
  assert.equal(capturedName('captured', { captured: pipelines['prod']! }), undefined);
});

test('parallax.json binds a call to captured runs as the comment does', async () => {
  const bindings = [{ file: 'app/rag.py', pipeline: 'captured:Ensemble' }];
  const planned = planSite(await siteOf(CALL), 'app/rag.py', workspaceOf({ bindings }));
  assert.equal('reason' in planned && planned.reason, 'captured');
});

const FOUND = runOf({}, [{ yes: 'yes', no: 'no' }, { no: 'yes' }]);

test('the newest run of each question counts, at the k of the call', () => {
  const older = runOf({ id: 't0:s0', query: FOUND.query.toUpperCase() }, [{}]);
  const unknown = runOf({ id: 't2:s2', query: 'Why?', perspectives: [] }, [{}]);
  const { queries, means, runs } = siteCaptured([FOUND, older, unknown], 5);
  assert.equal(queries, 2);
  assert.deepEqual(means, {
    runs: 1,
    k: { least: 5, most: 5 },
    mrecall: exactly(1),
    precision: exactly(0.4),
    judged: 0.75,
  });
  assert.deepEqual(
    runs.map(({ query }) => query),
    [FOUND.query, 'Why?'],
  );
});

test('every run counts at its own k if more results came back than the call requests', () => {
  assert.deepEqual(siteCaptured([FOUND], 1).means?.k, { least: 2, most: 2 });
  assert.deepEqual(siteCaptured([FOUND], undefined).means?.k, { least: 2, most: 2 });
});

test('the text gives the number of queries, which of them count, and the judged share', () => {
  const others = Array.from({ length: 11 }, (_, n) =>
    runOf({ id: `t:${n}`, query: `q${n}`, perspectives: [] }, [{}]),
  );
  assert.equal(
    capturedText(siteCaptured([FOUND], 5)),
    'captured: 1 question · k=5 · 2 of 2 perspectives (75% judged)',
  );
  assert.equal(
    capturedText(siteCaptured([FOUND, ...others], 5)),
    'captured: 1 of 12 questions · k=5 · 2 of 2 perspectives (75% judged)',
  );
  assert.equal(capturedText(siteCaptured(others, 5)), 'captured: k=1 · 11 questions, no perspectives known');
  assert.equal(
    capturedText(siteCaptured([runOf({}, [{}, {}])], 5)),
    'captured: 1 question · MRecall@5 – (0% judged)',
  );
  assert.equal(capturedText(siteCaptured([], 5)), 'captured: none is known to come from this call');
});

async function stateOf(call: string, captured: SiteState['captured']): Promise<SiteState> {
  const site = await siteOf(call);
  const planned = planSite(site, 'app/rag.py', workspaceOf());
  return { planned, figures: undefined, stale: false, running: false, k: site.k.value, captured };
}

test('captured runs without a figure add a lens; captured figures replace those of a stand-in', async () => {
  const metrics = ['MRecall', 'Precision'];
  const titles = async (captured: SiteState['captured'], call = CALL): Promise<string[]> =>
    lensTexts(await stateOf(call, captured), metrics).map(({ title }) => title);
  assert.deepEqual(await titles(undefined), ['Try a stand-in']);
  const nothing = siteCaptured([], 5);
  assert.deepEqual(await titles(nothing), [capturedText(nothing), 'Try a stand-in']);
  const found = siteCaptured([FOUND], 5);
  assert.deepEqual(await titles(found), [capturedText(found), 'Judge the rest', 'Details']);
});

test('captured figures appear in short texts only if there are no others', async () => {
  const state = await stateOf(CALL, siteCaptured([FOUND], 5));
  for (const text of [compactText, lineText]) {
    assert.match(text(state, ['MRecall']) ?? '', /^captured: /u);
    assert.equal(text({ ...state, captured: siteCaptured([], 5) }, ['MRecall']), undefined);
  }
});

test('a call bound to captured runs has no stand-in, and its lenses open the captured view', async () => {
  const state = await stateOf(`# parallax: retriever=captured\n${CALL}`, siteCaptured([], 5));
  const lenses = lensTexts(state, ['MRecall']);
  assert.deepEqual(
    lenses.map(({ action }) => action),
    ['captured', 'captured', 'details'],
  );
  assert.match(lenses[1]!.tooltip, /start capturing/u);
  assert.ok(lenses.every(({ title }) => !/rebuilt/u.test(title)));
});

test('the hover and the list mark captured runs, with their questions and judged share', async () => {
  const site = await siteOf(CALL);
  const hostile = runOf({ id: 'x:y', query: '[x](command:evil)', perspectives: [] }, [{}]);
  const state = await stateOf(CALL, siteCaptured([FOUND, hostile], 5));
  const hover = hoverMarkdown(site, state, []);
  assert.match(hover, /\*\*Captured\*\* · 1 of 2 questions · k=5 · 2 of 2 perspectives \\\(75% judged\\\)/u);
  assert.match(hover, /your own program retrieved this while it ran, on its own questions/u);
  assert.match(hover, /75% of the top 5 judged by people/u);
  assert.match(
    hover,
    /- Should the trams run at night\? · MRecall@5 100%, 2 perspectives covered, 75% judged/u,
  );
  const byModel = FOUND.passages.map((passage) => ({
    ...passage,
    judged: passage.judged.map((each) => ({ ...each, source: 'llm' as const, judge: 'gpt' })),
  }));
  const judged = { ...FOUND, passages: byModel };
  const named = hoverMarkdown(site, await stateOf(CALL, siteCaptured([judged], 5)), []);
  assert.match(named, /judged by gpt\\?[,.;]/u, 'as the comparison names it');
  assert.ok(!hover.includes('](command:evil)'));
  assert.ok(
    detailLines(site, state).includes('captured: 1 of 2 questions · k=5 · 2 of 2 perspectives (75% judged)'),
  );
});
