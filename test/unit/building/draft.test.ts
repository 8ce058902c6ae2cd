import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  acceptedDrafts,
  evalLine,
  evalQueryId,
  proposedLabels,
} from '../../../src/features/building/core/accept.ts';
import { draftId, formatDraft, parseDraft, type Draft } from '../../../src/features/building/core/draft.ts';
import { parseDrafts } from '../../fixtures/parse-drafts.ts';
import { reviewEdit, rewordEdit } from '../../../src/features/building/core/review-draft.ts';
import { applyEdit } from '../../../src/core/formats/json-edit.ts';
import { formatLabel } from '../../../src/core/formats/labels.ts';
import { parseLabels } from '../../fixtures/parse-labels.ts';
import { parseEvalSet } from '../../../src/core/formats/queries.ts';
import { textHash } from '../../../src/engine/text-sums.ts';

function draftOf(text: string, more: Partial<Draft> = {}): Draft {
  return {
    v: 1,
    id: draftId(text, textHash),
    review: 'proposed',
    text,
    perspectives: [
      { id: 'p1', text: `Yes: ${text}`, stance: 'support' },
      { id: 'p2', text: `No: ${text}`, stance: 'oppose' },
    ],
    passages: [],
    made: { from: 'questions', prompts: ['negation-1'], model: 'm', at: '2026-01-01T00:00:00.000Z' },
    ...more,
  };
}
const PASSAGES: Draft['passages'] = [
  { document: 'a.md', hash: 'h1', text: 'One.', supports: ['p1'] },
  { document: 'b.md', hash: 'h2', text: 'Two.', supports: ['p2'] },
];
const NOTHING = { name: 'e.jsonl', queries: [] };

test('drafts read back as written, with unknown fields', () => {
  const draft = { ...draftOf('Do cats swim?', { passages: PASSAGES }), difficulty: 'hard' };
  assert.deepEqual(parseDrafts(formatDraft(draft), 'd').drafts, [draft]);
});

test('reports bad lines by number and reads the rest', () => {
  const good = draftOf('Do cats swim?');
  const text = [
    formatDraft(good).trim(),
    '{"v":1,',
    '',
    JSON.stringify({ ...good, id: 'x', review: 'maybe' }),
    JSON.stringify({ ...good, id: 'y', passages: [{ ...PASSAGES[0], supports: ['p9'] }] }),
    JSON.stringify({ ...good, id: 'z', perspectives: [good.perspectives[0], good.perspectives[0]] }),
    JSON.stringify({ ...good, text: 'Again?' }),
  ].join('\r\n');
  const { drafts, warnings } = parseDrafts(text, 'd.jsonl');
  assert.deepEqual(drafts, [good]);
  assert.equal(warnings.length, 5);
  assert.match(warnings[0]!, /^d\.jsonl: Line 2: not JSON/);
  assert.match(warnings[1]!, /Line 4: review: .*\(found "maybe"\); left out/);
  assert.match(warnings[2]!, /Line 5: passages\.0\.supports: there is no perspective "p9"/);
  assert.match(warnings[3]!, /Line 6: perspectives: the id "p1" occurs a second time/);
  assert.match(warnings[4]!, /Line 7: the draft "d-[0-9a-f]{16}" occurs a second time/);
});

test('refuses another file format and accepts an empty file', () => {
  assert.deepEqual(parseDrafts('', 'd'), { drafts: [], warnings: [] });
  assert.throws(() => parseDrafts('{"_id":"q1","text":"Why?"}\n', 'e.jsonl'), {
    message: /^Not a file of drafts\. Line 1/,
  });
});

test('a review changes its own fields only', () => {
  const line =
    '  {"extra" : 1.50, "v":1,"id":"d", "review":"proposed","text":"Why\\u003f","perspectives":[{"id":"p1","text":"x"}],"made":{"from":"log","prompts":[],"model":"m","at":""}}';
  const rejected = applyEdit(line, reviewEdit(line, { review: 'rejected', because: 'Too "vague"' }));
  assert.equal(
    rejected,
    `${line.replace('"proposed"', '"rejected"').slice(0, -1)}, "because": "Too \\"vague\\""}`,
  );
  const accepted = applyEdit(rejected, reviewEdit(rejected, { review: 'accepted' }));
  assert.equal(accepted, line.replace('"proposed"', '"accepted"'));
});

test('refuses to accept an invalid draft or one without perspectives', () => {
  const bare = formatDraft(draftOf('Why?', { perspectives: [] })).trim();
  assert.throws(() => reviewEdit(bare, { review: 'accepted' }), /no perspectives/);
  assert.ok(reviewEdit(bare, { review: 'rejected', because: 'x' }));
  assert.throws(() => reviewEdit('{"a":1}', { review: 'accepted' }), /is not a draft/);
  assert.throws(() => reviewEdit('', { review: 'accepted' }), /is not a draft: not JSON/);
});

const questionText = fc.string({ minLength: 1 }).filter((text) => /[a-z]/i.test(text));
const name = fc.constantFrom('a.parallax.jsonl', 'b.parallax.jsonl', 'c.jsonl');

test('ids depend on the draft and the eval set only', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(name, questionText), { maxLength: 20 }), (pairs) => {
      const ids = new Map<string, string>();
      for (const [evalSet, text] of pairs) {
        const draft = draftOf(text);
        const id = evalQueryId(evalSet, draft, textHash);
        assert.equal(id, evalQueryId(evalSet, draft, textHash));
        const of = JSON.stringify([evalSet, draft.id]);
        assert.equal(ids.get(id) ?? of, of);
        ids.set(id, of);
      }
    }),
  );
});

