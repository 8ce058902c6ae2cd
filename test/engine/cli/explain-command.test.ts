/** `parallax explain` on a copy of the sample. */
import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { explainCommand } from '../../../src/cli/commands/explain-command.ts';
import type { Explanation } from '../../../src/core/explain/explanation.ts';
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

test('an eval set without perspectives is reported in a sentence', async (t) => {
  const file = path.join(temporaryFolder(t), 'plain.jsonl');
  writeFileSync(file, '{"id":"q","text":"Should cats vote?"}\n');
  await assert.rejects(
    run(explainCommand, ...sample(t), ...DOCUMENT, '--queries', file),
    /No query of .*plain\.jsonl has perspectives/,
  );
});
