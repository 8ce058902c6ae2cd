/** `parallax judge validate` in this process: real files, real judges, a scripted model server. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { judgeCommand } from '../../../src/cli/commands/judging/judge-command.ts';
import { UsageError } from '../../../src/cli/presentation/terminal.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { textHash } from '../../../src/engine/text-sums.ts';
import {
  validationReportSchema,
  type ValidationReport,
} from '../../../src/features/validation/core/report.ts';
import {
  argumentReply,
  verdictReply,
  type ChatReply,
  type ChatRequest,
} from '../../fixtures/model-server.ts';
import { serverFor } from '../judges/support.ts';

const LABELS = '../shared/data/berds/perspective-detection.jsonl';
const skip = existsSync(LABELS) ? false : 'cannot run here: ../shared/data is absent';

const folder = mkdtempSync(path.join(tmpdir(), 'parallax-validate-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const place = (name: string) => path.join(folder, name);
function file(name: string, lines: readonly unknown[]): string {
  mkdirSync(path.dirname(place(name)), { recursive: true });
  writeFileSync(
    place(name),
    lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
  );
  return place(name);
}

async function validate(...argv: string[]) {
  let stdout = '';
  let stderr = '';
  const code = await judgeCommand(['validate', ...argv], {
    stdout: (text) => (stdout += text),
    stderr: (text) => (stderr += text),
  });
  return { code, stdout, stderr };
}

async function report(...argv: string[]): Promise<ValidationReport & { readonly code: number }> {
  const { code, stdout } = await validate(...argv, '--json', '-');
  return { ...validationReportSchema.parse(JSON.parse(stdout)), code };
}

/** Pairs whose passage contains the model's answer: `says yes`, `says no`, … */
const pairs = file(
  'pairs.jsonl',
  [
    ['yes', 1, 'support'],
    ['yes', 1, 'oppose'],
    ['no', 1, 'oppose'],
    ['no', 0, 'support'],
    ['no', 0, 'oppose'],
    ['yes', 0, 'support'],
    ['unsure', 1, 'support'],
    ['nothing', 0, 'support'],
  ].map(([says, label, stance], index) => ({
    question: 'Why?',
    document: `Passage ${index} says ${says}.`,
    perspective: stance === 'support' ? 'It is.' : 'It is not.',
    label,
    stance,
  })),
);

/** Answers as the passage says. */
function obedient({ messages }: ChatRequest): ChatReply {
  const says = /Passage \d+ says (\w+)\./.exec(messages[1]!.content)?.[1];
  if (says === 'yes' || says === 'no' || says === 'unsure') return verdictReply(says);
  return { text: 'I would rather not say.' };
}

const openai = (url: string, model = 'small') =>
  JSON.stringify({
    type: 'openai',
    mode: 'pair',
    baseUrl: url,
    model,
    maxRetries: 0,
    key: 'validation-test',
  });

