/** The gate over the captured runs of an agent: what all searches of a run found together is one result. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { toComment } from '../../../src/core/reports/comment.ts';
import { labelWorse, workspace } from './gate-support.ts';

test('a change that makes an agent’s runs worse fails, and the comment names the lost perspective', async (t) => {
  const own = await workspace(t, 8, { baseline: { file: '.parallax/baselines/main.json' } });
  await labelWorse(own, 8);
  await own.configure({
    pipelines: { mine: { retriever: { type: 'run', file: 'captured.jsonl', per: 'run' }, k: 2 } },
  });
  const questions = (await readFile(path.join(own.folder, 'questions.jsonl'), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly text: string }).text);
  /** Each run searches twice. @param second the document that its second search adds */
  const capture = (second: string): Promise<void> =>
    writeFile(
      path.join(own.folder, 'captured.jsonl'),
      questions
        .flatMap((question, place) =>
          ['a', second].map((document, step) => ({
            query: `sub-query ${step + 1} of ${question}`,
            question,
            run: `trace-${place + 1}`,
            results: [{ id: `${document}${place + 1}` }],
          })),
        )
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
  await capture('c');
  assert.equal((await own.gate('--accept')).code, 0);
  assert.equal((await own.gate()).code, 0);

  await capture('b');
  const report = await own.report();
  assert.equal(report.code, 1);
  const comment = toComment(report, { id: 'parallax.json' });
  assert.match(comment, /Perspectives lost since the baseline: 8/u);
  assert.match(
    comment,
    /\*\*third\*\*: Supported by c1, which is not among the 2 candidates\.<br>mine, “topic1”/u,
  );
  assert.match(comment, /FAILED \| questions \| mine \| MRecall@.*\| 100\.0 \| −100\.0/u);
});
