import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { DOMParser } from '@xmldom/xmldom';
import { UsageError } from '../../../src/cli/presentation/terminal.ts';
import { labelWorse, sampleWorkspace, workspace, WORSE } from './gate-support.ts';

const MAIN = { file: '.parallax/baselines/main.json' };

describe('a pull request', () => {
  test('that makes a pipeline worse fails with measure, pipeline and lost perspectives', async (t) => {
    const own = await workspace(t, 8, { baseline: MAIN });
    assert.equal((await own.gate('--accept')).code, 0);
    assert.equal((await own.gate()).code, 0);
    await labelWorse(own, 8);

    await own.configure({ pipelines: { mine: WORSE } });
    const { code, stdout } = await own.gate();
    assert.equal(code, 1);
    assert.match(stdout, /^FAILED +questions +mine +MRecall@2 vs\. baseline +0\.0 +100\.0 +−100\.0 /mu);
    assert.match(
      stdout,
      /^questions, mine: MRecall@2 is 0\.0, in the baseline 100\.0: −100\.0 points \[−100\.0, −26\.1\] on 8 questions \(0 won, 8 lost\), p \.008, significantly worse at α 0\.05\. Changed since the baseline: the pipeline\.$/mu,
    );
    assert.match(stdout, /^ +questions, mine: q3 \(.*questions\.jsonl:3\)$/mu);
    assert.match(stdout, /^ +Newly lost: third \(First supported at rank 3, below 2\)$/mu);
    assert.match(stdout, /^Failed: 1 of 1 check\.$/mu);
  });

  test('is attributed to its cause: a label, a passage, a query', async (t) => {
    const own = await workspace(t, 8, { baseline: { ...MAIN, metrics: ['StRecall@2', 'MRecall@2'] } });
    await own.gate('--accept');
    const changes = async (): Promise<readonly string[]> =>
      (await own.report()).checks[1]!.baseline!.attribution.changes;
    assert.deepEqual(await changes(), []);

    const labels = path.join(own.folder, '.parallax/judgements.jsonl');
    const before = await readFile(labels, 'utf8');
    await appendFile(
      labels,
      '{"v":1,"query":"q1","perspective":"con","perspectiveText":"third","document":"c1","verdict":"no","by":{"kind":"human","name":"Kim"},"at":"2026-02-01T00:00:00Z"}\n',
    );
    assert.deepEqual(await changes(), ['judgements']);
    await writeFile(labels, before);

    await appendFile(path.join(own.folder, 'corpus.jsonl'), '{"_id":"new","text":"something else"}\n');
    assert.deepEqual(await changes(), ['corpus']);
    const questions = path.join(own.folder, 'questions.jsonl');
    await writeFile(questions, (await readFile(questions, 'utf8')).replace('"topic1"', '"topic1 topic1"'));
    assert.deepEqual(await changes(), ['eval set', 'corpus']);
  });

  test('of the sample workspace: thresholds by tag, on real documents', async (t) => {
    const own = await sampleWorkspace(t, {
      pipelines: ['bm25'],
      thresholds: [
        { metric: 'MRecall@5', min: 0.4 },
        { metric: 'StRecall@5', min: 0.6, tag: 'policy' },
      ],
      judged: { min: 0.9 },
    });
    assert.equal((await own.gate()).code, 0);
    await own.configure({
      pipelines: { bm25: { retriever: { type: 'bm25', k1: 0, analyzer: 'whitespace' } } },
    });
    const { code, checks, datasets } = await own.report();
    // Three pairs of one query are unjudged then, and both checks depend on them.
    assert.equal(code, 3);
    assert.deepEqual(
      checks.map(({ metric, tag, outcome, open }) => [metric, tag, outcome, open]),
      [
        ['MRecall@5', undefined, 'undecided', ['school-start-2']],
        ['StRecall@5', 'policy', 'undecided', ['school-start-2']],
        ['Judged@5', undefined, 'passed', undefined],
      ],
    );
    const query = datasets[0]!.pipelines[0]!.queries.find(({ id }) => id === 'school-start-2')!;
    assert.deepEqual([query.missed, query.open, query.unjudged], [[], [0, 1], 3]);
    assert.ok(query.lost.some(({ perspective }) => perspective === 'afternoon-loss'));
  });
});