describe('on the 278 pairs of BERDS', { skip }, () => {
  test('the lexical heuristic: accuracy 75.9, F1 33.7, κ 0.19, as in the README', async () => {
    const { judges, labels, baselines, reference, referenceNote } = await report(
      ...['--labels', LABELS, '--judge', 'lexical'],
    );
    const [lexical] = judges;
    assert.equal(lexical?.judge, 'lexical');
    assert.equal(lexical.heuristic, true);
    assert.equal(lexical.pairs, 278);
    assert.equal(lexical.accuracy!.toFixed(3), '0.759');
    assert.equal(lexical.f1!.toFixed(3), '0.337');
    assert.equal(lexical.kappa!.toFixed(2), '0.19');
    assert.deepEqual([lexical.escalated, lexical.unparsed, lexical.failed], [0, 0, 0]);
    assert.deepEqual([labels.by, labels.pairs, labels.yes, labels.no], ['people', 278, 46, 232]);
    assert.equal(lexical.byPerspective.length, 30);
    assert.equal(
      lexical.byPerspective.reduce((sum, part) => sum + part.pairs, 0),
      278,
    );
    const alwaysNo = baselines.find(({ baseline }) => baseline === 'always no');
    assert.equal(alwaysNo?.accuracy?.toFixed(3), '0.835');
    assert.ok(
      reference.some(({ source, method }) => source === 'BERDS Table 4' && method === 'GPT-4 (one-shot)'),
    );
    assert.match(referenceNote, /other data/);
  });

  test('the text has figures with intervals, and the papers below as other data', async () => {
    const { code, stdout } = await validate('--labels', LABELS, '--judge', 'lexical');
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^278 labelled pairs of .*perspective-detection\.jsonl, 46 of them labelled as support \(16\.5%\)\.$/m,
    );
    assert.match(
      stdout,
      /^lexical, Lexical heuristic \(offline\) +278 +19\.8% +75\.9% \[7\d\.\d%, 8\d\.\d%\] .* 33\.7% \[.* 0\.19 \[/m,
    );
    assert.match(stdout, /^guess: always no +0\.0% +83\.5% +0\.0%$/m);
    assert.ok(stdout.indexOf('measured on other data') > stdout.indexOf('guess: always no'));
    assert.match(stdout, /^Mistral-7B \(zero-shot\) .* BERDS Table 4 +19\.2% +82\.2% +52\.0%$/m);
  });

  test('--limit takes the same pairs every time, not just the first questions', async () => {
    const argv = ['--labels', LABELS, '--judge', 'lexical', '--limit', '40'];
    const first = await report(...argv);
    assert.equal(first.judges[0]?.pairs, 40);
    assert.ok(first.judges[0].byPerspective.length > 15);
    assert.deepEqual((await report(...argv)).judges[0]?.confusion, first.judges[0].confusion);
  });
});

test('a chat model: figures, unsure, unparsed, stances, cost', async (t) => {
  const server = await serverFor(t, { chat: obedient });
  const { code, judges } = await report('--labels', pairs, '--judge', openai(server.url));
  const [judge] = judges;
  assert.equal(code, 0);
  assert.equal(judge?.judge, 'openai small');
  assert.deepEqual(judge.confusion, {
    yes: { yes: 2, no: 1, unsure: 1, unparsed: 0, escalated: 0 },
    no: { yes: 1, no: 2, unsure: 0, unparsed: 1, escalated: 0 },
  });
  assert.deepEqual([judge.pairs, judge.accuracy, judge.recall.yes, judge.recall.no], [8, 0.5, 0.5, 0.5]);
  assert.deepEqual([judge.unsure, judge.unparsed, judge.positiveShare], [0.125, 0.125, 0.375]);
  assert.deepEqual(
    judge.byStance.map(({ stance, pairs: count, accuracy }) => [stance, count, accuracy]),
    [
      ['support', 5, 0.4],
      ['oppose', 3, 2 / 3],
    ],
  );
  assert.deepEqual([judge.cost.asked, judge.cost.cached], [8, 0]);
  assert.ok(judge.cost.requests! >= 1 && judge.cost.promptTokens! >= 100);
  assert.ok(judge.latency.median! >= 0 && judge.latency.p95! >= judge.latency.median!);
});

test('several judges side by side, each once', async (t) => {
  const server = await serverFor(t, { chat: obedient });
  const judgesGiven = ['--judge', openai(server.url), '--judge', openai(server.url), '--judge', 'lexical'];
  const { judges } = await report('--labels', pairs, ...judgesGiven);
  assert.deepEqual(
    judges.map(({ judge }) => judge),
    ['openai small', 'openai small 2', 'lexical'],
  );
});

test('against a stronger judge: its answers are the labels, and the file needs none', async (t) => {
  const unlabelled = file(
    'unlabelled.jsonl',
    ['yes', 'yes', 'no', 'unsure', 'no'].map((says, index) => ({
      document: `Passage ${index} says ${says}.`,
      perspective: 'It is.',
    })),
  );
  const server = await serverFor(t, {
    chat: (request) => (request.body['model'] === 'strong' ? obedient(request) : verdictReply('yes')),
  });
  const { judges, labels, reference } = await report(
    ...['--labels', unlabelled, '--judge', openai(server.url), '--reference', openai(server.url, 'strong')],
  );
  assert.deepEqual(
    [labels.by, labels.judge, labels.pairs, labels.yes, labels.unsure],
    ['judge', 'openai strong', 4, 2, 1],
  );
  assert.deepEqual([judges[0]?.pairs, judges[0]?.accuracy, judges[0]?.recall.no], [4, 0.5, 0]);
  assert.equal(server.chatRequests.length, 9, 'five for the reference, four for the judge');
  assert.ok(reference.every(({ source }) => source === 'BERDS Table 18'));
  await assert.rejects(
    validate('--labels', unlabelled, '--judge', 'lexical'),
    (error) => ParallaxError.is(error, 'bad-argument') && /labelled yes or no/.test(error.message),
  );
});

test('repeats ask again, cached or not, and show how often the answer was the same', async (t) => {
  let count = 0;
  const server = await serverFor(t, {
    // The first pair gets another answer every time.
    chat: (request) =>
      /Passage 0 /.test(request.messages[1]!.content)
        ? verdictReply(count++ % 2 === 0 ? 'yes' : 'no')
        : obedient(request),
  });
  const store = place('repeats');
  mkdirSync(store);
  const argv = ['--labels', pairs, '--judge', openai(server.url), '--store', store];
  const first = await report(...argv);
  assert.equal(first.judges[0]?.consistency, null);
  const asked = server.chatRequests.length;
  const again = await report(...argv);
  assert.equal(server.chatRequests.length, asked, 'everything is remembered');
  assert.deepEqual([again.judges[0]?.cost.asked, again.judges[0]?.cost.cached], [0, 8]);
  assert.equal(again.judges[0]?.latency.amortised, null);
  const repeated = await report(...argv, '--repeats', '3');
  assert.equal(server.chatRequests.length, asked + 2 * asked);
  assert.deepEqual(repeated.judges[0]?.consistency, { repeats: 3, pairs: 8, same: 7, share: 0.875 });
  assert.deepEqual(repeated.judges[0].confusion, first.judges[0]?.confusion, 'the figures are the first run');
});

test('a debate: disagreement is escalated, and separate from decided pairs', async (t) => {
  // One agent is obedient, the other one always says yes. About passage 5 both say no once they are swapped.
  const server = await serverFor(t, {
    chat: ({ messages, body }) => {
      const asked = messages[1]!.content;
      const [, number, says] = /Passage (\d+) says (\w+)\./.exec(asked) ?? [];
      const isA = body['model'] === 'a';
      const swapped = asked.includes('initial stance: the passage does not support') === isA;
      if (number === '5' && swapped) return argumentReply('no');
      return argumentReply(isA && says === 'no' ? 'no' : 'yes');
    },
  });
  const agent = (model: string) => ({
    type: 'openai',
    mode: 'pair',
    baseUrl: server.url,
    model,
    maxRetries: 0,
  });
  const config = file('debate.json', [
    {
      judges: {
        a: agent('a'),
        b: agent('b'),
        debate: { type: 'debate', agents: ['a', 'b'] },
        lasting: { type: 'debate', agents: ['a', 'b'], continueTo: 3 },
        alone: { type: 'debate', agents: 'a' },
        adjudicated: { type: 'debate', agents: ['a', 'b'], adjudicator: 'a' },
      },
    },
  ]);
  const argv = ['--labels', pairs, '--config', config];
  const { judges } = await report(...argv, '--judge', 'debate', '--judge', 'adjudicated', '--swap');
  const [debate, adjudicated] = judges;
  // They disagree on the three passages that say no; one of these is labelled yes.
  assert.deepEqual(debate?.confusion, {
    yes: { yes: 3, no: 0, unsure: 0, unparsed: 0, escalated: 1 },
    no: { yes: 2, no: 0, unsure: 0, unparsed: 0, escalated: 2 },
  });
  assert.equal(debate.escalated, 3 / 8);
  assert.deepEqual([debate.pairs, debate.accuracy], [5, 0.6]);
  assert.deepEqual(
    [debate.allCases.pairs, debate.allCases.accuracy, debate.allCases.decidedByReference],
    [8, 6 / 8, 3],
  );
  assert.deepEqual(debate.debateRounds[0], { round: 1, agreed: 5, spurious: 2, spuriousShare: 0.4 });
  assert.deepEqual(debate.swappedOrder, { pairs: 5, same: 4, share: 0.8, yesToNo: 1, noToYes: 0 });
  // The adjudicator follows the passage: two of three are right.
  assert.deepEqual(adjudicated?.confusion, debate.confusion);
  assert.deepEqual(
    [
      adjudicated.allCases.adjudicated,
      adjudicated.allCases.decidedByReference,
      adjudicated.allCases.accuracy,
    ],
    [3, 0, 5 / 8],
  );
  const lasting = (await report(...argv, '--judge', 'lasting')).judges[0]!;
  assert.deepEqual(
    [lasting.confusion, lasting.persistence.map(({ debates, consensus }) => [debates, consensus])],
    // About passage 5 the agents no longer agree.
    [debate.confusion, [5, 4, 4].map((consensus) => [5, consensus])],
  );
  assert.deepEqual(
    [debate.persistence, lasting.persistence.map(({ spurious }) => spurious)],
    [[], [2, 1, 1]],
  );
  const { stdout } = await validate(...argv, '--judge', 'debate');
  assert.match(stdout, /^debate, Debate of .* 8 +0 +3 +75\.0%/m);
  for (const [judge, why] of [
    ['alone', /same model/],
    ['a', /not a debate/],
  ] as const)
    await assert.rejects(
      validate(...argv, '--judge', judge, '--swap'),
      (error) => ParallaxError.is(error, 'bad-argument') && why.test(error.message),
    );
});

test('a server that stops midway: figures on answered pairs, the rest counted, exit code 1', async (t) => {
  const server = await serverFor(t, {
    chat: (request) =>
      request.index < 4 ? obedient(request) : { fault: 'status', status: 401, message: 'No longer' },
  });
  const serial = JSON.stringify({ ...(JSON.parse(openai(server.url)) as object), concurrency: 1 });
  const { code, stdout, stderr } = await validate('--labels', pairs, '--judge', serial, '--json', '-');
  assert.equal(code, 1);
  const [judge] = validationReportSchema.parse(JSON.parse(stdout)).judges;
  assert.deepEqual([judge?.pairs, judge?.failed], [4, 4]);
  assert.match(judge!.error!, /No longer/);
  assert.match(stderr, /^openai small: 4 pairs have no answer\./m);
});

test('a reference without any answer is an error, not a report', async (t) => {
  const server = await serverFor(t, { chat: [{ fault: 'status', status: 401 }] });
  await assert.rejects(
    validate('--labels', pairs, '--judge', 'lexical', '--reference', openai(server.url)),
    (error) => ParallaxError.is(error, 'model-key'),
  );
});

test('the key is read from the environment, and written nowhere', async (t) => {
  process.env['VALIDATION-TEST_API_KEY'] = 'sk-secret-9';
  t.after(() => delete process.env['VALIDATION-TEST_API_KEY']);
  const server = await serverFor(t, { chat: obedient, key: 'sk-secret-9' });
  const store = place('keys');
  mkdirSync(store);
  const { code, stdout, stderr } = await validate(
    ...['--labels', pairs, '--judge', openai(server.url), '--store', store, '--json', place('keys.json')],
  );
  assert.equal(code, 0);
  assert.ok(!`${stdout}${stderr}${readFileSync(place('keys.json'), 'utf8')}`.includes('sk-secret-9'));
});

test('labels of several people: the majority is the reference, conflicts are listed', async () => {
  const said = (document: string, by: string, label: string) => ({
    question: 'Why?',
    document,
    perspective: 'Cats sleep most of the day.',
    label,
    by,
  });
  const labels = file('people.jsonl', [
    said('Cats sleep most of the day.', 'ann', 'yes'),
    said('Cats sleep most of the day.', 'bob', 'yes'),
    said('Cats sleep most of the day.', 'cid', 'no'),
    said('Dogs bark.', 'ann', 'no'),
    said('Dogs bark.', 'bob', 'no'),
    said('Cats hunt.', 'ann', 'yes'),
    said('Cats hunt.', 'bob', 'no'),
  ]);
  const { judges, labels: counts, people } = await report('--labels', labels, '--judge', 'lexical');
  assert.deepEqual([counts.pairs, counts.yes, counts.no, counts.unsure], [2, 1, 1, 1]);
  assert.equal(judges[0]?.accuracy, 1);
  assert.deepEqual(
    people?.pairs.map(({ first, second, items, observed }) => [first, second, items, observed]),
    [
      ['ann', 'bob', 3, 2 / 3],
      ['ann', 'cid', 1, 0],
      ['bob', 'cid', 1, 0],
    ],
  );
  assert.deepEqual(
    people.conflicts.map(({ passage, votes }) => [
      passage,
      votes.map(({ person, verdict }) => `${person} ${verdict}`),
    ]),
    [['Cats hunt.', ['ann yes', 'bob no']]],
  );
  const { stdout } = await validate('--labels', labels, '--judge', 'lexical');
  assert.match(stdout, /^ann and bob +3 +66\.7% /m);
  assert.match(stdout, /^All 3, Fleiss' κ +3 /m);
  assert.match(
    stdout,
    /Without a majority.*[^]*Cats sleep most of the day\. +Cats hunt\. +ann: yes, bob: no\n/u,
  );
});

describe("a workspace's own labels", () => {
  const text = 'Cats sleep most of the day.';
  file('workspace/docs/cats.md', [text]);
  file('workspace/docs/dogs.md', ['Dogs follow people.']);
  const label = (document: string, verdict: string, more: object = {}) => ({
    v: 1,
    query: 'q',
    perspective: 'p1',
    perspectiveText: 'Cats sleep most of the day.',
    document,
    verdict,
    by: { kind: 'human', name: 'ann' },
    at: '2026-01-01T00:00:00Z',
    ...more,
  });
  const labels = file('workspace/.parallax/judgements.jsonl', [
    label('docs/cats.md', 'yes', { quote: 'Cats sleep' }),
    label('docs/dogs.md', 'no'),
    label('docs/gone.md', 'yes', { hash: textHash('gone') }),
    '<<<<<<< HEAD',
  ]);
  const config = file('workspace/parallax.json', [{ corpora: { pets: { roots: ['docs'] } } }]);
  const evalSet = file('workspace/queries.jsonl', [
    {
      _id: 'q',
      text: 'Do cats sleep?',
      perspectives: [{ id: 'p1', text: 'cats sleep most of the day', stance: 'support' }],
    },
  ]);

  test('by a corpus of parallax.json, with stances from an eval set', async () => {
    const {
      judges,
      labels: counts,
      warnings,
    } = await report(
      ...[
        '--labels',
        labels,
        '--judge',
        'lexical',
        '--config',
        config,
        '--corpus',
        'pets',
        '--queries',
        evalSet,
      ],
    );
    assert.deepEqual([counts.pairs, counts.yes, counts.no], [2, 1, 1]);
    assert.equal(judges[0]?.accuracy, 1);
    assert.deepEqual(
      judges[0].byStance.map(({ stance, pairs: count }) => [stance, count]),
      [['support', 2]],
    );
    assert.equal(warnings.length, 2);
    assert.match(warnings[0]!, /^Line 4: left by a merge/);
    assert.match(warnings[1]!, /no passage is found/);
  });

  test('without a corpus, the message names what is missing', async () => {
    await assert.rejects(
      validate('--labels', labels, '--judge', 'lexical'),
      (error) => ParallaxError.is(error, 'bad-argument') && /which corpus/.test(error.message),
    );
  });
});

test('an invalid line is named with its number, and the rest is used', async () => {
  const labels = file('bad-lines.jsonl', [
    { document: 'A.', perspective: 'B.', label: 1 },
    { document: 'A.', perspective: 'B.', label: 3 },
    { document: 'C.', perspective: 'D.', label: 0 },
  ]);
  const { code, stdout, stderr } = await validate('--labels', labels, '--judge', 'lexical', '--json', '-');
  assert.equal(code, 0);
  assert.match(stderr, /^warning: .*bad-lines\.jsonl: Line 2: label: expected 0, 1, .*; skipped\.$/m);
  assert.equal(validationReportSchema.parse(JSON.parse(stdout)).judges[0]?.pairs, 2);
});

test('JSON into a file, the tables on standard output; --help', async () => {
  const { stdout } = await validate('--labels', pairs, '--judge', 'lexical', '--json', place('out.json'));
  assert.match(stdout, /^8 labelled pairs of /);
  assert.equal(
    validationReportSchema.parse(JSON.parse(readFileSync(place('out.json'), 'utf8'))).judges.length,
    1,
  );
  assert.match((await validate('--help')).stdout, /^parallax judge validate --labels/);
});

describe('wrong usage', () => {
  const given = ['--labels', 'l', '--judge', 'lexical'];
  const cases: [RegExp, string[]][] = [
    [/^--labels is missing\.$/, ['--judge', 'lexical']],
    [/^--judge is missing\.$/, ['--labels', 'l']],
    [
      /^There is no judge "oracle"\. Available: lexical\. JSON is accepted, too\.$/,
      [...given, '--judge', 'oracle'],
    ],
    [/^There is no judge "labels"/, ['--labels', 'l', '--judge', 'labels']],
    [/^--judge is not valid JSON/, ['--labels', 'l', '--judge', '{lexical']],
    [/^--judge: .*type/, ['--labels', 'l', '--judge', '{"type":"oracle"}']],
    [/^--reference: model/, [...given, '--reference', '{"type":"openai"}']],
    [/^--judge names "lexical" twice\.$/, [...given, '--judge', 'lexical']],
    [/^--repeats takes a whole number from 1, not "0"\.$/, [...given, '--repeats', '0']],
    [/^--limit takes a whole number from 1, not "some"\.$/, [...given, '--limit', 'some']],
    [/^Unknown option '--labls'\.$/, ['--labls', 'l']],
  ];
  for (const [sentence, argv] of cases)
    test(`parallax judge validate ${argv.join(' ')}`, () =>
      assert.rejects(
        validate(...argv),
        (error) => error instanceof UsageError && sentence.test(error.message),
      ));

  test('an unknown subcommand is refused', async () => {
    const io = { stdout: () => undefined, stderr: () => undefined };
    for (const argv of [[], ['condemn']])
      await assert.rejects(
        judgeCommand(argv, io),
        (error) => error instanceof UsageError && /validate/.test(error.message),
      );
  });

  test('a missing file, or one of another kind, is refused', async () => {
    await assert.rejects(
      validate('--labels', place('nowhere.jsonl'), '--judge', 'lexical'),
      (error) => ParallaxError.is(error, 'not-found') && /nowhere\.jsonl/.test(error.message),
    );
    await assert.rejects(
      validate('--labels', file('run.txt', ['q Q0 d 1 1 t']), '--judge', 'lexical'),
      (error) => ParallaxError.is(error, 'bad-file') && /run\.txt: Not a file of labels/.test(error.message),
    );
  });
});
