/** `parallax build` and its subcommands, over a scripted model. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { buildCommand } from '../../../src/features/building/cli/build-command.ts';
import { parseDrafts } from '../../fixtures/parse-drafts.ts';
import { parseLabelledPairs } from '../../../src/core/formats/labelled-pairs.ts';
import { parseEvalSet } from '../../../src/core/formats/queries.ts';
import { askingOf, quarrels, usualReply } from '../building/support.ts';
import { startModelServer, type ModelServer } from '../../fixtures/model-server.ts';
import { lines, run } from './support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

interface Setup {
  readonly folder: string;
  readonly server: ModelServer;
  /** The model of the tests, as JSON. */
  readonly model: string;
  readonly out: string;
}

async function setUp(t: TestContext, onRequest: () => void = () => undefined): Promise<Setup> {
  const folder = temporaryFolder(t);
  mkdirSync(path.join(folder, 'docs'));
  for (const [name, text] of Object.entries(quarrels(['topica', 'topicb'])))
    writeFileSync(path.join(folder, name), text);
  const server = await startModelServer({
    chat: (request) => {
      onRequest();
      return usualReply(askingOf(request));
    },
  });
  t.after(() => server.close());
  const model = JSON.stringify({
    type: 'openai',
    mode: 'pair',
    baseUrl: server.url,
    model: 'm',
    maxRetries: 0,
  });
  return { folder, server, model, out: path.join(folder, 'drafts.jsonl') };
}

const draftsIn = (file: string) => parseDrafts(readFileSync(file, 'utf8'), file).drafts;

test('a corpus becomes an eval set without an editor', async (t) => {
  const { folder, server, model, out } = await setUp(t);
  const docs = path.join(folder, 'docs');
  const argv = ['--from', 'corpus', '--corpus', docs, '--generator', model, '--judge', model, '--out', out];
  const built = await run(buildCommand, ...argv);
  assert.equal(built.code, 0);
  assert.match(
    built.stderr,
    /20 drafts wanted: 20 requests to m at .* and up to 80 pairs to judge.*at most 200 requests/,
  );
  assert.match(
    built.stdout,
    /^Nothing is left to make drafts from\. Requests: \d+\.\nDrafts added to .*: 2\. Waiting there for review: 2\./,
  );
  const requests = server.requests.length;
  const again = await run(buildCommand, ...argv);
  assert.equal(server.requests.length, requests, 'replies are kept beside the drafts');
  assert.match(again.stdout, /Requests: 0\.\nDrafts added to .*: 0\./);

  writeFileSync(out, readFileSync(out, 'utf8').replace('"proposed"', '"accepted"'));
  const evalSet = path.join(folder, 'eval.parallax.jsonl');
  const labels = path.join(folder, 'labels.jsonl');
  const accepted = await run(buildCommand, 'accept', out, '--out', evalSet, '--labels', labels);
  assert.match(
    accepted.stdout,
    /^Accepted drafts appended to .*: 1 \(0 were there\)\. Waiting for review: 1\.\nLabels appended to .*: 4\./,
  );
  const { queries, warnings } = parseEvalSet(readFileSync(evalSet, 'utf8'), 'e');
  assert.deepEqual(warnings, []);
  assert.equal(queries[0]!.text, draftsIn(out)[0]!.text);
  assert.match((await run(buildCommand, 'accept', out, '--out', evalSet)).stdout, /: 0 \(1 were there\)/);
});

test('a log without a corpus; the budget ends it with exit code 3, and a second run continues', async (t) => {
  const { folder, server, model, out } = await setUp(t);
  const input = path.join(folder, 'log.csv');
  writeFileSync(input, 'who,q\n1,Are cats fun?\n2,are CATS fun\n3,Have you ever swum?\n4,Is rain wet?\n5,\n');
  const argv = ['--from', 'log', '--input', input, '--field', 'q', '--generator', model, '--out', out];
  const first = await run(buildCommand, ...argv, '--budget', 'requests=3');
  assert.equal(first.code, 3);
  assert.equal(server.requests.length, 3);
  assert.match(first.stderr, /warning: Line 6: /);
  assert.match(first.stderr, /4 questions read, 3 of them different, 0 proposed before\./);
  assert.match(first.stdout, /The budget is spent; run the command again/);
  const rest = await run(buildCommand, ...argv, '--json', '-');
  assert.equal(rest.code, 0);
  assert.equal((JSON.parse(rest.stdout) as { end: string }).end, 'exhausted');
  assert.equal(server.requests.length, 5);
  assert.deepEqual(
    draftsIn(out)
      .map(({ text, review }) => `${review} ${text}`)
      .sort(),
    ['filtered Have you ever swum?', 'proposed Are cats fun?', 'proposed Is rain wet?'],
  );
});

