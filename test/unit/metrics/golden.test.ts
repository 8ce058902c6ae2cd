/** Agreement with trec_eval 10 and ndeval 4.5 on a real run. Means are over all topics; missing ones count 0. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { parseQrels, parseRun } from '../../../src/core/formats/exchange/trec.ts';
import { evaluateRun } from '../../../src/core/metrics/evaluate.ts';
import { measuresAt } from '../../../src/core/metrics/measures.ts';

const DATA = '../shared/data';
const skip = existsSync(DATA) ? false : `cannot run here: ${DATA} is absent`;
const read = (name: string) => readFileSync(`${DATA}/metrics/${name}`, 'utf8');

interface Golden {
  readonly topics: number;
  readonly topicsInRun: number;
  readonly ndeval: Record<string, number>;
  readonly trec_eval: Record<string, number>;
  readonly definition: Record<string, number>;
}

/** Our names by ndeval's. Parallax has no alpha-DCG, MAP-IA or NRBP; `unj` is tested separately. */
const FROM_NDEVAL: Record<string, string> = {
  'ERR-IA': 'ERR_IA',
  'nERR-IA': 'nERR_IA',
  'alpha-nDCG': 'alpha_nDCG',
  'P-IA': 'P_IA',
  strec: 'StRecall',
};
const FROM_TREC_EVAL: Record<string, string> = {
  map: 'AP',
  recip_rank: 'RR',
  P: 'P',
  recall: 'R',
  ndcg_cut: 'nDCG',
  success: 'Success',
};

function expectedOf(golden: Golden): Record<string, number> {
  const expected: Record<string, number> = { ...golden.definition };
  for (const [name, value] of Object.entries(golden.ndeval)) {
    const [family = '', k] = name.split('@');
    if (FROM_NDEVAL[family] && k) expected[`${FROM_NDEVAL[family]}@${k}`] = value;
  }
  for (const [name, value] of Object.entries(golden.trec_eval)) {
    const [, family = name, k] = /^(.+)_(\d+)$/.exec(name) ?? [];
    if (FROM_TREC_EVAL[family]) expected[FROM_TREC_EVAL[family] + (k ? `@${k}` : '')] = value;
  }
  return expected;
}

describe('agreement with trec_eval and ndeval', { skip }, () => {
  const load = () => ({
    golden: JSON.parse(read('golden.json')) as Golden,
    run: parseRun(read('run.txt')).run,
    diversity: parseQrels(read('qrels.diversity.txt')).qrels,
    plain: parseQrels(read('qrels.txt')).qrels,
  });
  const measures = measuresAt([1, 5, 10, 20, 100]);

  test('every measure, on diversity qrels', () => {
    const { golden, run, diversity } = load();
    const { topics, topicsInRun, mean, warnings } = evaluateRun(run, diversity, measures);
    assert.equal(topics, golden.topics);
    assert.equal(topicsInRun, golden.topicsInRun);
    assert.match(warnings.join(), /17 of 178 topics .* count 0/);
    const expected = expectedOf(golden);
    assert.equal(Object.keys(expected).length, 15 + 11 + 6, 'the golden file names the measures we know');
    for (const [name, value] of Object.entries(expected))
      assert.ok(Math.abs(mean[name]! - value) < 1e-4, `${name}: ${mean[name]} instead of ${value}`);
  });

  test('plain qrels give the same figures and no others', () => {
    const { run, diversity, plain } = load();
    const full = evaluateRun(run, diversity, measures).mean;
    const { mean } = evaluateRun(run, plain, measures);
    for (const [name, value] of Object.entries(mean)) assert.ok(Math.abs(value - full[name]!) < 1e-12, name);
    const missing = Object.keys(full).filter((name) => !(name in mean));
    assert.deepEqual(
      [...new Set(missing.map((name) => name.split('@')[0]))],
      ['MRecall', 'StRecall', 'alpha_nDCG', 'ERR_IA', 'nERR_IA', 'P_IA'],
    );
  });

  test("Judged@k complements trec_eval's unj on full lists", () => {
    const { golden, run, diversity } = load();
    // unj counts a missing topic as 0 unjudged; over the answered topics the two add up to 1.
    const { mean } = evaluateRun(run, diversity, measures, { missing: 'drop' });
    for (const k of [5, 10]) {
      const unjudged = (golden.trec_eval[`unj_${k}`]! * golden.topics) / golden.topicsInRun;
      assert.ok(Math.abs(mean[`Judged@${k}`]! - (1 - unjudged)) < 1e-4);
    }
  });

  test('dropping missing topics averages over the answered topics', () => {
    const { golden, run, diversity } = load();
    const { mean, perTopic } = evaluateRun(run, diversity, measures, { missing: 'drop' });
    assert.equal(perTopic.size, golden.topicsInRun);
    const rescaled = (golden.definition['MRecall@5']! * golden.topics) / golden.topicsInRun;
    assert.ok(Math.abs(mean['MRecall@5']! - rescaled) < 1e-9);
  });
});
