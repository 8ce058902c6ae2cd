import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { convertCommand } from '../../../src/cli/commands/convert-command.ts';
import { UsageError } from '../../../src/cli/presentation/terminal.ts';
import { ParallaxError } from '../../../src/core/errors.ts';
import { files, run, topics } from './support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const RUN = 'q1 Q0 a1 1 3 t\nq1 Q0 c1 2 2 t\nq2 Q0 a2 1 1 t\n';

test('several files are converted to several formats at once', async (t) => {
  const places = await files(t, { ...topics(2), run: RUN });
  const folder = temporaryFolder(t);
  const { code, stdout, stderr } = await run(
    convertCommand,
    ...[
      '--from',
      `eval-set=${places.queries}`,
      '--from',
      `trec-qrels=${places.qrels}`,
      '--from',
      `trec-run=${places.run}`,
    ],
    ...[
      '--to',
      `trec-qrels=${path.join(folder, 'nd/qrels.txt')}`,
      '--to',
      `ranx-run=${path.join(folder, 'new/run.json')}`,
    ],
    ...['--to', 'trec-run=-', '--tag', 'mine'],
  );
  assert.deepEqual([code, stderr], [0, 'warning: No --to holds the texts of queries (2): left out.\n']);
  assert.match(
    await readFile(path.join(folder, 'nd/qrels.txt'), 'utf8'),
    /^q1 \S+ a1 1\nq1 \S+ b1 1\nq1 \S+ c1 1\n/u,
  );
  assert.deepEqual(JSON.parse(await readFile(path.join(folder, 'new/run.json'), 'utf8')), {
    q1: { a1: 3, c1: 2 },
    q2: { a2: 1 },
  });
  assert.equal(stdout, RUN.replaceAll(' t\n', ' mine\n'));
});

test('a BEIR folder is converted and converted back', async (t) => {
  const folder = temporaryFolder(t);
  const beir = path.join(folder, 'beir');
  await mkdir(path.join(beir, 'qrels'), { recursive: true });
  const contents = {
    'corpus.jsonl': '{"_id":"d1","title":"","text":"one"}\n{"_id":"d2","title":"T","text":"two"}\n',
    'queries.jsonl': '{"_id":"q1","text":"Q","perspectives":[]}\n',
    'qrels/test.tsv': 'query-id\tcorpus-id\tscore\nq1\td1\t1\n',
    'notes.txt': 'something else',
  };
  for (const [name, text] of Object.entries(contents)) await writeFile(path.join(beir, name), text);
  const copy = path.join(folder, 'copy');
  const { code, stderr } = await run(convertCommand, '--from', `beir=${beir}`, '--to', `beir=${copy}`);
  assert.deepEqual([code, stderr], [0, '']);
  for (const [name, text] of Object.entries(contents).slice(0, 3))
    assert.equal(await readFile(path.join(copy, name), 'utf8'), text, name);
  assert.ok(!existsSync(path.join(copy, 'notes.txt')));
});

test('a Langfuse export becomes a file for a run retriever', async (t) => {
  const observation = { id: 'o', traceId: 't', input: 'What?', output: [{ pageContent: 'one' }] };
  const places = await files(t, { export: JSON.stringify(observation) });
  const { stdout } = await run(convertCommand, '--from', `langfuse=${places.export}`, '--to', 'retrieved=-');
  assert.deepEqual(JSON.parse(stdout), {
    id: 't:o',
    query: 'What?',
    results: [{ id: 'c1', text: 'one', score: 0 }],
  });
});