test('parseEvalSet reads what was written, without a warning, in the same order', () => {
  const extra = fc.dictionary(
    fc.constantFrom('tags', '_id', 'difficulty', 'made', 'query'),
    fc.constantFrom(['x'], 'y', 3),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(questionText, extra), { maxLength: 8 }), (given) => {
      const drafts = given.map(([text, { tags, difficulty, _id }]) =>
        draftOf(text, {
          review: 'accepted',
          ...(difficulty === undefined ? {} : { difficulty }),
          ...(_id === undefined ? {} : { _id }),
          ...(Array.isArray(tags) ? { tags } : {}),
        }),
      );
      const { accepted } = acceptedDrafts(drafts, NOTHING, textHash);
      if (accepted.length === 0) return;
      const { queries, warnings } = parseEvalSet(accepted.map(evalLine).join(''), 'e');
      assert.deepEqual(warnings, []);
      assert.deepEqual(
        queries.map(({ id, text }) => ({ id, text })),
        accepted.map(({ id, draft }) => ({ id, text: draft.text })),
      );
      for (const [place, { perspectives }] of queries.entries())
        assert.deepEqual(
          perspectives,
          accepted[place]!.draft.perspectives.map((each) => ({ ...each, stanceBy: 'model' })),
        );
    }),
  );
});

test('writes accepted drafts once, with unknown fields and without the review', () => {
  const accepted = draftOf('Do cats swim?', { review: 'accepted', because: 'ok', difficulty: 'hard' });
  const drafts = [accepted, draftOf('Proposed?'), draftOf('Rejected?', { review: 'rejected' })];
  const first = acceptedDrafts(drafts, NOTHING, textHash);
  assert.equal(first.accepted.length, 1);
  const record = JSON.parse(evalLine(first.accepted[0]!)) as Record<string, unknown>;
  assert.deepEqual(Object.keys(record), ['_id', 'text', 'perspectives', 'made', 'difficulty']);
  const { queries } = parseEvalSet(evalLine(first.accepted[0]!), 'e');
  const again = acceptedDrafts(
    [{ ...accepted, text: 'Do cats like to swim?' }],
    { ...NOTHING, queries },
    textHash,
  );
  assert.deepEqual(again, { accepted: [], already: 1, warnings: [] });
});

test('omits known questions and those without perspectives, with a warning', () => {
  const { queries } = parseEvalSet('{"_id":"own","text":"do cats swim"}\n', 'e');
  const drafts = [
    draftOf('Do cats swim?', { review: 'accepted' }),
    draftOf('Bare?', { review: 'accepted', perspectives: [] }),
  ];
  const { accepted, warnings } = acceptedDrafts(drafts, { ...NOTHING, queries }, textHash);
  assert.deepEqual(accepted, []);
  assert.match(warnings[0]!, /nearly the question own/);
  assert.match(warnings[1]!, /"Bare\?" has no perspectives/);
});

test('of two similar drafts the first joins an eval set, once', () => {
  const first = draftOf('Do cats swim?', { review: 'accepted' });
  const { accepted, already, warnings } = acceptedDrafts(
    [first, first, draftOf('do CATS swim', { review: 'accepted', id: 'd-2' })],
    NOTHING,
    textHash,
  );
  assert.deepEqual([accepted.map(({ draft }) => draft.text), already], [['Do cats swim?'], 1]);
  assert.match(warnings.join(), /nearly the question q-[0-9a-f]{16},/u);
});

test('a stance keeps its source; a perspective without a stance has none', () => {
  const perspectives = [
    { id: 'p1', text: 'Yes.', stance: 'support', stanceBy: 'human' },
    { id: 'p2', text: 'No.' },
  ] as const;
  const line = JSON.parse(evalLine({ id: 'q', draft: draftOf('Why?', { perspectives }) })) as object;
  assert.deepEqual(Object.entries(line)[2], ['perspectives', perspectives]);
});

test('new perspectives get unique ids and trimmed texts', () => {
  const draft = draftOf('Why?');
  const line = formatDraft({ ...draft, perspectives: [{ id: 'p2', text: 'One.' }] }).trim();
  const perspectives = [
    { id: 'p2', text: ' One more. ' },
    { text: 'Two.' },
    { text: ' ' },
    { text: 'Three.' },
  ];
  const worded = applyEdit(line, rewordEdit(line, { text: ' Why not? ', perspectives }));
  const { text, perspectives: written, passages } = parseDraft(worded) as Draft;
  assert.deepEqual([text, passages], ['Why not?', []]);
  assert.deepEqual(written, [
    { id: 'p2', text: 'One more.' },
    { id: 'p3', text: 'Two.' },
    { id: 'p4', text: 'Three.' },
  ]);
});

test('proposed labels: yes for supporting passages, no for the others, imported', () => {
  const draft = draftOf('Do cats swim?', { review: 'accepted', passages: PASSAGES });
  const labels = proposedLabels({ id: 'q-1', draft }, '2026-01-02T00:00:00.000Z');
  const read = parseLabels(labels.map(formatLabel).join(''));
  assert.deepEqual(read.warnings, []);
  assert.deepEqual(
    read.labels.map(({ hash, perspective, verdict, by }) => [hash, perspective, verdict, by.kind, by.name]),
    [
      ['h1', 'p1', 'yes', 'imported', 'm'],
      ['h1', 'p2', 'no', 'imported', 'm'],
      ['h2', 'p1', 'no', 'imported', 'm'],
      ['h2', 'p2', 'yes', 'imported', 'm'],
    ],
  );
  assert.equal(typeof parseDraft(formatDraft(draft)), 'object');
});
