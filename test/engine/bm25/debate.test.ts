import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { indexOf, LUCENE, numbered } from './support.ts';

const FOLDER = '../shared/data/debate';

test(
  'debate: MRecall@5 and Precision@5 equal those of an independent implementation',
  { skip: !existsSync(FOLDER) && `cannot run here: ${FOLDER} is absent` },
  async (t) => {
    const passages = await readRecords('corpus.jsonl');
    const queries = await readRecords('queries.jsonl');
    const perspectives = await readPerspectives();
    const { index, live } = await indexOf(numbered(passages.map(({ text }) => text)), 'english');

    let recalled = 0;
    let supporting = 0;
    for (const { _id: query, text } of queries) {
      const top = index.search(text, LUCENE, 5, live).map(({ item }) => passages[item]!._id);
      const sides = [...perspectives.get(query)!.values()];
      const covered = sides.filter((side) => top.some((id) => side.has(id))).length;
      if (covered >= Math.min(5, sides.length)) recalled++;
      supporting += top.filter((id) => sides.some((side) => side.has(id))).length;
    }
    const mRecall = (100 * recalled) / queries.length;
    const precision = (100 * supporting) / (5 * queries.length);
    t.diagnostic(`MRecall@5 ${mRecall.toFixed(1)}, Precision@5 ${precision.toFixed(1)}`);
    assert.ok(Math.abs(mRecall - 58.4) <= 2, `MRecall@5 ${mRecall}`);
    assert.ok(Math.abs(precision - 68) <= 2, `Precision@5 ${precision}`);
  },
);

async function readRecords(file: string): Promise<{ _id: string; text: string }[]> {
  const content = await readFile(`${FOLDER}/${file}`, 'utf8');
  return content
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { _id: string; text: string });
}

/** Query → perspective → ids of the passages that support it. */
async function readPerspectives(): Promise<Map<string, Map<string, Set<string>>>> {
  const perspectives = new Map<string, Map<string, Set<string>>>();
  for (const line of (await readFile(`${FOLDER}/qrels.diversity.txt`, 'utf8')).trim().split('\n')) {
    const [query, perspective, passage, relevance] = line.split(/\s+/) as [string, string, string, string];
    if (relevance === '0') continue;
    const sides = perspectives.get(query) ?? new Map<string, Set<string>>();
    perspectives.set(query, sides.set(perspective, (sides.get(perspective) ?? new Set()).add(passage)));
  }
  return perspectives;
}
