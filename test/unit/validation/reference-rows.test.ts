/** Compares the stored figures of the papers with the papers. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  BERDS_TABLE_18,
  BERDS_TABLE_4,
  DREAM_TABLE_1,
  DREAM_TABLE_11,
  DREAM_TABLE_2,
  DREAM_TABLE_3,
  referenceRows,
} from '../../../src/features/papers/core/reference-rows.ts';
import { referenceRowSchema } from '../../../src/features/validation/core/report.ts';

const PAPERS = '../shared/papers';
const skip = existsSync(PAPERS) ? false : `cannot run here: ${PAPERS} is absent`;
const linesOf = (file: string) => readFileSync(`${PAPERS}/${file}`, 'utf8').split('\n');
const cellsOf = (line: string) => line.split('|').map((cell) => cell.trim());
const percent = (share: number | undefined) => ((share ?? Number.NaN) * 100).toFixed(1);

test('BERDS Table 4', { skip }, () => {
  const lines = linesOf('berds.txt').map(cellsOf);
  for (const { method, positiveShare, accuracy, f1 } of BERDS_TABLE_4) {
    const printed = lines.find(([, name]) => name === method);
    const own = [positiveShare, accuracy, f1].map((share) => (share === undefined ? '-' : percent(share)));
    assert.deepEqual(printed?.slice(2, 5), own, method);
  }
});

test('BERDS Table 18', { skip }, () => {
  const lines = linesOf('berds.txt').map(cellsOf);
  for (const { data, positiveShare, accuracy, f1 } of BERDS_TABLE_18) {
    const [, corpus, retriever] = /from (.*) with (\w+),/.exec(data) ?? [];
    const own = [accuracy, f1, positiveShare].map(percent);
    const printed = lines.find(
      ([, first, second, ...cells]) => first === corpus && second === retriever && cells[0] === own[0],
    );
    assert.deepEqual(printed?.slice(3, 6), own, data);
  }
});

test('DREAM Tables 1, 2, 3 and 11', { skip }, () => {
  // Tab-separated; "DREAM ( $R = 1$ )" is "DREAM(R=1)".
  const lines = linesOf('dream-bridge.txt').map((line) => line.replaceAll(/[ $]/g, ''));
  const has = (...cells: string[]) => {
    const wanted = cells.join('\t').replaceAll(' ', '');
    assert.ok(
      lines.some((line) => line.includes(wanted)),
      wanted,
    );
  };
  const sign = (share: number | undefined) => `${percent(share)}%`;
  for (const { recall, balancedAccuracy, escalated } of DREAM_TABLE_1)
    has(sign(recall?.no), sign(recall?.yes), sign(balancedAccuracy), sign(escalated));
  for (const { method, adjudicator, recall, balancedAccuracy } of DREAM_TABLE_2) {
    const who = adjudicator === 'human' ? 'Human' : 'LLM';
    has(method, who, sign(recall?.no), sign(recall?.yes), sign(balancedAccuracy));
  }
  for (const { fleissKappa, recall, balancedAccuracy } of DREAM_TABLE_3)
    has(fleissKappa!.toFixed(2), sign(recall?.no), sign(recall?.yes), sign(balancedAccuracy));
  for (const { method, dollars, seconds, balancedAccuracy, escalated } of DREAM_TABLE_11) {
    const printed = lines
      .map((line) => line.split('\t'))
      .find(([name, price]) => name === method && Number(price) === dollars);
    const own = [seconds?.sequential, seconds?.parallel]
      .map(String)
      .concat(percent(balancedAccuracy), percent(escalated));
    assert.deepEqual(printed?.slice(2), own, method);
  }
});

test('every row fits the report', () => {
  const rows = [...referenceRows('people'), ...referenceRows('judge')];
  assert.equal(rows.length, 12 + 7 + 4 + 2 + 3 + 8);
  for (const row of rows) assert.deepEqual(referenceRowSchema.parse(row), row);
  assert.deepEqual(new Set(referenceRows('judge').map(({ cases }) => cases)), new Set(['against-model']));
});

test('balanced accuracy is the mean of the recalls, as printed', () => {
  for (const { source, method, recall, balancedAccuracy } of referenceRows('people'))
    if (recall && balancedAccuracy !== undefined)
      assert.ok(Math.abs((recall.yes + recall.no) / 2 - balancedAccuracy) < 0.0011, `${source} ${method}`);
});