describe('the baseline', () => {
  test('is the same text for the same figures on another machine, and unchanged without changes', async (t) => {
    const [one, other] = [
      await workspace(t, 4, { baseline: MAIN }),
      await workspace(t, 4, { baseline: MAIN }),
    ];
    await one.gate('--accept');
    await other.gate('--accept', '--store', path.join(other.folder, 'store'));
    const read = (own: typeof one): Promise<string> => readFile(path.join(own.folder, MAIN.file), 'utf8');
    const undated = (text: string): string => text.replace(/"at": ".*"/u, '');
    assert.equal(undated(await read(one)), undated(await read(other)));
    const before = await read(one);
    const { stdout } = await one.gate('--accept');
    assert.match(stdout, /main\.json says the same already\.$/mu);
    assert.equal(await read(one), before);
    assert.deepEqual(await readdir(path.join(one.folder, '.parallax/baselines')), ['main.json']);
  });

  test('is accepted with a note about unjudged pairs', async (t) => {
    const own = await workspace(t, 2, { baseline: MAIN });
    await own.configure({ pipelines: { mine: WORSE } });
    const { code, stderr } = await own.gate('--accept');
    assert.equal(code, 0);
    assert.match(stderr, /^parallax: In "questions" \d of \d+ pairs are judged, .* easy to reach\./mu);
    await labelWorse(own, 2);
    assert.doesNotMatch((await own.gate('--accept')).stderr, /easily/u);
  });

  test('may be given on the command line, with or without one in parallax.json', async (t) => {
    const own = await workspace(t, 2, {});
    const file = path.join(own.folder, 'b.json');
    assert.equal((await own.gate('--accept', '--baseline', file)).code, 0);
    const { checks, baseline } = await own.report('--baseline', file);
    assert.deepEqual(
      checks.map(({ kind, metric }) => [kind, metric]),
      [['baseline', 'MRecall@2']],
    );
    assert.match(baseline!.file, /b\.json$/u);
  });

  test('that is missing or invalid keeps the gate from passing', async (t) => {
    const own = await workspace(t, 2, { baseline: MAIN });
    const missing = await own.report();
    assert.equal(missing.code, 3);
    assert.match(missing.error!, /There is no baseline .*main\.json\. Write one: parallax gate --accept\./u);
    const file = path.join(own.folder, 'b.json');
    await writeFile(file, '{"version": 7}');
    const { code, error } = await own.report('--baseline', file);
    assert.equal(code, 3);
    assert.match(error!, /is a baseline of version 7/u);
  });

  test('has all eval sets, each of which can be checked by its name', async (t) => {
    const own = await workspace(t, 2, { baseline: MAIN });
    await writeFile(
      path.join(own.folder, 'other.jsonl'),
      '{"_id":"o","text":"topic1","perspectives":[{"id":"pro","text":"nobody says so"}]}\n',
    );
    await own.configure({ evalSets: ['questions.jsonl', 'other.jsonl'] });
    const refused = await own.gate('--accept');
    assert.equal(refused.code, 3);
    assert.match(
      refused.stderr,
      /Not accepted as a baseline: nothing retrieved has been judged for "other"\. Label/u,
    );
    assert.ok(!existsSync(path.join(own.folder, MAIN.file)));
    await appendFile(
      path.join(own.folder, '.parallax/judgements.jsonl'),
      '{"v":1,"query":"o","perspective":"pro","perspectiveText":"nobody says so","document":"a1","verdict":"no","by":{"kind":"human","name":"Kim"},"at":"2026-02-01T00:00:00Z"}\n',
    );
    assert.equal((await own.gate('--accept')).code, 0);
    const { datasets, checks } = await own.report('--dataset', 'other');
    assert.deepEqual(
      [datasets.map(({ name }) => name), checks.map(({ dataset }) => dataset)],
      [['other'], ['other']],
    );
    const unknown = await own.gate('--dataset', 'others');
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /There is no eval set "others"\. Available: other, questions\./u);
    await assert.rejects(
      own.gate('--accept', '--dataset', 'other'),
      (error) => error instanceof UsageError && /a baseline has all eval sets/u.test(error.message),
    );
  });

  test('is used at its default path if parallax.json names none, with a gate or without', async (t) => {
    const own = await workspace(t, 1, {});
    assert.equal((await own.gate('--accept')).code, 0);
    const same = await own.report();
    assert.match(same.baseline!.file, /\.parallax\/baselines\/main\.json$/u);
    assert.deepEqual(
      [same.code, same.checks.map(({ kind, outcome }) => [kind, outcome])],
      [
        0,
        [
          ['baseline', 'passed'],
          ['perspectives', 'passed'],
        ],
      ],
    );
    // One lost query is no significant loss of the mean, and whether it is lost is unknown until it is judged.
    await own.configure({ pipelines: { mine: WORSE } });
    const open = await own.report();
    assert.deepEqual([open.code, open.checks.map(({ outcome }) => outcome)], [3, ['undecided', 'undecided']]);
    assert.match(open.checks[1]!.reason, /Label passages, or have a model judge them/u);
    await labelWorse(own, 1);
    const worse = await own.report();
    assert.deepEqual(
      [worse.code, worse.checks.map(({ kind, outcome }) => [kind, outcome])],
      [
        1,
        [
          ['baseline', 'passed'],
          ['perspectives', 'missed'],
        ],
      ],
    );
    await own.configure({ gate: undefined });
    assert.equal((await own.gate()).code, 1);
  });
});

