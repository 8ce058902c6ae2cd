import assert from 'node:assert/strict';
import { atLeast, exactly } from '../../../src/core/measured.ts';
import { test } from 'node:test';
import { detailLines, escaped, hoverMarkdown } from '../../../src/features/lens/host/hover-text.ts';
import {
  compactText,
  figureText,
  lensTexts,
  lineText,
  listedTexts,
  points,
  type SiteState,
  useText,
  wrapperText,
} from '../../../src/features/lens/host/lens-text.ts';
import { capturedText } from '../../../src/features/lens/host/captured-text.ts';
import { siteCaptured } from '../../../src/features/lens/host/captured-sites.ts';
import { siteFigures, type SiteFigures } from '../../../src/features/lens/host/site-figures.ts';
import { isPlanned, planSite } from '../../../src/sites/plan.ts';
import { runOf } from '../capture/support.ts';
import { CALL, comparisonOf, siteOf, workspaceOf } from './support.ts';

const METRICS = ['MRecall', 'Precision'];

interface Given {
  call?: string;
  trusted?: boolean;
  evaluated?: boolean;
  stale?: boolean;
  running?: boolean;
  mmr?: { value: number; low: number; high: number };
}

async function stateOf(given: Given): Promise<SiteState> {
  const site = await siteOf(given.call ?? CALL);
  const planned = planSite(site, 'app/rag.py', workspaceOf({}, { trusted: given.trusted ?? true }));
  let figures: SiteFigures | undefined;
  if (given.evaluated && isPlanned(planned)) {
    const names = [planned.base.name, ...planned.whatIfs.map(({ name }) => name)];
    const worse = { value: -0.1, low: -0.2, high: -0.05 };
    const found = siteFigures(
      comparisonOf(names, [
        given.mmr ?? { value: 0.029, low: 0.01, high: 0.05 },
        worse,
        { value: 0.5, low: 0.4, high: 0.6 },
      ]),
      planned,
      'asked',
    );
    assert.ok(typeof found !== 'string');
    figures = found;
  }
  return { planned, figures, stale: given.stale ?? false, running: given.running ?? false, k: site.k.value };
}

test('without a what-if the line gives the best figure of a perfect reranker', async () => {
  const state = await stateOf({ evaluated: true });
  const parts = (whatIfs: SiteFigures['whatIfs']): readonly string[] =>
    lensTexts({ ...state, figures: { ...state.figures!, whatIfs } }, METRICS).map(({ title }) => title);
  const best = {
    name: 'best order',
    oracle: 'labels' as const,
    value: atLeast(0.9, 1),
  };
  assert.ok(parts([{ name: '+MMR 0.75' }, best]).includes('perfect reranker ≥ 90%'));
  assert.ok(parts([{ name: '+PAP', oracle: 'perspectives', value: exactly(0.9) }]).includes('80% judged'));
  const difference = { value: 0.1, low: 0, high: 0.2, queries: 1 };
  const known = parts([{ name: '+MMR 0.75', difference }, best]);
  assert.ok(
    known.some((title) => title.startsWith('+MMR 0.75')) && !known.some((title) => title.includes('perfect')),
  );
});

test('a what-if offers an edit on click only if one is known', async () => {
  const state = await stateOf({ evaluated: true });
  const tooltipOf = (editable?: string): string | undefined =>
    lensTexts({ ...state, editable }, METRICS).find(({ action }) => action === 'preview')?.tooltip;
  const best = lensTexts(state, METRICS).find(({ action }) => action === 'preview')!.title;
  const name = best.startsWith('+MMR') ? '+MMR 0.75' : best.split(' ')[0]!;
  assert.match(tooltipOf(name)!, /Click to see what would change in the code\.$/u);
  assert.match(tooltipOf('another')!, /Click to compare\.$/u);
  assert.match(tooltipOf()!, /Click to compare\.$/u);
});

async function titles(given: Given): Promise<string[]> {
  return lensTexts(await stateOf(given), METRICS).map(({ title }) => title);
}

const BOUND = `# parallax: retriever=prod\n${CALL}`;
const UNKNOWN = `import sys\nstore.as_retriever(search_kwargs={"k": int(sys.argv[1])})`;

