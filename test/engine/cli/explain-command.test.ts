/** `parallax explain` on a copy of the sample. */
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { explainCommand } from '../../../src/features/explain/cli/explain-command.ts';
import type { Explanation } from '../../../src/features/explain/core/explanation.ts';
import type { ChangePrice } from '../../../src/evaluation/change-price.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { run, runJson } from './support.ts';

type Written = Explanation & { readonly change?: { readonly price?: ChangePrice } };

const QUESTION = 'Should secondary schools start later in the morning?';

function sample(t: TestContext): string[] {
  const folder = temporaryFolder(t);
  cpSync('media/sample', folder, { recursive: true });
  return ['--config', path.join(folder, 'parallax.json'), '--query', QUESTION];
}

const DOCUMENT = ['--document', 'docs/school-start/harriers-newsletter.md'];

test('explains words and meaning by default', async (t) => {
  const written = await runJson<Written>(explainCommand, ...sample(t), ...DOCUMENT);
  assert.equal(written.arms.length, 2, 'both searches of the hybrid');
});

test('a document that the corpus does not have is no explanation', async (t) => {
  for (const [document, reason] of [
    ['docs/nothere.md', /^The corpus has no document, passage or text of this name\./u],
    ['docs/school-start', /^Several documents have this in their path or title/u],
  ] as const) {
    const { code, stdout } = await run(explainCommand, ...sample(t), '--document', document);
    assert.equal(code, 1);
    assert.match(stdout, reason);
  }
});

test('shows how the change affects the eval set of parallax.json', async (t) => {
  const args = [...sample(t), ...DOCUMENT, '--pipeline', 'bm25', '--k', '1'];
  const { change } = await runJson<Written>(explainCommand, ...args);
  assert.equal(change!.price!.queries, 11);
  assert.deepEqual(
    change!.price!.measures.map(({ family }) => family),
    ['MRecall', 'Precision'],
  );
  const { stdout, code } = await run(explainCommand, ...args);
  assert.equal(code, 0);
  assert.match(stdout, /The smallest change that brings it in: /);
  assert.match(stdout, /^ {2}On the 11 questions of eval\/questions\.parallax\.jsonl/mu);
  assert.match(
    stdout,
    /^ {2}MRecall [\d.]+% → ≥ [\d.]+%; difference not known, because the passages are not judged$/mu,
  );
});

test('a pipeline that needs perspectives takes those of the eval set that has the question', async (t) => {
  const pipeline = JSON.stringify({ retriever: { type: 'bm25' }, expansion: { type: 'perspectives' } });
  const { cause } = await runJson<Written>(
    explainCommand,
    ...[...sample(t), ...DOCUMENT, '--pipeline', pipeline, '--k', '40'],
  );
  assert.equal(cause, 'retrieved');
});

test('another splitter has a price, and no pipeline to use', async (t) => {
  const args = sample(t);
  const folder = path.dirname(args[1]!);
  const sentence = 'The spare key of the shed hangs behind the old blue barrel of rain water.';
  const words = (text: string): string => `${text} `.repeat(55);
  writeFileSync(
    path.join(folder, 'docs/shed.md'),
    `# Shed\n\n${words('plank')}${sentence} ${words('nail')}\n`,
  );
  writeFileSync(path.join(folder, 'docs/car.md'), 'The key of the car.\n');
  writeFileSync(path.join(folder, 'docs/beer.md'), 'Beer from the barrel.\n');
  const config = JSON.parse(readFileSync(args[1]!, 'utf8')) as { corpora: Record<string, object> };
  const [name] = Object.keys(config.corpora);
  config.corpora[name!] = { ...config.corpora[name!], split: { type: 'words', size: 60, overlap: 0 } };
  writeFileSync(args[1]!, JSON.stringify(config));
  const asked = [...args.slice(0, 2), '--query', 'key barrel', '--document', sentence, '--k', '2'];
  const { stdout } = await run(explainCommand, ...asked, '--pipeline', 'bm25', '--splitters');
  assert.match(stdout, /^ {2}docs\/shed\.md#p1: ….*plank The spare key$/mu);
  assert.match(stdout, /^ {2}docs\/shed\.md#p2: of the shed hangs .*nail…$/mu);
  assert.match(stdout, /The smallest change that brings it in: split words 60 → words 60 \(overlap \d+\)/);
  assert.match(
    stdout,
    /^ {2}On the 11 questions of .+\n {2}MRecall .+\n {2}Precision .+\n {2}Each question: /mu,
  );
  assert.match(stdout, /^ {2}"split": \{"type":"words",.+\} of the corpus in parallax\.json$/mu);
});

test('an eval set without perspectives is reported in a sentence', async (t) => {
  const file = path.join(temporaryFolder(t), 'plain.jsonl');
  writeFileSync(file, '{"id":"q","text":"Should cats vote?"}\n');
  await assert.rejects(
    run(explainCommand, ...sample(t), ...DOCUMENT, '--queries', file),
    /No question of .*plain\.jsonl has perspectives/,
  );
});
