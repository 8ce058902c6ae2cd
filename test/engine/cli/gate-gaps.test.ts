/** A gate with fewer queries or labels than before, or with unreadable ones, refuses to guess. */
import assert from 'node:assert/strict';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { REPORT_FORMATS } from '../../../src/core/reports/report.ts';
import { workspace, type GateWorkspace } from './gate-support.ts';

const MAIN = { file: '.parallax/baselines/main.json' };
const THRESHOLD = { thresholds: [{ metric: 'MRecall@2', min: 0.5 }] };

const questionsOf = ({ folder }: GateWorkspace): string => path.join(folder, 'questions.jsonl');
const labelsOf = ({ folder }: GateWorkspace): string => path.join(folder, '.parallax/judgements.jsonl');

async function gapsOf(own: GateWorkspace): Promise<readonly string[]> {
  const { code, outcome, datasets } = await own.report();
  assert.equal(code, 3);
  assert.equal(outcome, 'not-evaluated');
  return datasets[0]!.gaps ?? [];
}

describe('an eval set', () => {
  test('that was shortened since the baseline is not evaluated, and does not become the baseline', async (t) => {
    const own = await workspace(t, 8, { baseline: MAIN });
    assert.equal((await own.gate('--accept')).code, 0);
    const lines = (await readFile(questionsOf(own), 'utf8')).split('\n');
    await writeFile(questionsOf(own), lines.slice(0, 4).join('\n').slice(0, -9));

    const gaps = await gapsOf(own);
    assert.equal(gaps.length, 2);
    assert.match(gaps[0]!, /^questions\.jsonl: Line 4: not JSON /u);
    assert.match(gaps[1]!, /^The baseline has 5 questions that are no longer there \(/u);
    for (const format of Object.keys(REPORT_FORMATS)) {
      const { code, stdout } = await own.gate('--format', format);
      assert.equal(code, 3, format);
      assert.match(stdout, /no longer there/u, format);
    }
    const { code, stdout } = await own.gate();
    assert.equal(code, 3);
    assert.match(stdout, /^Not evaluated: what was to be evaluated is not whole\./mu);

    const before = await readFile(path.join(own.folder, MAIN.file), 'utf8');
    const accepted = await own.gate('--accept');
    assert.equal(accepted.code, 3);
    assert.match(accepted.stderr, /not accepted as a baseline: questions: questions\.jsonl: Line 4/u);
    assert.equal(await readFile(path.join(own.folder, MAIN.file), 'utf8'), before);
  });

  test('with merge conflicts is reported as such', async (t) => {
    const own = await workspace(t, 4, THRESHOLD);
    const [first, ...rest] = (await readFile(questionsOf(own), 'utf8')).split('\n');
    await writeFile(
      questionsOf(own),
      ['<<<<<<< HEAD', first, '=======', first, '>>>>>>> theirs', ...rest].join('\n'),
    );
    const gaps = await gapsOf(own);
    assert.equal(gaps.filter((gap) => gap.includes('a merge whose conflict is not resolved')).length, 3);
    assert.equal(gaps.filter((gap) => gap.includes('occurs a second time')).length, 1);
  });

  test('with fewer queries than required is not evaluated', async (t) => {
    const own = await workspace(t, 4, { ...THRESHOLD, queries: { min: 5 } });
    assert.deepEqual(await gapsOf(own), ['The gate demands at least 5 questions, and there are 4.']);
    await own.configure({ gate: { pipelines: ['mine'], k: 2, ...THRESHOLD, queries: { min: 4 } } });
    assert.equal((await own.gate()).code, 0);
  });

  test('with one query more than the baseline is evaluated', async (t) => {
    const own = await workspace(t, 4, { baseline: MAIN });
    await own.gate('--accept');
    const [first] = (await readFile(questionsOf(own), 'utf8')).split('\n');
    await appendFile(questionsOf(own), `${first!.replace('"q1"', '"q9"')}\n`);
    assert.equal((await own.gate()).code, 0);
  });
});

describe('a pattern of eval sets', () => {
  for (const pattern of ['eval/{1..100000000}.jsonl', `${'{a,b,c,d,e,f,g,h}'.repeat(12)}.jsonl`])
    test(`whose braces expand to millions is refused before expansion: ${pattern.slice(0, 25)}`, async (t) => {
      const own = await workspace(t, 1, THRESHOLD);
      await own.configure({ evalSets: [pattern] });
      const refused = await own.gate();
      assert.equal(refused.code, 2);
      assert.match(
        refused.stderr,
        /evalSets\.0: The braces of the glob pattern .* match more than 256 patterns/u,
      );
    });
});

describe('labels', () => {
  test('with merge conflicts keep the gate from passing', async (t) => {
    const own = await workspace(t, 4, THRESHOLD);
    assert.equal((await own.gate()).code, 0);
    await appendFile(labelsOf(own), '<<<<<<< HEAD\n=======\n>>>>>>> theirs\n');
    const gaps = await gapsOf(own);
    assert.equal(gaps.length, 3);
    assert.match(
      gaps[0]!,
      /^judgements\.jsonl: Line \d+: left by a merge whose conflict is not resolved; skipped\.$/u,
    );
  });

  test('in an unreadable encoding keep the gate from passing', async (t) => {
    const own = await workspace(t, 4, THRESHOLD);
    const text = await readFile(labelsOf(own), 'utf8');
    await writeFile(labelsOf(own), Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]));
    const gaps = await gapsOf(own);
    assert.equal(gaps[0], 'judgements.jsonl: It is not UTF-8 text. Save it as UTF-8.');
    assert.match(gaps.at(-1)!, /^… and \d+ more like these\.$/u);
  });
});