test('a cancelled run keeps its drafts, and the exit code is 1', async (t) => {
  const controller = new AbortController();
  const { folder, server, model, out } = await setUp(t, () => {
    if (server.requests.length === 6) controller.abort();
  });
  const input = path.join(folder, 'list.txt');
  writeFileSync(input, Array.from({ length: 9 }, (_, i) => `Is number ${i} odd?\n`).join(''));
  const io = { stdout: () => undefined, stderr: () => undefined };
  const argv = [
    '--from',
    'questions',
    '--input',
    input,
    '--generator',
    model,
    '--keep-personal',
    '--out',
    out,
  ];
  assert.equal(await buildCommand(argv, io, controller.signal), 1);
  const done = draftsIn(out).length;
  assert.ok(done > 0 && done < 9, String(done));
  await assert.rejects(buildCommand(argv, io, controller.signal), /Cancelled/);
  assert.equal(await buildCommand(argv, io, new AbortController().signal), 0);
  assert.equal(draftsIn(out).length, 9);
});

test('a label set as pairs that judge validate accepts once they are labelled', async (t) => {
  const { folder } = await setUp(t);
  const queries = path.join(folder, 'q.jsonl');
  const perspectives = [{ id: 'p1', text: 'It is good.', stance: 'support' }, 'It is bad.'];
  writeFileSync(queries, lines([{ _id: 'q', text: 'topica?', perspectives }]));
  const docs = path.join(folder, 'docs');
  const argv = [
    'labels',
    '--corpus',
    docs,
    '--queries',
    queries,
    '--pipeline',
    'bm25',
    '--pipeline',
    'dense',
  ];
  const { stdout, stderr, code } = await run(buildCommand, ...argv, '--out', '-', '--k', '2');
  assert.equal(code, 0);
  const { pairs, warnings } = parseLabelledPairs(stdout);
  assert.deepEqual(warnings, []);
  assert.match(stderr, new RegExp(`${pairs.length} pairs to label`));
  assert.ok(pairs.length >= 4);
  assert.ok(pairs.every(({ verdict }) => verdict === undefined));
  assert.equal(pairs[0]!.stance, 'support');
});

test('wrong usage is reported in one sentence', async (t) => {
  const { folder, model, out } = await setUp(t);
  const base = ['--generator', model, '--out', out];
  for (const [argv, message] of [
    [base, /--from is missing/],
    [['--from', 'web', ...base], /--from is corpus, questions or log, not "web"/],
    [['--from', 'corpus', ...base], /--corpus is missing/],
    [['--from', 'corpus', '--corpus', folder, '--input', 'x', ...base], /--input does not go with/],
    [['--from', 'log', ...base], /--input is missing/],
    [
      ['--from', 'log', '--input', 'x', '--perspectives', 'all', ...base],
      /--perspectives is negation, answers/,
    ],
    [['--from', 'log', '--input', 'x', '--perspectives', 'contrast', ...base], /--corpus is missing/],
    [['--from', 'log', '--input', 'x', '--judge', model, ...base], /--judge is of use with/],
    [['--from', 'log', '--input', 'x', '--count', '0', ...base], /--count is a whole number/],
    [['--from', 'log', '--input', 'x', '--budget', 'tokens=1', ...base], /--budget counts requests/],
    [['--from', 'log', '--input', 'x', '--out', out], /--generator is missing/],
    [['--from', 'log', '--input', 'x', '--generator', 'nobody', '--out', out], /no judge "nobody"/],
    [['--from', 'log', '--input', 'x', '--generator', model], /--out is missing/],
    [['accept', '--out', out], /Name one file of drafts/],
    [['accept', out], /--out is missing/],
    [['labels', '--corpus', folder], /--pipeline is missing/],
  ] as const)
    await assert.rejects(run(buildCommand, ...argv), message, argv.join(' '));
  await assert.rejects(
    run(buildCommand, '--from', 'log', '--input', path.join(folder, 'no.txt'), ...base),
    /Cannot read/,
  );
  await assert.rejects(
    run(buildCommand, '--from', 'log', '--input', out, '--generator', 'lexical', '--out', out),
    /Configure a model/,
  );
  assert.match((await run(buildCommand, '--help')).stdout, /parallax build accept/);
  assert.match((await run(buildCommand, 'accept', '--help')).stdout, /--labels/);
  assert.match((await run(buildCommand, 'labels', '--help')).stdout, /judge validate/);
});
