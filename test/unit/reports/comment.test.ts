import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marked } from 'marked';
import { parseFragment, type DefaultTreeAdapterTypes } from 'parse5';
import type { GateReport, QueryReport } from '../../../src/features/gate/core/report.ts';
import { commentMarker, toComment } from '../../../src/core/reports/comment.ts';
import { checksTable, figuresTable } from '../../../src/core/reports/tables.ts';
import { HOSTILE } from './support.ts';

const linkTo = (file: string, line: number): string => `https://forge.example/${encodeURI(file)}#L${line}`;

/** The same report with a baseline, in which the second query won a perspective. */
function compared(change: Partial<QueryReport> = {}): GateReport {
  const [dataset] = HOSTILE.datasets;
  const [pipeline] = dataset!.pipelines;
  const [failed, fine] = pipeline!.queries;
  const won = [{ perspective: 'pro', text: 'Ask @kim about #12' }];
  const queries = [
    { ...failed!, ...change },
    { ...fine!, won },
  ];
  return {
    ...HOSTILE,
    baseline: { file: 'main.json', at: '2026-01-01T00:00:00.000Z' },
    datasets: [{ ...dataset!, pipelines: [{ ...pipeline!, queries }] }],
    asked: { requests: 1, tokens: 1200 },
  };
}

test('lists losses and wins with links to lines, figures with intervals, and the cost', () => {
  assert.equal(
    toComment(compared(), { id: 'parallax.json', linkTo }),
    `<!-- parallax gate: parallax.json -->

## Parallax: Failed: 1 of 2 checks.

### Perspectives lost since the baseline: 1

- **It costs \\$\u200B5 \\~ 10^\u200B2 #\u200B1**: First supported at rank 8, below 5.<br>bm25 &amp; &lt;MMR&gt;, “Is "50%\u200B" of {it} &lt;b&gt;true&lt;/b&gt; &amp; \\\\done\\_? Really \\| \\\`\\\`” ([eval/my questions.jsonl:7](<https://forge.example/eval/my%20questions.jsonl#L7>))

### Perspectives won since the baseline: 1

- **Ask @\u200Bkim about #\u200B12**<br>bm25 &amp; &lt;MMR&gt;, “Fine?” ([eval/my questions.jsonl:8](<https://forge.example/eval/my%20questions.jsonl#L8>))

|  | eval set | pipeline | figure | now | baseline | difference | p | won / lost |
| :-- | :-- | :-- | :-- | --: | --: | --: | --: | --: |
| FAILED | questions | bm25 &amp; &lt;MMR&gt; | MRecall@\u200B5 ≥ 75.0 | 50.0 \\[0.0, 100.0\\] |  |  |  |  |
| passed | questions | bm25 &amp; &lt;MMR&gt; | MRecall@\u200B5 ≥ 50.0 \\[hard\\] | 50.0 |  |  |  |  |

The judge was asked 1 time in this run (1,200 tokens).

<details><summary>Why, and what the figures rest on (intervals are at 95%)</summary>

- questions, bm25 &amp; &lt;MMR&gt;: MRecall@\u200B5 over 2 questions is 50.0, which is below 75.0.
- questions: 2 questions of eval/my questions.jsonl on docs (100 passages); 18 of 20 pairs judged: 10 by people, 8 by gpt \\[x\\](y) (heuristic).
- 8 of 18 judgements are guesses.
- Figures in percent. Unjudged passages count as not supporting: a figure with ≥ can rise, and a check that depends on them is undecided.
- k = 5, judge gpt \\[x\\](y), 2026-01-02T03:04:05.000Z on 0123456789, baseline main.json of 2026-01-01T00\\:00:00.000Z.

</details>
`.replace('T00\\:00', 'T00:00'),
  );
});

