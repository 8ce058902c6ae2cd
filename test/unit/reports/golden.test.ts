import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { failedReport } from '../../../src/features/gate/core/report.ts';
import { toGitHub, toJobSummary } from '../../../src/core/reports/github.ts';
import { toHtml } from '../../../src/core/reports/html.ts';
import { toJUnit } from '../../../src/core/reports/junit.ts';
import { toLatex } from '../../../src/core/reports/latex.ts';
import { toMarkdown } from '../../../src/core/reports/markdown.ts';
import { toSarif } from '../../../src/core/reports/sarif.ts';
import { HOSTILE } from './support.ts';

const FAILED = failedReport('The endpoint is down: 100%.', { at: 'now', k: 5, judge: 'gpt' });

test('JUnit: a suite for each pipeline, a case for each check and query with its search time', () => {
  assert.equal(
    toJUnit(HOSTILE),
    `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="questions, bm25 &amp; &lt;MMR&gt;" package="parallax" id="0" hostname="localhost" timestamp="2026-01-02T03:04:05" tests="4" failures="2" errors="0" skipped="0" time="0.002">
    <properties>
      <property name="judgements" value="18 of 20 pairs judged: 10 by people, 8 by gpt [x](y) (heuristic)"/>
      <property name="circumstances" value="k = 5, judge gpt [x](y), 2026-01-02T03:04:05.000Z on 0123456789."/>
    </properties>
    <testcase classname="questions, bm25 &amp; &lt;MMR&gt;" name="MRecall@5 ≥ 75.0" time="0.000">
      <failure message="MRecall@5 over 2 questions is 50.0, which is below 75.0." type="threshold">Questions: a:b,c</failure>
    </testcase>
    <testcase classname="questions, bm25 &amp; &lt;MMR&gt;" name="MRecall@5 ≥ 50.0 [hard]" time="0.000"/>
    <testcase classname="questions, bm25 &amp; &lt;MMR&gt;" name="query a:b,c" time="0.002">
      <failure message="Is &quot;50%&quot; of {it} &lt;b&gt;true&lt;/b&gt; &amp; \\done_?&#10;Really | \`\`" type="query">eval/my questions.jsonl:7&#10;Missed: MRecall@5 ≥ 75.0 (here 0.0).&#10;Newly lost: It costs $5 ~ 10^2 #1 (First supported at rank 8, below 5)</failure>
    </testcase>
    <testcase classname="questions, bm25 &amp; &lt;MMR&gt;" name="query fine" time="0.000"/>
    <system-out/>
    <system-err>8 of 18 judgements are guesses.</system-err>
  </testsuite>
</testsuites>
`,
  );
});

test('JUnit: gaps are a suite of errors, and checks belong to their pipeline', () => {
  const dataset = HOSTILE.datasets[0]!;
  const pipelines = [dataset.pipelines[0]!, { ...dataset.pipelines[0]!, name: 'other' }];
  const second = { ...dataset, name: 'more', pipelines };
  const junit = toJUnit({ ...HOSTILE, datasets: [{ ...dataset, gaps: ['One.', 'Two.'] }, second] });
  const suites = junit.split('<testsuite ').slice(1);
  assert.deepEqual(
    suites.map((suite) => [/name="([^"]*)"/u.exec(suite)![1], suite.split('≥ 75.0" time=').length - 1]),
    [
      ['gate', 0],
      ['questions, bm25 &amp; &lt;MMR&gt;', 1],
      ['more, bm25 &amp; &lt;MMR&gt;', 0],
      ['more, other', 0],
    ],
  );
  assert.match(suites[0]!, /<error message="questions: One\." .*<error message="questions: Two\." /su);
  assert.equal(junit.split('judgements are guesses').length, 2, 'notes stand once');
});

test('JUnit: a failed evaluation is an error', () => {
  assert.match(toJUnit(FAILED), / tests="1" failures="0" errors="1" skipped="0" time="0\.000">/u);
  assert.match(
    toJUnit(FAILED),
    /<error message="The endpoint is down: 100%\." type="not-evaluated"><\/error>/u,
  );
});

