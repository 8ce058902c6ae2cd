/** The command line as a user runs it: the built bundle, real files, exit codes, both output streams. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

const CLI = path.resolve('dist/cli.js');
const folder = mkdtempSync(path.join(tmpdir(), 'parallax-cli-'));
test.after(() => rmSync(folder, { recursive: true }));
const place = (name: string): string => path.join(folder, name);

function parallax(...args: string[]): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8' });
  return { code: status, stdout, stderr };
}

mkdirSync(place('docs'));
writeFileSync(place('docs/cats.md'), '# Cats\n\nCats sleep most of the day and hunt at dusk.\n');
writeFileSync(place('docs/dogs.md'), '# Dogs\n\nDogs follow people and bark at strangers.\n');

test('index, then search, in separate processes', () => {
  const indexed = parallax('index', place('docs'), '--store', place('store'));
  assert.equal(indexed.code, 0, indexed.stderr);
  assert.match(indexed.stdout, /^2 documents, 2 passages/u);
  const again = parallax('index', place('docs'), '--store', place('store'));
  assert.match(again.stdout, /0 new, 0 changed, 0 deleted, 2 unchanged/u);
  const found = parallax(
    'search',
    'who barks at strangers?',
    '--store',
    place('store'),
    '--k',
    '1',
    '--json',
  );
  assert.equal(found.code, 0, found.stderr);
  const { passages } = JSON.parse(found.stdout) as { passages: { document: string; startLine: number }[] };
  assert.equal(passages.length, 1);
  assert.match(passages[0]!.document, /dogs\.md$/u);
  const pipeline = '{"retriever":{"type":"dense","embedder":"hashing"}}';
  const worded = parallax('search', 'who barks?', '--store', place('store'), '--pipeline', pipeline);
  assert.match(worded.stderr, /with hashed words in the place of an embedding model/u);
  assert.doesNotMatch(found.stderr, /hashed words/u);
});

test('a folder is searched without a stored index, and its index can be kept', () => {
  const search = (...more: string[]) =>
    parallax('search', 'who barks at strangers?', '--corpus', place('docs'), '--k', '1', ...more);
  const found = search();
  assert.equal(found.code, 0, found.stderr);
  assert.match(found.stdout, /^ +1 .*dogs\.md:\d+\)\n/u);
  assert.equal(search('--store', place('kept')).stdout, found.stdout);
  const again = parallax('search', 'who barks at strangers?', '--store', place('kept'), '--k', '1');
  assert.equal(again.stdout, found.stdout);
});

test('an existing index keeps its splitter, and a new one is split at headings', () => {
  // Longer than a section that is joined with the next one.
  const cats =
    'They sleep for sixteen hours of the day and hunt at night, when the mice come out of the barn.';
  const dogs = 'They bark at the postman in the morning, and at whoever rings the bell late in the evening.';
  writeFileSync(place('two.md'), `## Cats\n\n${cats}\n\n## Dogs\n\n${dogs}\n`);
  const index = (store: string, ...more: string[]): string =>
    parallax('index', place('two.md'), '--store', place(store), ...more).stdout;
  assert.match(index('by-words', '--split', 'words:100'), /^1 document, 1 passage in/u);
  assert.match(index('by-words'), /1 passage in.*1 unchanged/u);
  assert.match(index('by-sections'), /^1 document, 2 passages/u);
  const found = parallax('search', 'Whom do they bark at?', '--store', place('by-sections'), '--k', '1');
  assert.match(found.stdout, /^ +1 .* two › Dogs {2}\(.*two\.md:5\)\n +They bark at .* evening\.\n$/u);
});

test('eval writes the documented JSON and a table', () => {
  writeFileSync(
    place('corpus.jsonl'),
    '{"_id":"a","text":"cats are good"}\n{"_id":"b","text":"cats are bad"}\n{"_id":"c","text":"rain"}\n',
  );
  writeFileSync(
    place('queries.jsonl'),
    '{"_id":"q","text":"cats","perspectives":[{"id":"pro","text":"good"},{"id":"con","text":"bad"}]}\n',
  );
  writeFileSync(place('qrels.txt'), 'q pro a 1\nq con b 1\n');
  const files = [
    '--corpus',
    place('corpus.jsonl'),
    '--queries',
    place('queries.jsonl'),
    '--qrels',
    place('qrels.txt'),
  ];
  const pipeline = '{"name":"mine","retriever":{"type":"bm25"},"k":5}';
  const result = parallax(
    'eval',
    ...files,
    '--pipeline',
    pipeline,
    '--pipeline',
    'dense',
    '--k',
    '2',
    '--json',
    place('out.json'),
  );
  assert.equal(result.code, 0, result.stderr);
  assert.match(result.stdout, /^mine +100\.0 +100\.0/mu);
  const { pipelines } = JSON.parse(readFileSync(place('out.json'), 'utf8')) as {
    pipelines: {
      name: string;
      pipeline: object;
      metrics: Record<string, number>;
      judged: object;
      queries: { id: string }[];
    }[];
  };
  assert.deepEqual(
    pipelines.map(({ name }) => name),
    ['mine', 'dense'],
  );
  assert.equal(pipelines[0]!.metrics['MRecall@2'], 1);
  assert.deepEqual(pipelines[0]!.judged, { '@2': 1 });
  assert.equal(pipelines[0]!.queries[0]!.id, 'q');
});

for (const [what, args, message] of [
  ['no command', [], /^parallax <command>/u],
  ['an unknown command', ['fly'], /no command "fly"/u],
  ['an unknown option', ['search', 'x', '--storr', 'y'], /--storr/u],
  ['a missing option', ['search', 'x'], /--corpus is missing/u],
  [
    'an unknown pipeline',
    ['search', 'x', '--store', 'y', '--pipeline', 'magic'],
    /no pipeline "magic"\. Available: hybrid, bm25, dense\. JSON/u,
  ],
  [
    'a mistyped pipeline field',
    ['search', 'x', '--store', 'y', '--pipeline', '{"retriever":{"type":"bm25","k2":1}}'],
    /k2/u,
  ],
  ['a pipeline that is no JSON', ['search', 'x', '--store', 'y', '--pipeline', '{bm25'], /not valid JSON/u],
  ['a cutoff of zero', ['metrics', '--run', 'r', '--qrels', 'q', '--k', '0'], /--k takes whole numbers/u],
] as const)
  test(`exit code 2 and one sentence for ${what}`, () => {
    const { code, stdout, stderr } = parallax(...args);
    assert.equal(code, 2);
    assert.match(args.length === 0 ? stdout : stderr, message);
    assert.doesNotMatch(stderr, /\n\s+at /u, 'no stack trace');
  });

test('exit code 1 and one sentence for missing files', () => {
  const { code, stderr } = parallax('search', 'x', '--store', place('nothing'));
  assert.equal(code, 1);
  assert.equal(stderr.trim().split('\n').length, 1);
  const missing = parallax('index', place('no-such-folder'), '--store', place('store-2'));
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /no-such-folder/u);
});

test('an unknown view of an evaluation is refused', () => {
  assert.equal(parallax('eval', '--view', 'nothing', '--pipeline', 'bm25').code, 2);
});

test('a stack trace is available on request', () => {
  assert.match(parallax('search', 'x', '--store', place('nothing'), '--verbose').stderr, /\n\s+at /u);
});