test('a perspective with unjudged passages in the top k is not called lost', () => {
  const lost = [
    {
      perspective: 'c',
      text: 'Open',
      where: 'below-k',
      reason: '1 of the top 5 is unjudged for it; first supported at rank 16, below 5.',
      newly: false,
      unjudged: 1,
    } as const,
  ];
  const comment = toComment(compared({ lost }), { id: 'a' });
  assert.doesNotMatch(comment, /Perspectives lost/u);
  assert.match(comment, /^### Perspectives that are unjudged in what is retrieved now: 1$/mu);
});

test('lists perspectives with changing verdicts separately', () => {
  const [loss] = HOSTILE.datasets[0]!.pipelines[0]!.queries[0]!.lost;
  const lost = [{ ...loss!, newly: false, quarantined: true as const }];
  const comment = toComment(compared({ lost }), { id: 'a' });
  assert.match(comment, /^### Quarantined: .*: 1$/mu);
  assert.doesNotMatch(comment, /Perspectives lost/u);
});

test('reports that nothing was lost or won, but not if nothing was evaluated', () => {
  const report = compared({ lost: [] });
  const [dataset] = report.datasets;
  const pipelines = dataset!.pipelines.map((pipeline) => ({
    ...pipeline,
    queries: pipeline.queries.map((query) => ({ ...query, won: [] })),
  }));
  const same = { ...report, datasets: [{ ...dataset!, pipelines }] };
  assert.match(toComment(same, { id: 'a' }), /^No perspective was lost or won since the baseline\.$/mu);
  assert.doesNotMatch(toComment(compared(), { id: 'a' }), /No perspective was lost/u);
  const failed = toComment({ ...same, datasets: [], checks: [], error: 'Down.' }, { id: 'a' });
  assert.doesNotMatch(failed, /No perspective was lost|\| figure \|/u);
});

test('a check has its baseline and the number of questions won and lost', () => {
  const paired = { difference: -0.1, low: -0.2, high: 0.05, p: 0.02, wins: 1, losses: 2 };
  const baseline = { value: 0.6, paired };
  const checks = [{ ...HOSTILE.checks[0]!, baseline }] as unknown as GateReport['checks'];
  assert.match(
    toComment({ ...compared(), checks }, { id: 'a' }),
    / \| 60\.0 \| −10\.0 \\\[−20\.0, \+5\.0\\\] \| \.020 \| 1 \/ 2 \|$/mu,
  );
  const figures = toComment({ ...compared(), checks: [] }, { id: 'a' });
  assert.match(figures, /^\|  \| questions \| [^|]* \| MRecall@\u200B5 \| [^|]* \|  \|  \|  \|  \|$/mu);
});

test('without a baseline it lists the losses of failed queries only', () => {
  const [dataset] = HOSTILE.datasets;
  const [pipeline] = dataset!.pipelines;
  const [failed, fine] = pipeline!.queries;
  const open = { ...failed!.lost[0]!, where: 'unjudged' as const };
  const queries = [
    { ...failed!, lost: [...failed!.lost, open] },
    { ...fine!, lost: failed!.lost },
  ];
  const more = { ...HOSTILE, datasets: [{ ...dataset!, pipelines: [{ ...pipeline!, queries }] }] };
  assert.match(toComment(more, { id: 'a' }), /^### Perspectives that failed questions lose: 1$/mu);
  assert.match(toComment(HOSTILE, { id: 'a' }), /^### Perspectives that failed questions lose: 1$/mu);
  assert.doesNotMatch(toComment(HOSTILE, { id: 'a' }), /The judge was asked/u);
});

test('fits the limit with any number of losses and counts the omitted ones', () => {
  const lost = Array.from({ length: 500 }, (_, place) => ({
    perspective: `p${place}`,
    text: '&'.repeat(3_000),
    where: 'below-k' as const,
    reason: '<'.repeat(3_000),
    newly: true,
  }));
  const comment = toComment(compared({ lost }), { id: 'a' });
  assert.ok(comment.length <= 65_536);
  assert.match(comment, /^The rest is left out: a comment may hold 65,536 characters/mu);
  const short = toComment(compared({ lost: lost.map((each) => ({ ...each, reason: '' })) }), { id: 'a' });
  assert.match(short, /^- … and 480 more: see the summary of the job\.$/mu);
});

test('text of a question mentions nobody and links nothing', () => {
  const signs = [
    '@kim',
    '@_kim',
    '#1',
    'GH-1',
    '!1',
    '$1',
    '%1',
    '%"1.0"',
    '~bug',
    '~"to do"',
    '&1',
    '^alert#1',
    'a#1',
  ];
  const hostile = `${signs.join(' ')} https://evil.example ![a](b) <img src=x> | --> \n/close`;
  const lost = [{ perspective: 'c', text: hostile, where: 'below-k', reason: hostile, newly: true } as const];
  const comment = toComment(compared({ lost, text: hostile }), { id: hostile });
  const shown = parseFragment(marked.parse(comment, { async: false }));
  const words = textOf(shown);
  assert.match(words, /kim/u);
  assert.doesNotMatch(words, /[@#!$%~&^][\w"]|GH-\d/u);
  assert.doesNotMatch(comment, /^\s*\//mu);
  const names = elementsOf(shown);
  assert.deepEqual(
    names.filter((name) => ['a', 'img'].includes(name)),
    [],
  );
});

test('the marker ends where it should for any id', () => {
  assert.equal(commentMarker('a-->b/parallax.json'), '<!-- parallax gate: a%2D%2D%3Eb%2Fparallax.json -->');
});

test('an unjudged figure is a dash, not 0', () => {
  const [dataset] = HOSTILE.datasets;
  const [pipeline] = dataset!.pipelines;
  const metrics = { 'MRecall@5': 0, 'Judged@5': 0, 'Documents@5': 1 };
  const unjudged: GateReport = {
    ...HOSTILE,
    checks: HOSTILE.checks.map((check) => ({ ...check, value: 0, outcome: 'undecided' as const })),
    datasets: [{ ...dataset!, pipelines: [{ ...pipeline!, metrics }] }],
  };
  const cellsOf = ({ rows }: { readonly rows: readonly (readonly string[])[] }) =>
    rows.map((row) => row.slice(2));
  assert.deepEqual(cellsOf(figuresTable(unjudged)), [['–', '0.0', '100.0']]);
  for (const row of checksTable(unjudged).rows) assert.equal(row[4], '–');
  const checked = toComment(unjudged, { id: 'a', linkTo });
  const unchecked = toComment({ ...unjudged, checks: [] }, { id: 'a', linkTo });
  for (const comment of [checked, unchecked]) {
    assert.match(comment, /MRecall@\u200B5[^|]*\| – \|/u);
    assert.doesNotMatch(comment, /MRecall@\u200B5[^|]*\| 0\.0/u);
  }
});

type Node = DefaultTreeAdapterTypes.Node;

const partsOf = (node: Node): Node[] =>
  'childNodes' in node ? [node, ...node.childNodes.flatMap(partsOf)] : [node];

const textOf = (node: Node): string =>
  partsOf(node)
    .map((part) => (part.nodeName === '#text' && 'value' in part ? part.value : ''))
    .join('');

const elementsOf = (node: Node): string[] =>
  partsOf(node).flatMap((part) => ('tagName' in part ? [part.tagName] : []));