test('JUnit: a query without checks is skipped, one that could not be asked is an error', () => {
  const [dataset] = HOSTILE.datasets;
  const [pipeline] = dataset!.pipelines;
  const [failed, fine] = pipeline!.queries;
  const queryErrors = [{ query: failed!.id, message: 'The store is down.' }];
  const queries = [failed!, { ...fine!, demands: 0 }];
  const junit = toJUnit({
    ...HOSTILE,
    datasets: [{ ...dataset!, pipelines: [{ ...pipeline!, queries, queryErrors }] }],
  });
  assert.match(junit, / tests="4" failures="1" errors="1" skipped="1" /u);
  assert.match(junit, /<error message="The store is down\." type="query">eval\/my questions\.jsonl:7/u);
  assert.match(junit, /name="query fine" [^>]*>\n {6}<skipped message="Skipped: there is no baseline/u);
});

test('GitHub: escapes annotations as workflow commands require', () => {
  assert.equal(
    toGitHub(HOSTILE),
    '::error file=eval/my questions.jsonl,line=1,title=bm25 & <MMR>%3A MRecall@5 ≥ 75.0::MRecall@5 over 2 questions is 50.0, which is below 75.0.\n' +
      '::warning file=eval/my questions.jsonl,line=7,title=bm25 & <MMR>%3A a%3Ab%2Cc::Is "50%25" of {it} <b>true</b> & \\done_?%0AReally | ``%0AMissed: MRecall@5 ≥ 75.0 (here 0.0).%0ANewly lost: It costs $5 ~ 10^2 #1 (First supported at rank 8, below 5)\n' +
      '::notice title=Parallax::Failed: 1 of 2 checks.\n' +
      '::notice title=Parallax::8 of 18 judgements are guesses.\n',
  );
  assert.equal(
    toGitHub(FAILED),
    '::error title=Parallax could not evaluate::The endpoint is down: 100%25.\n' +
      '::notice title=Parallax::Not evaluated: The endpoint is down: 100%25.\n',
  );
});

test('GitHub: the last annotation counts those omitted', () => {
  const checks = Array.from({ length: 13 }, () => HOSTILE.checks[0]!);
  const errors = toGitHub({ ...HOSTILE, checks })
    .split('\n')
    .filter((line) => line.startsWith('::error'));
  assert.equal(errors.length, 10);
  assert.match(errors.at(-1)!, /… and 4 more/u);
});

test('GitHub: cuts a long summary at a line and says so', () => {
  const line = `${'é'.repeat(500)}\n`;
  const summary = toJobSummary(line.repeat(2_000));
  assert.ok(new TextEncoder().encode(summary).length <= 1024 * 1024);
  assert.ok(new TextEncoder().encode(summary).length > 1_040_000);
  assert.match(summary, /é\n\nThe rest is left out/u);
  assert.ok(!summary.includes('\uFFFD'));
  assert.equal(toJobSummary(line), line);
});

test('Markdown', () => {
  assert.equal(
    toMarkdown(HOSTILE),
    `# Parallax gate

**Failed: 1 of 2 checks.**

k = 5, judge gpt \\[x\\](y), 2026-01-02T03:04:05.000Z on 0123456789.

- questions: 2 questions of eval/my questions.jsonl on docs (100 passages); 18 of 20 pairs judged: 10 by people, 8 by gpt \\[x\\](y) (heuristic).
- 8 of 18 judgements are guesses.

## Why

- questions, bm25 &amp; &lt;MMR&gt;: MRecall@5 over 2 questions is 50.0, which is below 75.0.

## Checks

| outcome | eval set | pipeline | check | value | baseline | difference | 95% interval | p |
| :-- | :-- | :-- | :-- | --: | --: | --: | --: | --: |
| FAILED | questions | bm25 &amp; &lt;MMR&gt; | MRecall@5 ≥ 75.0 | 50.0 |  |  |  |  |
| passed | questions | bm25 &amp; &lt;MMR&gt; | MRecall@5 ≥ 50.0 \\[hard\\] | 50.0 |  |  |  |  |

## Figures

| eval set | pipeline | MRecall@5 | Judged@5 |
| :-- | :-- | --: | --: |
| questions | bm25 &amp; &lt;MMR&gt; | 50.0 | 90.0 |

Figures in percent. Unjudged passages count as not supporting: a figure with ≥ can rise, and a check that depends on them is undecided.

## Questions

### questions, bm25 &amp; &lt;MMR&gt;: a:b,c

Is "50%" of {it} &lt;b&gt;true&lt;/b&gt; &amp; \\\\done\\_? Really \\| \\\`\\\` (eval/my questions.jsonl:7)

- Missed: MRecall@5 ≥ 75.0 (here 0.0).
- Newly lost: It costs \\$5 \\~ 10^2 #1 (First supported at rank 8, below 5)
`,
  );
  assert.equal(
    toMarkdown(FAILED),
    '# Parallax gate\n\n**Not evaluated: The endpoint is down: 100%.**\n\nk = 5, judge gpt, now.\n',
  );
});

test('LaTeX', () => {
  assert.equal(
    toLatex(HOSTILE),
    String.raw`% Needs \usepackage{booktabs}.
\begin{table}
\centering
\begin{tabular}{llrr}
\toprule
eval set & pipeline & MRecall@5 & Judged@5 \\
\midrule
questions & bm25 \& \textless{}MMR\textgreater{} & 50.0 & 90.0 \\
\bottomrule
\end{tabular}
\caption{Figures. questions: 2 questions of eval/my questions.jsonl on docs (100 passages); 18 of 20 pairs judged: 10 by people, 8 by gpt [x](y) (heuristic). Figures in percent. Unjudged passages count as not supporting: a figure with $\ge$ can rise, and a check that depends on them is undecided. k = 5, judge gpt [x](y), 2026-01-02T03:04:05.000Z on 0123456789.}
\end{table}
\begin{table}
\centering
\begin{tabular}{llllrrrrr}
\toprule
outcome & eval set & pipeline & check & value & baseline & difference & 95\% interval & p \\
\midrule
FAILED & questions & bm25 \& \textless{}MMR\textgreater{} & MRecall@5 $\ge$ 75.0 & 50.0 &  &  &  &  \\
passed & questions & bm25 \& \textless{}MMR\textgreater{} & MRecall@5 $\ge$ 50.0 [hard] & 50.0 &  &  &  &  \\
\bottomrule
\end{tabular}
\caption{Checks. Failed: 1 of 2 checks.}
\end{table}
`,
  );
});

test('LaTeX: without an evaluation there are no tables, without checks only figures', () => {
  assert.equal(
    toLatex(FAILED),
    '% Needs \\usepackage{booktabs}.\n\\noindent Not evaluated: The endpoint is down: 100\\%.\n',
  );
  assert.equal(toLatex({ ...HOSTILE, checks: [] }).split('\\begin{table}').length, 2);
});

describe('SARIF', () => {
  interface Rule {
    readonly id: string;
    readonly shortDescription: { readonly text: string };
    readonly fullDescription: { readonly text: string };
    readonly help: { readonly text: string };
  }
  interface Log {
    readonly version: string;
    readonly runs: readonly {
      readonly tool: { readonly driver: { readonly rules: readonly Rule[] } };
      readonly invocations: readonly { readonly executionSuccessful: boolean }[];
      readonly results: readonly unknown[];
    }[];
  }
  let log: Log;
  let sarifRun: Log['runs'][number] | undefined;
  beforeEach(() => {
    log = JSON.parse(toSarif(HOSTILE)) as Log;
    [sarifRun] = log.runs;
  });

  test('has a result with place and stable identity for each missed check and failed query', () => {
    assert.equal(log.version, '2.1.0');
    const location = (startLine: number): object[] => [
      {
        physicalLocation: {
          artifactLocation: { uri: 'eval/my%20questions.jsonl' },
          region: { startLine },
        },
      },
    ];
    assert.deepEqual(sarifRun!.results, [
      {
        ruleId: 'parallax/threshold',
        ruleIndex: 0,
        level: 'error',
        message: {
          text: 'questions, bm25 & <MMR>: MRecall@5 over 2 questions is 50.0, which is below 75.0.',
        },
        locations: location(1),
        partialFingerprints: {
          'parallax/v1': '["threshold","questions","bm25 & <MMR>","MRecall@5 ≥ 75.0"]',
        },
      },
      {
        ruleId: 'parallax/query',
        ruleIndex: 3,
        level: 'warning',
        message: {
          text: 'questions, bm25 & <MMR>: a:b,c\nIs "50%" of {it} <b>true</b> & \\done_?\nReally | ``\nMissed: MRecall@5 ≥ 75.0 (here 0.0).\nNewly lost: It costs $5 ~ 10^2 #1 (First supported at rank 8, below 5)',
        },
        locations: location(7),
        partialFingerprints: { 'parallax/v1': '["query","questions","bm25 & <MMR>","a:b,c"]' },
      },
    ]);
    assert.deepEqual(
      sarifRun!.tool.driver.rules.map(({ id }) => id),
      [
        'parallax/threshold',
        'parallax/judged',
        'parallax/baseline',
        'parallax/query',
        'parallax/perspectives',
        'parallax/documents',
        'parallax/unanswerable',
      ],
    );
  });

  test('every rule has an explanation and advice', () => {
    for (const { shortDescription, fullDescription, help } of sarifRun!.tool.driver.rules)
      for (const { text } of [shortDescription, fullDescription, help]) assert.match(text, /^[A-Z].*\.$/u);
  });

  test('includes undecided checks, gaps and notes', () => {
    const [check] = HOSTILE.checks;
    const checks = [check!, { ...check!, outcome: 'undecided', reason: 'Nobody judged.' } as const];
    const datasets = [{ ...HOSTILE.datasets[0]!, gaps: ['A query is missing.'] }];
    const { runs } = JSON.parse(toSarif({ ...HOSTILE, checks, datasets })) as Log;
    assert.deepEqual(runs[0]!.invocations, [
      {
        executionSuccessful: true,
        toolExecutionNotifications: [
          { level: 'error', message: { text: 'questions: A query is missing.' } },
          { level: 'error', message: { text: 'Nobody judged.' } },
          { level: 'note', message: { text: '8 of 18 judgements are guesses.' } },
        ],
      },
    ]);
  });

  test('reports a failed evaluation', () => {
    assert.equal(sarifRun!.invocations[0]!.executionSuccessful, true);
    const failed = JSON.parse(toSarif(FAILED)) as Log;
    assert.deepEqual(failed.runs[0]!.invocations, [
      {
        executionSuccessful: false,
        toolExecutionNotifications: [{ level: 'error', message: { text: 'The endpoint is down: 100%.' } }],
      },
    ]);
  });
});

describe('HTML', () => {
  let html = '';
  beforeEach(() => void (html = toHtml(HOSTILE)));

  test('has the content of the other formats, as text', () => {
    const body = html.slice(html.indexOf('<body>'));
    assert.equal(
      body,
      `<body>
<main>
<h1>Parallax gate</h1>
<p class="headline missed">Failed: 1 of 2 checks.</p>
<p>k = 5, judge gpt [x](y), 2026-01-02T03:04:05.000Z on 0123456789.</p>
<ul><li>questions: 2 questions of eval/my questions.jsonl on docs (100 passages); 18 of 20 pairs judged: 10 by people, 8 by gpt [x](y) (heuristic).</li><li>8 of 18 judgements are guesses.</li></ul>
<h2>Why</h2>
<ul><li>questions, bm25 &amp; &lt;MMR&gt;: MRecall@5 over 2 questions is 50.0, which is below 75.0.</li></ul>
<div class="scroll" role="region" aria-label="Checks" tabindex="0">
<table>
<caption>Checks</caption>
<thead><tr><th scope="col" class="name">outcome</th><th scope="col" class="name">eval set</th><th scope="col" class="name">pipeline</th><th scope="col" class="name">check</th><th scope="col">value</th><th scope="col">baseline</th><th scope="col">difference</th><th scope="col">95% interval</th><th scope="col">p</th></tr></thead>
<tbody>
<tr><td class="name missed">FAILED</td><td class="name">questions</td><td class="name">bm25 &amp; &lt;MMR&gt;</td><th scope="row" class="name">MRecall@5 ≥ 75.0</th><td>50.0</td><td></td><td></td><td></td><td></td></tr>
<tr><td class="name passed">passed</td><td class="name">questions</td><td class="name">bm25 &amp; &lt;MMR&gt;</td><th scope="row" class="name">MRecall@5 ≥ 50.0 [hard]</th><td>50.0</td><td></td><td></td><td></td><td></td></tr>
</tbody>
</table>
</div>
<div class="scroll" role="region" aria-label="Figures" tabindex="0">
<table>
<caption>Figures</caption>
<thead><tr><th scope="col" class="name">eval set</th><th scope="col" class="name">pipeline</th><th scope="col">MRecall@5</th><th scope="col">Judged@5</th></tr></thead>
<tbody>
<tr><td class="name">questions</td><th scope="row" class="name">bm25 &amp; &lt;MMR&gt;</th><td>50.0</td><td>90.0</td></tr>
</tbody>
</table>
</div>
<p>Figures in percent. Unjudged passages count as not supporting: a figure with ≥ can rise, and a check that depends on them is undecided.</p>
<h2>Questions</h2>
<section><h3>questions, bm25 &amp; &lt;MMR&gt;: a:b,c</h3>
<p>Is &quot;50%&quot; of {it} &lt;b&gt;true&lt;/b&gt; &amp; \\done_?&#10;Really | \`\` <span class="place">eval/my questions.jsonl:7</span></p>
<ul><li>Missed: MRecall@5 ≥ 75.0 (here 0.0).</li><li>Newly lost: It costs $5 ~ 10^2 #1 (First supported at rank 8, below 5)</li></ul></section>
</main>
</body>
</html>
`,
    );
    assert.match(html, /^<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n/u);
    assert.match(html, /<title>Parallax gate: missed<\/title>\n<style>[^<]+<\/style>\n<\/head>\n/u);
  });

  test('has no table or heading for empty parts', () => {
    const failed = toHtml(FAILED);
    assert.equal(
      failed.slice(failed.indexOf('<main>')),
      `<main>
<h1>Parallax gate</h1>
<p class="headline not-evaluated">Not evaluated: The endpoint is down: 100%.</p>
<p>k = 5, judge gpt, now.</p>
</main>
</body>
</html>
`,
    );
  });

  test('loads nothing and runs nothing', () => {
    assert.ok(!/<(?:script|link|img|iframe|object|embed|base)\b/iu.test(html));
    assert.ok(!/\b(?:src|href|on\w+)\s*=/iu.test(html));
    assert.ok(!/@import|url\(/iu.test(html));
    assert.match(
      html,
      /http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/u,
    );
  });

  test('follows the colour scheme and can be printed', () => {
    assert.match(html, /color-scheme: light dark/u);
    assert.match(html, /@media \(prefers-color-scheme: dark\)/u);
    assert.match(html, /@media print/u);
  });

  test('tables have captions, and headers for columns and rows', () => {
    assert.match(html, /<caption>Checks<\/caption>/u);
    assert.match(html, /<th scope="col" class="name">outcome<\/th>/u);
    assert.match(
      html,
      /<tr><td class="name missed">FAILED<\/td><td class="name">questions<\/td><td class="name">bm25 &amp; &lt;MMR&gt;<\/td><th scope="row" class="name">MRecall@5 ≥ 75\.0<\/th><td>50\.0<\/td>/u,
    );
  });
});

test('every output names the source of the judgements and their number', () => {
  for (const text of [toJUnit, toMarkdown, toLatex, toHtml, toSarif].map((format) => format(HOSTILE)))
    assert.match(text, /18 of 20 pairs judged: 10 by people, 8 by gpt/u);
});