test('the reason for an unknown k is given once beside the call, in its hover and in its details', async () => {
  const call = `class Search:
    def __init__(self, k):
        self.k = k
    def run(self, q):
        return store.max_marginal_relevance_search(q, k=self.k, fetch_k=self.k * 4)`;
  const state = await stateOf({ call });
  const site = await siteOf(call);
  assert.equal(site.k.provenance, 'unknown');
  const { why } = site.k as { why: string };
  assert.equal(site.pool?.provenance, 'unknown', 'a second value is not known for the same reason');
  const times = (text: string): number => text.split(escaped(why)).length - 1;
  assert.equal(
    times(
      lensTexts(state, METRICS)
        .map(({ title, tooltip }) => escaped(`${title} ${tooltip}`))
        .join('\n'),
    ),
    1,
  );
  assert.equal(times(hoverMarkdown(site, state, [])), 1);
  assert.equal(times(detailLines(site, state).map(escaped).join('\n')), 1);
});

test('before an evaluation there are no dashes, only the action that gives figures', async () => {
  assert.deepEqual(await titles({}), ['Try a stand-in']);
  assert.deepEqual(await titles({ running: true }), ['Cancel evaluation']);
});

test('after an evaluation each part is separate, and the best what-if is no oracle', async () => {
  assert.deepEqual(await titles({ evaluated: true }), [
    'MRecall@5 40% (stand-in)',
    'P@5 62%',
    '+MMR 0.75 +2.9 pts',
    'Details',
  ]);
});

test('a difference whose interval includes zero has a question mark; no difference says so', async () => {
  for (const [mmr, said] of [
    [{ value: 0.029, low: -0.01, high: 0.07 }, '+2.9 pts?'],
    [{ value: 0.01, low: 0, high: 0.07 }, '+1.0 pts?'],
    [{ value: 0, low: -0.03, high: 0.03 }, '+0.0 pts?'],
    [{ value: 0, low: 0, high: 0 }, 'no difference'],
  ] as const)
    assert.equal((await titles({ evaluated: true, mmr }))[2], `+MMR 0.75 ${said}`);
});

test('a stand-in has no figure while its top k is little judged; a measured pipeline has', async () => {
  const withJudged = async (call: string, judged: number): Promise<string[]> => {
    const state = await stateOf({ call, evaluated: true });
    return lensTexts({ ...state, figures: { ...state.figures!, judged } }, METRICS).map(({ title }) => title);
  };
  assert.deepEqual(await withJudged(CALL, 0.29), ['29% judged: too little for figures', 'Details']);
  assert.equal((await withJudged(CALL, 0.3))[0], 'MRecall@5 40% (stand-in)');
  assert.equal((await withJudged(BOUND, 0.1))[0], 'MRecall@5 40% measured');
});

test('a pipeline without results says so, and not that all of it is judged', async () => {
  const state = await stateOf({ evaluated: true });
  const figures = { ...state.figures!, judged: 1, foundNothing: true as const, whatIfs: [] };
  const [, , basis] = lensTexts({ ...state, figures }, METRICS);
  assert.equal(basis!.title, 'nothing retrieved');
  assert.match(basis!.tooltip, /nothing was retrieved for any\./u);
});

test('figures with many unjudged pairs are lower bounds, with the judged share in the line', async () => {
  const state = await stateOf({});
  assert.ok(isPlanned(state.planned));
  const comparison = comparisonOf([state.planned.base.name]);
  comparison.datasets[0]!.basis = 'open';
  comparison.datasets[0]!.pipelines[0]!.judged = 0.4;
  for (const figure of Object.values(comparison.datasets[0]!.pipelines[0]!.measures))
    Object.assign(figure, { bound: 'least', most: 0.9 });
  const figures = siteFigures(comparison, state.planned, 'asked');
  assert.ok(typeof figures !== 'string');
  const open: SiteState = { ...state, figures };
  assert.deepEqual(
    lensTexts(open, METRICS)
      .slice(0, 3)
      .map(({ title }) => title),
    ['MRecall@5 ≥ 40% (stand-in)', 'P@5 ≥ 62%', '40% judged'],
  );
  assert.equal(compactText(open, METRICS), 'MRecall@5 ≥ 40% (stand-in)');
  assert.equal(figureText(exactly(1)), '100%');
  assert.ok(
    detailLines(await siteOf(CALL), open).some((line) => /^MRecall@5 ≥ 40%.*0% to 100%/u.test(line)),
    'one question says nothing of others',
  );
  const hover = hoverMarkdown(await siteOf(CALL), open, []);
  assert.match(
    hover,
    /\| Measure \| Value \| 95% interval \|\n[^]*\| MRecall@5 \| ≥ 40% \| 0% to 100% \|\n[^]*as far as judged/u,
  );
});

