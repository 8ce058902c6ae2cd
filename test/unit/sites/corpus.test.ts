/** The fixture corpus: what must be found is found, nothing else, and k is right or honestly unknown. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSiteDetector } from '../../../src/sites/detector.ts';
import {
  compare,
  detectFixture,
  differences,
  fixtureFiles,
  lookAlikes,
  PARTS,
  type Outcome,
} from './fixture-corpus.ts';
import { wasm } from './wasm-files.ts';

const LIBRARIES = 22;
const detector = createSiteDetector({ wasm });
const outcomes: Outcome[] = [];

before(async () => {
  for (const file of await fixtureFiles()) {
    const detection = await detectFixture(detector, file);
    outcomes.push(compare(file, detection.sites));
  }
});
after(() => {
  outcomes.length = 0;
});

function where({ file, line }: { file: string; line: number }): string {
  return `${file}:${line + 1}`;
}

test('the corpus has its stated size', () => {
  const expected = outcomes.flatMap(({ found, missed }) => [
    ...found.map((each) => each.expected),
    ...missed,
  ]);
  const perLibrary = Map.groupBy(expected, ({ library }) => library);
  assert.ok(expected.length >= 150, `${expected.length} sites`);
  assert.equal(perLibrary.size, LIBRARIES);
  for (const [library, sites] of perLibrary)
    assert.ok(sites.length >= 6, `${library}: ${sites.length} sites`);
  assert.ok(outcomes.reduce((sum, { file }) => sum + lookAlikes(file), 0) >= 60);
});

for (const part of PARTS)
  test(`precision and recall are at least 0.98: ${part}`, () => {
    const own = outcomes.filter(({ file }) => file.part === part);
    const found = own.flatMap((outcome) => outcome.found).length;
    const missed = own.flatMap((outcome) => outcome.missed);
    const spurious = own.flatMap(({ file, spurious: sites }) =>
      sites.map((site) => `${file.name}: ${site.library} ${site.callee} at ${site.range.start}`),
    );
    assert.ok(found / (found + missed.length) >= 0.98, `missed ${missed.map(where).join(', ')}`);
    assert.ok(found / (found + spurious.length) >= 0.98, `matched ${spurious.join(', ')}`);
  });

test('look-alikes never match', () => {
  for (const { file, spurious } of outcomes.filter((outcome) => outcome.file.part === 'look-alikes'))
    assert.deepEqual(
      spurious.map(({ library, callee }) => `${library} ${callee}`),
      [],
      file.name,
    );
});

test('k is right or unknown, never wrong', () => {
  for (const { expected, site } of outcomes.flatMap(({ found }) => found)) {
    const wanted = expected.fields.get('k');
    if (site.k.value !== undefined) assert.equal(String(site.k.value), wanted, where(expected));
    else assert.notEqual(site.k.why, '', where(expected));
  }
});

test('k and the other fields are known wherever the program defines them', () => {
  const wrong = outcomes
    .flatMap(({ found }) => found)
    .flatMap(({ expected, site }) => differences(expected, site).map((each) => `${where(expected)} ${each}`));
  assert.deepEqual(wrong, []);
});

test('every site is at its callee, within its statement', () => {
  for (const { file, found } of outcomes)
    for (const { site } of found) {
      const text = file.cells[site.range.cell]?.text ?? '';
      assert.equal(text.slice(site.range.start, site.range.end), site.callee);
      assert.ok(
        site.statement.start <= site.range.start && site.statement.end >= site.range.end,
        site.callee,
      );
    }
});

test('a value has its place in the source', () => {
  for (const { file, found } of outcomes)
    for (const { site } of found) {
      const { k } = site;
      if (k.provenance !== 'literal' || site.library === 'pgvector') continue;
      assert.ok(k.place);
      assert.equal(file.cells[k.place.cell]?.text.slice(k.place.start, k.place.end), String(k.value));
    }
});
