/** Labels from a table, on real files: what they become, what is left out, and what figures say that rest on them. */
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { gateCommand } from '../../../src/cli/commands/gate-command.ts';
import { importCommand } from '../../../src/cli/commands/import-command.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { run } from './support.ts';

const PARAGRAPH = 'The office is quiet and people there can think for hours without a call. ';
const DOCUMENT = `# Work\n\n${PARAGRAPH.repeat(12)}\n\n# Home\n\nAt home one meets nobody, which makes some lonely. ${PARAGRAPH.repeat(12)}\n`;

test('a table beside parallax.json becomes labels, and figures say that whole documents were labelled', async (t) => {
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
    /^2 labels appended to .*judgements\.jsonl: 1 of quotations \(every passage that holds one\), 1 of whole documents/u,
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