test('a list gives the reason for missing figures once', async () => {
  const state = await stateOf({ call: BOUND, trusted: false });
  const listed = listedTexts(state, METRICS);
  assert.equal(listed.length, 1);
  assert.equal(listed[0]!.title, 'Trust the workspace to see what this call misses');
});

test('a measured call is marked as measured, a stand-in never is', async () => {
  assert.deepEqual(
    (await titles({ call: BOUND, evaluated: true })).filter((title) => /measured/u.test(title)),
    ['MRecall@5 40% measured'],
  );
  assert.ok((await titles({ evaluated: true })).every((title) => !/measured/u.test(title)));
  const tooltip = async (call: string): Promise<string> =>
    lensTexts(await stateOf({ call, evaluated: true }), METRICS)[1]!.tooltip;
  assert.match(await tooltip(BOUND), /^Measured: your own retriever answered\./u);
  assert.match(await tooltip(CALL), /^Rebuilt: .*your retriever was not asked\./u);
});

test('stale figures stay, marked, with an action to update them', async () => {
  assert.deepEqual(await titles({ evaluated: true, stale: true }), [
    'MRecall@5 40% (stand-in, stale)',
    'P@5 62%',
    '+MMR 0.75 +2.9 pts',
    'Evaluate again',
  ]);
});

test('the text stays during a run, which can be cancelled', async () => {
  assert.deepEqual(await titles({ evaluated: true, running: true }), [
    '$(sync~spin) MRecall@5 40% (stand-in)',
    'P@5 62%',
    '+MMR 0.75 +2.9 pts',
    'Cancel evaluation',
  ]);
});

test('an unknown k is not guessed and can be set', async () => {
  const texts = lensTexts(await stateOf({ call: UNKNOWN }), METRICS);
  assert.deepEqual(
    texts.map(({ title }) => title),
    ['k is not known: set it to see what this call misses', 'Details'],
  );
  assert.equal(texts[0]!.action, 'set-k');
});

test('a call with figures has a constant number of parts', async () => {
  const all: Given[] = [
    { evaluated: true },
    { evaluated: true, stale: true },
    { evaluated: true, running: true },
  ];
  for (const given of all) assert.equal((await titles(given)).length, 4, JSON.stringify(given));
});

test('too few judgements are no longer reported after a change', async () => {
  const state = await stateOf({ evaluated: true, stale: true });
  const little = { ...state, figures: { ...state.figures!, judged: 0 } };
  assert.deepEqual(
    lensTexts(little, METRICS).map(({ title }) => title),
    ['Evaluate again'],
  );
  assert.equal(compactText(little, METRICS), undefined);
  assert.match(lensTexts({ ...little, stale: false }, METRICS)[0]!.title, /too little for figures/);
});

test('a call that cannot be evaluated yet has no dashes, only the action that gives figures', async () => {
  assert.deepEqual(await titles({ call: BOUND, trusted: false }), [
    'Trust the workspace to see what this call misses',
    'Details',
  ]);
});

test('hints and line ends give the same, shorter, and nothing without figures', async () => {
  const state = await stateOf({ evaluated: true, running: true });
  assert.equal(compactText(state, METRICS), 'MRecall@5 40% (stand-in)');
  assert.equal(lineText(state, METRICS), 'MRecall@5 40% (stand-in) | P@5 62% | +MMR 0.75 +2.9 pts');
  assert.equal(compactText(await stateOf({}), METRICS), undefined);
  assert.equal(lineText(await stateOf({}), METRICS), undefined);
});