describe('configuration', () => {
  for (const [what, gate, message] of [
    [
      'a pipeline',
      { pipelines: ['nime'], judged: { min: 0 } },
      /gate\.pipelines\.0: there is no pipeline "nime"\. Available: bm25, dense, hybrid, mine\./u,
    ],
    [
      'a measure',
      { thresholds: [{ metric: 'Recal@5', min: 1 }] },
      /gate\.thresholds\.0\.metric: Unknown measure "Recal@5"/u,
    ],
    [
      'a tag',
      { thresholds: [{ metric: 'AP', min: 1, tag: 'hard' }] },
      /gate\.thresholds\.0\.tag: there is no question with the tag "hard"\. Available: easy\./u,
    ],
    [
      'a corpus',
      { corpora: { questions: 'dosc' }, judged: { min: 0 } },
      /gate\.corpora\.questions: there is no corpus "dosc"\. Available: docs\./u,
    ],
    ['a field', { judged: { minimum: 1 } }, /gate\.judged/u],
    ['nothing at all', {}, /gate: demands nothing/u],
  ] as const)
    test(`that names ${what} that does not exist ends in 2 with a sentence`, async (t) => {
      const own = await workspace(t, 1, gate);
      const { code, stderr } = await own.gate();
      assert.equal(code, 2);
      assert.match(stderr, message);
    });

  test('checks a pipeline on the command line like a named one', async (t) => {
    const own = await workspace(t, 4, {});
    await own.configure({ pipelines: { mine: WORSE, other: WORSE } });
    const written = JSON.stringify({ ...WORSE, name: 'captured' });
    const { datasets, code } = await own.report('--pipeline', written, '--pipeline', 'other');
    assert.equal(code, 0);
    const [captured, other] = datasets[0]!.pipelines;
    assert.deepEqual([captured!.name, other!.name], ['captured', 'other']);
    assert.deepEqual(captured!.metrics, other!.metrics);
  });

  test('without a gate, eval sets, or a file', async (t) => {
    const own = await workspace(t, 1, {});
    await own.configure({ gate: undefined });
    const none = await own.gate();
    assert.deepEqual([none.code, /gate: missing/u.test(none.stderr)], [2, true]);
    await own.configure({ gate: { pipelines: ['mine'], judged: { min: 0 } }, evalSets: ['eval/*.jsonl'] });
    const unmatched = await own.gate();
    assert.deepEqual(
      [unmatched.code, /evalSets\.0: no file matches "eval\/\*\.jsonl"/u.test(unmatched.stderr)],
      [2, true],
    );
    await rm(own.config);
    await assert.rejects(
      own.gate(),
      (error) => error instanceof UsageError && /A gate needs one/u.test(error.message),
    );
  });

  for (const [argv, message] of [
    [
      ['--format', 'pdf'],
      /there is no format "pdf"\. Available: table, json, junit, sarif, github, html, markdown, latex/u,
    ],
    [['--format', 'html='], /the file is missing/u],
    [
      ['--format', 'json', '--format', 'junit'],
      /standard output has json already; write --format junit=<file>/u,
    ],
    [['--budget', 'much'], /--budget is like 500/u],
    [['--judge', 'gtp'], /There is no judge "gtp"\. Available: labels, lexical, vscode/u],
    [['--nonsense'], /nonsense/u],
  ] as const)
    test(`wrong usage: ${argv.join(' ')}`, async (t) => {
      const own = await workspace(t, 1, { judged: { min: 0 } });
      await assert.rejects(
        own.gate(...argv),
        (error) => error instanceof UsageError && message.test(error.message),
      );
    });

  test('several eval sets, one on another corpus', async (t) => {
    const own = await workspace(t, 2, {});
    await writeFile(path.join(own.folder, 'small.jsonl'), '{"_id":"a1","text":"topic1"}\n');
    await writeFile(
      path.join(own.folder, 'more.parallax.jsonl'),
      await readFile(path.join(own.folder, 'questions.jsonl')),
    );
    await own.configure({
      corpora: {
        docs: { roots: ['corpus.jsonl'], split: { type: 'none' } },
        little: { roots: ['small.jsonl'], split: { type: 'none' } },
      },
      evalSets: ['questions.jsonl', '*.parallax.jsonl'],
      gate: {
        pipelines: ['mine'],
        k: 2,
        corpora: { more: 'little' },
        thresholds: [{ metric: 'MRecall@2', min: 1 }],
      },
    });
    const { datasets, checks } = await own.report();
    assert.deepEqual(
      datasets.map(({ name, corpus }) => [name, corpus.name, corpus.passages]),
      [
        ['more', 'little', 1],
        ['questions', 'docs', 6],
      ],
    );
    assert.deepEqual(
      checks.map(({ outcome }) => outcome),
      ['missed', 'passed'],
    );
  });
});

