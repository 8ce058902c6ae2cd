import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { describeIssue, issueClause } from '../../src/core/schema-issue.ts';

const schema = z.strictObject({
  corpora: z.record(z.string(), z.strictObject({ include: z.array(z.string()) })),
  k: z.int().optional(),
  ask: z.boolean().optional(),
});

function said(value: unknown): string | undefined {
  const { error } = schema.safeParse(value);
  return error && describeIssue(error, value);
}

test('names the expected kind in terms of JSON, with the value found', () => {
  assert.equal(
    said({ corpora: [{ name: 'docs' }] }),
    'corpora: must be an object with entries by name: { "name": … } (found [{"name":"docs"}]).',
  );
  assert.equal(
    said({ corpora: { docs: { include: '**' } } }),
    'corpora.docs.include: must be a list: [ … ] (found "**").',
  );
  assert.equal(
    said({ corpora: { docs: { include: [7] } } }),
    'corpora.docs.include.0: must be text in quotation marks (found 7).',
  );
  assert.equal(said({ corpora: {}, k: 'five' }), 'k: must be a number (found "five").');
  assert.equal(said({ corpora: {}, k: 1.5 }), 'k: must be a whole number (found 1.5).');
  assert.equal(said({ corpora: {}, ask: 'no' }), 'ask: must be true or false (found "no").');
  assert.equal(said([]), 'the value: must be an object with these fields: { "name": … } (found []).');
});

test('reports missing values as missing', () => {
  assert.equal(said({}), 'corpora: missing; must be an object with entries by name: { "name": … }.');
  assert.equal(said({ corpora: { docs: {} } }), 'corpora.docs.include: missing; must be a list: [ … ].');
});

test('keeps messages of a schema', () => {
  const { error } = z.object({ text: z.string('expected a text') }).safeParse({ text: 5 });
  assert.equal(describeIssue(error!, { text: 5 }), 'text: expected a text (found 5).');
  const wrong = (checked: z.ZodType, value: unknown): string =>
    describeIssue(checked.safeParse(value).error!, value);
  assert.equal(wrong(z.object({ text: z.string('expected a text') }), {}), 'text: expected a text.');
  assert.match(
    wrong(z.object({ type: z.literal('a') }), { type: 'b' }),
    /^type: must be "a" \(found "b"\)\.$/u,
  );
  assert.equal(wrong(z.object({ at: z.null() }), { at: 5 }), 'at: must be null (found 5).');
  const whole = z.object({ a: z.string() }).refine(() => false, 'is empty');
  assert.equal(wrong(whole, { a: 'x' }), 'the value: is empty.');
});

test('a problem may concern a field of a missing value', () => {
  const deep = z
    .object({ a: z.unknown().optional() })
    .refine(() => false, { path: ['a', 'length'], error: 'is missing' });
  for (const value of [{}, { a: null }, { a: 'text' }])
    assert.equal(describeIssue(deep.safeParse(value).error!, value), 'a.length: is missing.');
});

test('shows a number out of bounds, whatever the name of its field', () => {
  const limits = z.object({ maxTokens: z.number().min(1).max(10) });
  for (const maxTokens of [0, 11])
    assert.match(
      describeIssue(limits.safeParse({ maxTokens }).error!, { maxTokens }),
      new RegExp(`^maxTokens: .* \\(found ${maxTokens}\\)\\.$`, 'u'),
    );
  const even = z.object({ token: z.number().refine((value) => value % 2 === 0, 'is odd') });
  assert.equal(describeIssue(even.safeParse({ token: 3 }).error!, { token: 3 }), 'token: is odd.');
  const long = z.object({ secret: z.string().min(9) });
  assert.doesNotMatch(describeIssue(long.safeParse({ secret: 'x1y2' }).error!, { secret: 'x1y2' }), /x1y2/u);
});

test('gives the limit of a number', () => {
  const schema = z.object({ threshold: z.number().min(0).max(1), rounds: z.number().int().gt(0).lt(6) });
  const clauseFor = (input: object): string => issueClause(schema.safeParse(input).error!, input);
  assert.equal(clauseFor({ threshold: 1.2, rounds: 1 }), 'threshold: must be at most 1 (found 1.2)');
  assert.equal(clauseFor({ threshold: -1, rounds: 1 }), 'threshold: must be at least 0 (found -1)');
  assert.equal(clauseFor({ threshold: 1, rounds: 6 }), 'rounds: must be less than 6 (found 6)');
  assert.equal(clauseFor({ threshold: 1, rounds: 0 }), 'rounds: must be more than 0 (found 0)');
});

test('shortens unknown fields and long values', () => {
  assert.equal(said({ corpora: {}, K: 5 }), 'K: there is no such field (found 5).');
  assert.match(said({ corpora: {}, k: 'x'.repeat(500) })!, /^k: must be a number \(found "x{59}…\)\.$/u);
});

test('repeats no password or key, because messages reach logs', () => {
  assert.equal(said({ corpora: {}, apiKey: 'sk-0123456789' }), 'apiKey: there is no such field.');
  assert.equal(
    said({ corpora: [{ name: 'docs', password: 'of-nobody' }] }),
    'corpora: must be an object with entries by name: { "name": … }.',
  );
  const store = z.object({ url: z.string().regex(/^postgres:/u, 'has to begin with postgres://') });
  const address = (url: string): string => describeIssue(store.safeParse({ url }).error!, { url });
  const refused = 'url: has to begin with postgres://.';
  assert.equal(address('postgresql+psycopg://reader:of-nobody@db/articles'), refused);
  assert.equal(address('host=db password=of-nobody'), refused);
  assert.equal(
    address('https://db.example/articles'),
    'url: has to begin with postgres:// (found "https://db.example/articles").',
  );
});