test('one kind of figures appears beside a call, measured ones first; the hover has all', async () => {
  const captured = siteCaptured([runOf({}, [{ yes: 'yes', no: 'no' }, { no: 'yes' }])], 5);
  const site = await siteOf(CALL);
  const rebuilt = { ...(await stateOf({ evaluated: true })), captured };
  const names = (state: SiteState): string[] => lensTexts(state, METRICS).map(({ title }) => title);
  assert.deepEqual(names(rebuilt), [capturedText(captured), 'Judge the rest', 'Details']);
  assert.equal(lineText(rebuilt, METRICS), capturedText(captured));
  const all = siteCaptured([runOf({}, [{ yes: 'yes', no: 'no' }])], 5);
  assert.deepEqual(names({ ...rebuilt, captured: all }), [capturedText(all), 'Details']);
  assert.match(hoverMarkdown(site, rebuilt, []), /\*\*Captured\*\*[^]*\*\*Rebuilt\*\*/u);
  const open = siteCaptured([runOf({ perspectives: [] }, [{}])], 5);
  assert.deepEqual(names({ ...rebuilt, captured: open }), [capturedText(open), 'Details'], 'not judged yet');
  const others = names({ ...rebuilt, captured: siteCaptured([], 5) });
  assert.ok(!others.some((title) => title.startsWith('captured')), others.join());
  const measured = { ...(await stateOf({ call: BOUND, evaluated: true })), captured };
  assert.equal(names(measured)[0], 'MRecall@5 40% measured');
  assert.ok(!names(measured).some((title) => title.startsWith('captured')), names(measured).join());
  assert.match(hoverMarkdown(site, measured, []), /\*\*Measured\*\*[^]*\*\*Captured\*\*/u);
});

test('a call offers to run, then to measure, also once its program has ended', async () => {
  const captured = siteCaptured([runOf({}, [{ yes: 'yes', no: 'no' }])], 5);
  const texts = async (given: Partial<SiteState>): Promise<string[]> =>
    lensTexts({ ...(await stateOf({})), ...given }, METRICS).map(({ title }) => title);
  assert.equal((await texts({ run: 'possible' }))[0], 'Run to see what this call misses');
  assert.equal((await texts({ run: 'observing' }))[0], 'Observed: no retrieval yet');
  for (const run of ['alive', 'ended'] as const)
    assert.equal((await texts({ run }))[0], 'Observed: a retrieval without a question');
  for (const run of ['alive', 'ended'] as const)
    assert.deepEqual(await texts({ run, captured }), [capturedText(captured), 'Measure on the eval set']);
});

test('a call that was measured is not asked for its k', async () => {
  const unknown = await stateOf({ call: 'results = store.similarity_search(q, k=settings.k)' });
  assert.ok(!isPlanned(unknown.planned) && unknown.planned.reason === 'k-unknown');
  const { figures } = await stateOf({ evaluated: true });
  const names = (live: true | undefined): string[] =>
    lensTexts({ ...unknown, figures: { ...figures!, live } }, METRICS).map(({ title }) => title);
  const setsK = (title: string): boolean => title.startsWith('k is not known');
  assert.ok(names(undefined).some(setsK));
  assert.ok(!names(true).some(setsK));
});

test('points have a sign, and a rounded zero has no minus', () => {
  assert.deepEqual([0.029, -0.012, 0, -0.0001].map(points), ['+2.9 pts', '−1.2 pts', '+0.0 pts', '+0.0 pts']);
});

test('the hover gives the judge, the number of questions, losses and sources of parameters', async () => {
  const site = await siteOf(CALL);
  const text = hoverMarkdown(site, await stateOf({ evaluated: true }), [
    { label: 'Compare', href: 'command:x' },
  ]);
  for (const said of [
    '**Rebuilt**',
    'your retriever was not asked',
    '1 question; 80% of the top 5 judged by people',
    '| MRecall@5 | 40% |',
    'given perspectives: an upper bound',
    '1 of 2 perspectives covered',
    '| k | 5 | written in the call |',
    'built-in encoder',
    '[Compare](command:x)',
  ])
    assert.ok(text.replaceAll('\\', '').includes(said), `${said}\n${text}`);
});