describe('data that does not fit', () => {
  test('is reported: unmatched ids, ties, ranks against scores, fields that a format lacks', async (t) => {
    const places = await files(t, {
      ...topics(1),
      run: 'q1 Q0 a1 1 1 t\nq1 Q0 nowhere 2 1 t\nq1 Q0 c1 3 9 t\nq7 Q0 a1 1 1 t\n',
    });
    const { code, stderr } = await run(
      convertCommand,
      ...['--from', `trec-qrels=${places.qrels}`, '--from', `trec-run=${places.run}`, '--to', 'ranx-qrels=-'],
    );
    assert.equal(code, 0);
    assert.match(stderr, /^warning: .*run\.txt: Ranks contradict scores in 1 topic /mu);
    assert.match(stderr, /^warning: .*run\.txt: Equal scores in 1 topic /mu);
    assert.match(stderr, /^warning: 1 of 2 queries of the run have no judgements, the first is "q7"\.$/mu);
    assert.match(stderr, /^warning: ranx knows no perspectives: the judgements of 1 queries are merged/mu);
  });

  test('is refused if nothing would be left, and nothing is written', async (t) => {
    const places = await files(t, { ...topics(1), run: 'other Q0 a1 1 1 t\n' });
    const target = path.join(temporaryFolder(t), 'out.txt');
    const from = ['--from', `trec-qrels=${places.qrels}`, '--from', `trec-run=${places.run}`];
    await assert.rejects(
      run(convertCommand, ...from, '--to', `trec-run=${target}`),
      (error) => ParallaxError.is(error, 'bad-argument') && /share no query/u.test(error.message),
    );
    await assert.rejects(
      run(
        convertCommand,
        '--from',
        `trec-run=${places.run}`,
        '--to',
        `trec-run=${target}`,
        '--to',
        'eval-set=-',
      ),
      (error) =>
        ParallaxError.is(error, 'bad-argument') && /There are no queries to write/u.test(error.message),
    );
    assert.ok(!existsSync(target));
  });

  for (const [argv, message] of [
    [[], /--from is missing/u],
    [['--from', 'trec-run=x'], /--to is missing/u],
    [['--from', 'trec-run', '--to', 'beir=x'], /takes a format and a path/u],
    [['--from', 'trecrun=x', '--to', 'beir=x'], /no format "trecrun"\. Available: trec-run, /u],
    [['--from', 'trec-run=x', '--to', 'phoenix=x'], /phoenix can only be read/u],
    [['--from', 'trec-run=x', '--to', 'beir=-'], /beir is a folder/u],
  ] as const)
    test(`wrong usage: ${argv.join(' ')}`, async () => {
      await assert.rejects(
        run(convertCommand, ...argv),
        (error) => error instanceof UsageError && message.test(error.message),
      );
    });

  test('missing files, and a file instead of a folder, are reported', async (t) => {
    const places = await files(t, { run: RUN });
    await assert.rejects(
      run(convertCommand, '--from', 'trec-run=/nowhere', '--to', 'trec-run=-'),
      /Cannot read \/nowhere/u,
    );
    await assert.rejects(
      run(convertCommand, '--from', `beir=${places.run}`, '--to', 'trec-run=-'),
      /is not a folder/u,
    );
  });
});

test('gzip files are read, and damaged ones reported', async (t) => {
  const folder = await temporaryFolder(t);
  const [packed, damaged] = ['run.txt.gz', 'half.gz'].map((name) => path.join(folder, name));
  const bytes = gzipSync(RUN);
  await writeFile(packed!, bytes);
  await writeFile(damaged!, bytes.subarray(0, bytes.length - 12));
  const { code, stdout } = await run(
    convertCommand,
    ...['--from', `trec-run=${packed!}`, '--to', 'trec-run=-', '--tag', 't'],
  );
  assert.deepEqual([code, stdout], [0, RUN]);
  await assert.rejects(
    run(convertCommand, '--from', `trec-run=${damaged!}`, '--to', 'trec-run=-'),
    /half\.gz: its gzip data is damaged/u,
  );
});

test('help names every format', async () => {
  const { code, stdout } = await run(convertCommand, '--help');
  assert.equal(code, 0);
  for (const name of [
    'trec-run',
    'beir',
    'berds',
    'pir',
    'ranx-qrels',
    'ragas',
    'deepeval',
    'retrieved',
    'eval-set',
  ])
    assert.match(stdout, new RegExp(`^  ${name} .*[^)]$`, 'mu'));
  assert.match(stdout, /^  phoenix .* \(can only be read\)$/mu);
});
