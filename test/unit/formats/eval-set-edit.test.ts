import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { ParallaxError } from '../../../src/core/errors.ts';
import { stanceEdit, type StanceChange } from '../../../src/core/formats/eval-set-edit.ts';
import { applyEdit, findValue, setMembers } from '../../../src/core/formats/json-edit.ts';
import { parseEvalSet } from '../../../src/core/formats/queries.ts';

const SUPPORT: StanceChange = { stance: 'support', by: 'model' };
const REMOVE: StanceChange = { stance: undefined, by: 'human' };
const edited = (text: string, query: string, id: string, words: string, change: StanceChange): string =>
  applyEdit(text, stanceEdit(text, query, { id, text: words }, change));

const FILE = [
  '\uFEFF{  "weight": 1.50e1, "text": "Q\\u0041?", "perspectives": [ {"id":"x","text":"one" , "note": {"]": "}\\""} }, "two" ], "_id": "b" }\r',
  '',
  '{"_id": "b", "text": "repeated", "perspectives": ["other"]}\r',
  'not json',
  '{"question": "no id?", "perspectives": ["p\\"q\\u00e9", {"text": "last", "stance": null, "x": 1.0}]}',
].join('\n');

test('adds a stance and keeps every other character', () => {
  assert.equal(
    edited(FILE, 'b', 'x', 'one', SUPPORT),
    FILE.replace(
      '{"id":"x","text":"one" , "note": {"]": "}\\""} }',
      '{"id":"x","text":"one" , "note": {"]": "}\\""}, "stance": "support", "stanceBy": "model" }',
    ),
  );
});

test('edits the first line without a byte order mark', () => {
  const line = '{"_id": "a", "text": "?", "perspectives": ["one"]}';
  assert.equal(
    edited(line, 'a', 'p1', 'one', SUPPORT),
    line.replace('"one"', '{"text": "one", "stance": "support", "stanceBy": "model"}'),
  );
});

test('turns a bare string into an object with the same text and the id of its place', () => {
  const text = edited(FILE, 'q5', 'p1', 'p"qé', { stance: 'oppose', by: 'human' });
  assert.equal(
    text,
    FILE.replace('"p\\"q\\u00e9"', '{"text": "p\\"q\\u00e9", "stance": "oppose", "stanceBy": "human"}'),
  );
  const query = parseEvalSet(text, 'f').queries.find(({ id }) => id === 'q5');
  assert.deepEqual(query?.perspectives[0], { id: 'p1', text: 'p"qé', stance: 'oppose', stanceBy: 'human' });
});

test('corrects a stance in place and removes it again', () => {
  const once = edited(FILE, 'q5', 'p2', 'last', SUPPORT);
  assert.ok(once.endsWith('{"text": "last", "stance": "support", "x": 1.0, "stanceBy": "model"}]}'));
  const corrected = edited(once, 'q5', 'p2', 'last', { stance: 'oppose', by: 'human' });
  assert.ok(corrected.endsWith('{"text": "last", "stance": "oppose", "x": 1.0, "stanceBy": "human"}]}'));
  assert.ok(edited(corrected, 'q5', 'p2', 'last', REMOVE).endsWith('{"text": "last", "x": 1.0}]}'));
  assert.equal(edited(FILE, 'q5', 'p1', 'p"qé', REMOVE), FILE, 'nothing to take away changes nothing');
});

test('does not write to an eval set that has changed since', () => {
  for (const [query, id, words] of [
    ['b', 'x', 'another text'],
    ['b', 'y', 'one'],
    ['a', 'x', 'one'],
  ] as const)
    assert.throws(
      () => edited(FILE, query, id, words, SUPPORT),
      (error) => ParallaxError.is(error, 'not-found') && /no longer has/u.test(error.message),
    );
});

test('changes only the given members of any object', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.constantFrom('stance', 'a', ''),
      fc.option(fc.string(), { nil: undefined }),
      fc.constantFrom(undefined, 1, '\t'),
      (object, key, value, indent) => {
        const json = ` [0, ${JSON.stringify(object, null, indent)}, "x"] `;
        const { start } = findValue(json, [1])!;
        const [before, after] = JSON.parse(applyEdit(json, setMembers(json, start, { [key]: value }))).slice(
          1,
        );
        const others = Object.entries(JSON.parse(JSON.stringify(object)) as object).filter(
          ([name]) => name !== key,
        );
        const expected = value === undefined ? others : [...others, [key, value]];
        assert.deepEqual(before, Object.fromEntries(expected));
        assert.equal(after, 'x');
      },
    ),
  );
});

test('sets the last of two equal keys and removes both', () => {
  const twice = '{"a": 1, "stance": "support", "b": 2, "stance": "oppose"}';
  assert.equal(
    setMembers(twice, 0, { stance: 'support' }).text,
    '{"a": 1, "stance": "support", "b": 2, "stance": "support"}',
  );
  assert.equal(setMembers(twice, 0, { stance: undefined }).text, '{"a": 1, "b": 2}');
  assert.equal(setMembers('{"stance": "x"}', 0, { stance: undefined }).text, '{}');
  assert.equal(setMembers('{}', 0, { stance: 'x' }).text, '{"stance": "x"}');
});

const DEBATE = '../shared/data/debate/queries.jsonl';
test(
  'adds stances to a real eval set and keeps everything else',
  { skip: existsSync(DEBATE) ? false : 'cannot run here: ../shared/data is absent' },
  () => {
    const original = readFileSync(DEBATE, 'utf8');
    const { queries } = parseEvalSet(original, 'debate');
    let text = original;
    for (const { id, perspectives } of queries.slice(0, 20))
      for (const perspective of perspectives)
        text = applyEdit(text, stanceEdit(text, id, perspective, SUPPORT));
    const after = parseEvalSet(text, 'debate').queries;
    assert.deepEqual(
      after.slice(0, 20).map(({ perspectives }) => perspectives.map(({ stance }) => stance)),
      queries.slice(0, 20).map(({ perspectives }) => perspectives.map(() => 'support')),
    );
    assert.equal(text.replaceAll(', "stance": "support", "stanceBy": "model"', ''), original);
  },
);