test('a what-if with an unknown difference shows none; a worse oracle is no upper bound', async () => {
  const state = await stateOf({ evaluated: true });
  const oracle = { name: '+PAP', oracle: 'perspectives' as const };
  const hover = async (whatIf: SiteFigures['whatIfs'][number]): Promise<string> =>
    hoverMarkdown(await siteOf(CALL), { ...state, figures: { ...state.figures!, whatIfs: [whatIf] } }, []);
  const cells = (text: string): string | undefined =>
    text
      .replaceAll('\\', '')
      .split('\n')
      .find((line) => line.startsWith('| +PAP'));
  assert.equal(cells(await hover(oracle)), '| +PAP (given perspectives) | not known |');
  const difference = { value: -0.2, low: -0.5, high: 0, queries: state.figures!.queries };
  assert.match(
    cells(await hover({ ...oracle, difference }))!,
    /^\| \+PAP \(given perspectives\) \| −20\.0 pts/u,
  );
  const gain = { value: 0.2, low: 0.1, high: 0.3, queries: 0 };
  assert.match(
    cells(await hover({ ...oracle, difference: gain }))!,
    /\(given perspectives: an upper bound\) \| \+20\.0 pts on 0 of 1/u,
  );
});

test('the hover marks lower bounds and provisional figures if much is unjudged', async () => {
  const state = await stateOf({ evaluated: true });
  const measures = {
    'MRecall@5': { value: 0.4, bound: 'least' as const, most: 0.9 },
    'nDCG@5': { value: 0.51, bound: 'open' as const, most: 0.6 },
    'Documents@5': exactly(0.8),
  };
  const figures = { ...state.figures!, measures, judged: 0.4, covered: 1, perspectives: 2 };
  const text = hoverMarkdown(await siteOf(CALL), { ...state, figures }, []).replaceAll('\\', '');
  for (const said of [
    '| MRecall@5 | ≥ 40% |',
    '| nDCG@5 | 51% so far |',
    '1 of 2 perspectives covered so far.',
  ])
    assert.ok(text.includes(said), `${said}\n${text}`);
  assert.doesNotMatch(text, /80% so far/u);
});

test('workspace text cannot become a command in a trusted hover', async () => {
  const text = hoverMarkdown(await siteOf(CALL), await stateOf({ evaluated: true }), []);
  assert.ok(!text.includes('](command:'), text);
  assert.equal(
    escaped('[a](command:b) <i> `c` $(x)\n| d'),
    '\\[a\\]\\(command:b\\) \\<i\\> \\`c\\` \\$\\(x\\) \\| d',
  );
});

test('the lines of the list match the hover', async () => {
  const lines = detailLines(await siteOf(CALL), await stateOf({ evaluated: true, stale: true }));
  assert.match(lines[0]!, /^Stale/u);
  assert.ok(lines.includes('k = 5 (written in the call)'));
  assert.ok(lines.some((line) => line.startsWith('Lost: Night trams')));
});

test('a pipeline that could not be run has only the reason', async () => {
  const { planned } = await stateOf({});
  assert.ok(isPlanned(planned));
  const comparison = comparisonOf(['a']);
  comparison.datasets[0]!.pipelines[0]!.error = 'The command ended.';
  assert.equal(siteFigures(comparison, planned, 'asked'), 'The command ended.');
});

test('a link shows where the retriever is created, by its call or its file', () => {
  assert.equal(useText('as_retriever', undefined, 12).title, '$(link) as_retriever, line 12');
  assert.equal(useText(undefined, 'app/store.py', 5).title, '$(link) app/store.py, line 5');
});

test('a call of a function of the program names the retrieval it uses', () => {
  assert.equal(wrapperText('store.py', 40).title, '$(link) uses the retrieval in store.py, line 40');
  assert.equal(wrapperText(undefined, 7).title, '$(link) uses the retrieval in line 7');
});