describe('judges', () => {
  /** Speaks the protocol of chat completions; answers yes to the first `answers` requests, then fails. */
  async function endpoint(
    t: TestContext,
    answers: number,
    content = JSON.stringify({ verdict: 'yes', evidence: [], reason: 'so' }),
  ): Promise<{ baseUrl: string; requests: () => number }> {
    let requests = 0;
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        requests++;
        if (requests > answers) return void response.writeHead(401).end('{"error":{"message":"no"}}');
        response.writeHead(200, { 'content-type': 'application/json' }).end(
          JSON.stringify({
            choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
          }),
        );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    return {
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      requests: () => requests,
    };
  }

  async function judgedWorkspace(t: TestContext, answers: number, content?: string) {
    const own = await workspace(t, 1, {
      thresholds: [{ metric: 'MRecall@2', min: 1 }],
      pipelines: ['plain'],
    });
    const { baseUrl, requests } = await endpoint(t, answers, content);
    await writeFile(path.join(own.folder, '.parallax/judgements.jsonl'), '');
    await own.configure({
      pipelines: { plain: WORSE },
      judges: { gpt: { type: 'openai', mode: 'pair', baseUrl, model: 'm', maxRetries: 0 } },
      judge: 'gpt',
    });
    process.env['OPENAI_API_KEY'] = 'secret';
    t.after(() => delete process.env['OPENAI_API_KEY']);
    return { own, requests, store: path.join(own.folder, 'store') };
  }

  test('a model is asked only with --judge, about pairs that figures need, and cached in --store', async (t) => {
    const { own, requests, store } = await judgedWorkspace(t, 100);
    const unasked = await own.report('--store', store);
    assert.deepEqual([unasked.code, requests(), unasked.datasets[0]!.judgements.judged], [3, 0, 0]);
    await own.gate('--accept');
    const { stdout, stderr } = await own.gate();
    assert.equal(
      stdout.split('cannot be decided: nothing that was retrieved has been judged').length,
      2,
      'one reason for two checks',
    );
    assert.match(stderr, /^The judge "gpt" was not asked, .* --judge gpt asks it\.$/mu);
    const asked = await own.report('--judge', 'gpt', '--store', store);
    // Two passages and two perspectives.
    assert.deepEqual([asked.code, requests()], [0, 4]);
    assert.deepEqual(asked.datasets[0]!.judgements, {
      judge: 'gpt',
      pairs: 4,
      judged: 4,
      by: [{ source: 'llm', judge: 'gpt', count: 4, heuristic: false }],
    });
    const remembered = await own.report('--store', store);
    assert.deepEqual([remembered.code, requests()], [0, 4]);
  });

  test('a judge with unreadable answers ends in 3, with their number', async (t) => {
    const { own, store } = await judgedWorkspace(t, 100, '');
    const { code, stdout } = await own.gate('--judge', 'gpt', '--store', store, '--format', 'table');
    assert.equal(code, 3);
    assert.match(stdout, /^Not evaluated: 4 of 4 answers could not be read: these pairs stay unjudged\./mu);
    const later = await own.report('--store', store);
    assert.equal(later.datasets[0]!.judgements.judged, 0, 'nothing was kept as a verdict');
  });

  test('a failing endpoint ends in 3, in every output', async (t) => {
    const { own } = await judgedWorkspace(t, 0);
    const file = path.join(own.folder, 'out.xml');
    const { code, stdout } = await own.gate(
      '--judge',
      'gpt',
      '--format',
      `junit=${file}`,
      '--format',
      'table',
    );
    assert.equal(code, 3);
    assert.match(
      stdout,
      /^Not evaluated: The judge "gpt" left \d pairs? of the question "q1" unanswered\. .+/mu,
    );
    const document = new DOMParser().parseFromString(await readFile(file, 'utf8'), 'text/xml');
    assert.equal(document.getElementsByTagName('error').length, 1);
    assert.ok(!stdout.includes('secret'));
  });

  test('a used-up budget ends in 3, and answers are kept', async (t) => {
    const { own, requests, store } = await judgedWorkspace(t, 100);
    await own.configure({
      judges: {
        gpt: {
          ...(JSON.parse(await readFile(own.config, 'utf8')) as { judges: { gpt: object } }).judges.gpt,
          concurrency: 1,
        },
      },
    });
    const spent = await own.report('--judge', 'gpt', '--budget', '3', '--store', store);
    assert.deepEqual([spent.code, requests()], [3, 3]);
    assert.match(spent.error!, /The budget ran out before all pairs were judged/u);
    const rest = await own.report('--judge', 'gpt', '--store', store);
    assert.deepEqual([rest.code, requests()], [0, 4]);
  });

  test('no gate uses guesses: without labels all is unjudged, and the heuristic is refused', async (t) => {
    const own = await workspace(t, 1, { thresholds: [{ metric: 'MRecall@2', min: 1 }], judge: 'lexical' });
    await writeFile(path.join(own.folder, '.parallax/judgements.jsonl'), '');
    const { judge, datasets, notes } = await own.report();
    assert.match(
      notes.join(),
      /^Nothing retrieved for "[^"]+" has been judged: its coverage figures mean nothing yet\./u,
    );
    const { stdout } = await own.gate('--format', 'table');
    assert.match(stdout, /MRecall@2 cannot be decided: nothing that was retrieved has been judged\./u);
    assert.match(stdout, /^Undecided: /mu);
    assert.doesNotMatch(stdout, /Lost:/u);
    const { judgements, pipelines } = datasets[0]!;
    assert.deepEqual(
      [judge, judgements.judge, judgements.judged, judgements.by],
      ['labels', 'labels', 0, []],
    );
    const places = pipelines.flatMap(({ queries }) =>
      queries.flatMap(({ lost }) => lost.map(({ where }) => where)),
    );
    assert.deepEqual(new Set(places), new Set(['unjudged']));
    await assert.rejects(
      own.report('--judge', 'lexical'),
      /guesses by shared words, and no gate rests on guesses/u,
    );
  });
});

