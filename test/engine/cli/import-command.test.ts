/** Labels from a table, on real files: the resulting labels, omitted rows, and figures based on them. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { gateCommand } from '../../../src/features/gate/cli/gate-command.ts';
import { importCommand } from '../../../src/cli/commands/import-command.ts';
import { labelSchema, type Label } from '../../../src/core/formats/labels.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { run } from './support.ts';

const PARAGRAPH = 'The office is quiet and people there can think for hours without a call. ';
const DOCUMENT = `# Work\n\n${PARAGRAPH.repeat(12)}\n\n# Home\n\nAt home one meets nobody, which makes some lonely. ${PARAGRAPH.repeat(12)}\n`;

test('a table beside parallax.json becomes labels, and figures say that documents were labelled', async (t) => {
  const folder = temporaryFolder(t);
  await mkdir(path.join(folder, 'docs'));
  await writeFile(path.join(folder, 'docs/work.md'), DOCUMENT);
  const query = {
    id: 'q1',
    text: 'Should people work at home?',
    perspectives: [
      { id: 'lonely', text: 'It makes lonely.' },
      { id: 'quiet', text: 'It is quiet.' },
    ],
  };
  const [config, queries, labels] = ['parallax.json', 'q.jsonl', 'labels.csv'].map((name) =>
    path.join(folder, name),
  ) as [string, string, string];
  await writeFile(queries, `${JSON.stringify(query)}\n`);
  await writeFile(
    config,
    JSON.stringify({
      version: 2,
      corpora: { docs: { roots: ['docs'] } },
      evalSets: ['q.jsonl'],
      judge: 'labels',
      gate: { pipelines: ['bm25'], thresholds: [{ metric: 'StRecall@5', min: 0 }] },
    }),
  );
  await writeFile(
    labels,
    'query,perspective,document,supports,quote\n' +
      'q1,lonely,docs/work.md,yes,"At home one meets nobody, which makes some lonely."\n' +
      'q1,quiet,docs/work.md,yes,\nq1,quiet,docs/none.md,yes,\n',
  );
  const { code, stdout, stderr } = await run(
    importCommand,
    ...['--labels', labels, '--queries', queries, '--config', config],
  );
  assert.equal(code, 0, stderr);
  assert.match(
    stdout,
    /^2 labels appended to .*judgements\.jsonl: 1 of quotations \(every passage that has one\), 1 of whole documents/u,
  );
  assert.match(
    stderr,
    /1 row left out, because the corpus has no such document .*: "docs\/none\.md" \(row 3\)\./u,
  );
  const written = await readFile(path.join(folder, '.parallax/judgements.jsonl'), 'utf8');
  assert.equal(written.trimEnd().split('\n').length, 2);
  const gate = await run(gateCommand, '--config', config);
  assert.match(
    gate.stdout,
    /"q": \d+ verdicts are labels of whole documents: each of their passages counts\./u,
  );
  await assert.rejects(
    run(importCommand, '--labels', labels, '--qrels', labels, '--queries', queries),
    /either --labels .* or --qrels/u,
  );
});

/** A corpus of one document that is not split, as parallax.json says. */
async function uncut(
  t: TestContext,
): Promise<{ folder: string; argv: readonly string[]; labels: () => Promise<Label[]> }> {
  const folder = temporaryFolder(t);
  await mkdir(path.join(folder, 'docs'));
  await writeFile(path.join(folder, 'docs/work.md'), DOCUMENT);
  const place = (name: string): string => path.join(folder, name);
  const query = { id: 'q1', text: 'At home?', perspectives: [{ id: 'quiet', text: 'It is quiet.' }] };
  await writeFile(place('q.jsonl'), `${JSON.stringify(query)}\n`);
  await writeFile(
    place('parallax.json'),
    JSON.stringify({
      corpora: { texts: { roots: ['docs'], split: { type: 'none' } } },
      evalSets: ['q.jsonl'],
    }),
  );
  await writeFile(place('labels.csv'), 'query,perspective,document,supports\nq1,quiet,docs/work.md,yes\n');
  const argv = [
    '--labels',
    place('labels.csv'),
    '--queries',
    place('q.jsonl'),
    '--config',
    place('parallax.json'),
  ];
  const labels = async (): Promise<Label[]> =>
    (await readFile(place('.parallax/judgements.jsonl'), 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => labelSchema.parse(JSON.parse(line)));
  return { folder, argv, labels };
}

test('a corpus named by its folder is split as parallax.json says', async (t) => {
  const { folder, argv } = await uncut(t);
  for (const corpus of [path.join(folder, 'docs'), 'texts']) {
    const { stdout } = await run(importCommand, ...argv, '--corpus', corpus);
    assert.match(stdout, /: 1 of single passages\.$/mu);
  }
  const { stdout } = await run(
    importCommand,
    ...argv,
    '--corpus',
    'texts',
    '--store',
    path.join(folder, 'store'),
  );
  assert.match(stdout, /: 1 of single passages\.$/mu);
  assert.ok(
    existsSync(path.join(folder, 'store/parallax-store.json')),
    'the next run starts from this index',
  );
});

test('labels of an agent are not labels of people', async (t) => {
  const { argv, labels } = await uncut(t);
  assert.equal((await run(importCommand, ...argv, '--agent', 'Claude')).code, 0);
  assert.deepEqual(
    (await labels()).map(({ by }) => by),
    [{ kind: 'agent', name: 'Claude' }],
  );
  await assert.rejects(
    run(importCommand, ...argv, '--agent', 'Claude', '--by', 'Ada'),
    /either --by .* or --agent/u,
  );
});

test('a label of a document is stale once the document is rewritten, and the gate says so', async (t) => {
  const { folder, argv, labels } = await uncut(t);
  const place = (name: string): string => path.join(folder, name);
  const config = JSON.parse(await readFile(place('parallax.json'), 'utf8')) as object;
  const gate = { pipelines: ['bm25'], thresholds: [{ metric: 'StRecall@5', min: 1 }] };
  await writeFile(
    place('parallax.json'),
    JSON.stringify({ ...config, corpora: { texts: { roots: ['docs'] } }, judge: 'labels', gate }),
  );
  assert.equal((await run(importCommand, ...argv)).code, 0);
  assert.match((await labels())[0]!.documentHash ?? '', /^[0-9a-f]{32}$/u);
  const check = () => run(gateCommand, '--config', place('parallax.json'));
  assert.equal((await check()).code, 0);
  // Other line ends or another splitter do not change the document.
  await writeFile(place('docs/work.md'), DOCUMENT.replaceAll('. ', '.\n'));
  assert.equal((await check()).code, 0);
  await writeFile(place('docs/work.md'), 'Soup is made at home of onions, water and salt.\n');
  const { code, stderr } = await check();
  assert.equal(code, 3);
  assert.match(
    stderr,
    /Labels of 1 whole document, such as docs\/work\.md, do not count any more: it changed since/u,
  );
});
