/** An index of more labels than are held as objects says the same as one of few. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LabelIndex, type LabelledPerspective } from '../../../src/core/formats/label-index.ts';
import { withdrawalOf, type Label } from '../../../src/core/formats/labels.ts';

const STATEMENTS = 4_000;
const LABELS_OF_EACH = 20;

const hashOf = (n: number): string => n.toString(16).padStart(32, '0');

/** Each "yes". */
function labelOf(n: number, fields: Partial<Label> = {}): Label {
  const statement = Math.floor(n / LABELS_OF_EACH);
  return {
    v: 1,
    query: `q${statement}`,
    perspective: 'p',
    perspectiveText: `People say thing ${statement}.`,
    document: `docs/${n % 100}.md`,
    hash: hashOf(n),
    by: { kind: 'human', name: 'Ada' },
    at: new Date(1_700_000_000_000 + n * 1_000).toISOString(),
    standard: 'berds-1',
    verdict: 'yes',
    ...fields,
  };
}

function asked(statement: number): LabelledPerspective {
  return { queryId: `q${statement}`, perspectiveId: 'p', perspectiveText: `people say thing ${statement}` };
}

function verdictOf(index: LabelIndex, n: number): string | undefined {
  const { document: documentId, hash } = labelOf(n);
  return index.lookup(asked(Math.floor(n / LABELS_OF_EACH)), { documentId, text: 'A text.', hash: hash! })
    ?.verdict;
}

test('labels that were left out are found again, with what was said and taken back meanwhile', () => {
  const count = STATEMENTS * LABELS_OF_EACH;
  const index = new LabelIndex(Array.from({ length: count }, (_, n) => labelOf(n)));
  const all = Array.from({ length: STATEMENTS }, (_, statement) => statement);
  const supported = (): number[] => all.map((statement) => index.supporting(asked(statement)).length);
  assert.deepEqual(
    supported(),
    all.map(() => LABELS_OF_EACH),
  );
  // Of the first asked about, which is left out by now, of one that is about to be, and of the last.
  const changed = [0, STATEMENTS - 1_500, STATEMENTS - 1].map((statement) => statement * LABELS_OF_EACH);
  for (const n of changed) {
    const later = { at: new Date(1_800_000_000_000 + n).toISOString() };
    index.add(labelOf(n, { ...later, verdict: 'no' }));
    assert.equal(verdictOf(index, n), 'no');
    index.withdraw([withdrawalOf(labelOf(n + 1), later.at)]);
    assert.equal(verdictOf(index, n + 1), undefined);
    assert.equal(verdictOf(index, n + 2), 'yes');
  }
  const touched = new Set(changed.map((n) => n / LABELS_OF_EACH));
  const expected = all.map((statement) => LABELS_OF_EACH - (touched.has(statement) ? 2 : 0));
  assert.deepEqual(supported(), expected);
  assert.deepEqual(supported(), expected, 'a second time, in another order of use');
});