test('a missing corpus ends in 3', async (t) => {
  const own = await workspace(t, 1, { judged: { min: 0 } });
  await rm(path.join(own.folder, 'corpus.jsonl'));
  const { code, error } = await own.report();
  assert.equal(code, 3);
  assert.ok(error!.length > 0);
});

test('all formats are written at once, with their folders, and a summary of the job', async (t) => {
  const own = await workspace(t, 2, { thresholds: [{ metric: 'MRecall@2', min: 1 }] });
  await labelWorse(own, 2);
  await own.configure({ pipelines: { mine: WORSE } });
  const out = path.join(own.folder, 'out/reports');
  const summary = path.join(own.folder, 'summary.md');
  await writeFile(summary, 'Before.\n');
  process.env['GITHUB_STEP_SUMMARY'] = summary;
  t.after(() => delete process.env['GITHUB_STEP_SUMMARY']);
  const files = ['json', 'junit', 'sarif', 'html', 'markdown', 'latex', 'table'];
  const { code, stdout } = await own.gate(
    ...files.flatMap((format) => ['--format', `${format}=${path.join(out, format)}`]),
    ...['--format', 'github'],
  );
  assert.equal(code, 1);
  assert.deepEqual((await readdir(out)).sort(), files.toSorted());
  assert.match(stdout, /^::error file=.*questions\.jsonl,line=1,title=mine%3A MRecall@2 ≥ 100\.0::/mu);
  assert.match(stdout, /^::warning file=.*questions\.jsonl,line=2,title=mine%3A q2::topic2%0AMissed: /mu);
  assert.match(await readFile(summary, 'utf8'), /^Before\.\n# Parallax gate\n/u);
});

test('help', async (t) => {
  const own = await workspace(t, 1, {});
  const { code, stdout } = await own.gate('--help');
  assert.equal(code, 0);
  assert.match(
    stdout,
    /Exit code 0: passed\. 1: a check was missed\. 2: wrong usage or configuration\. 3: /u,
  );
});
