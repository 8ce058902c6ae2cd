import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { describeIssue } from '../../src/core/schema-issue.ts';

const schema = z.strictObject({
  corpora: z.record(z.string(), z.strictObject({ include: z.array(z.string()) })),
  k: z.int().optional(),
  ask: z.boolean().optional(),
});

function said(value: unknown): string | undefined {
  const { error } = schema.safeParse(value);
  return error && describeIssue(error, value);
}

test('what is of another kind is named as somebody who writes JSON knows it, with what was found', () => {
  assert.equal(
    said({ corpora: [{ name: 'docs' }] }),
    'corpora: must be entries by name in braces: { "name": … } (found [{"name":"docs"}]).',
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
  assert.equal(said([]), 'the value: must be fields in braces: { "name": … } (found []).');
});

test('what is missing is said to be missing', () => {
  assert.equal(said({}), 'corpora: missing; must be entries by name in braces: { "name": … }.');
  assert.equal(said({ corpora: { docs: {} } }), 'corpora.docs.include: missing; must be a list: [ … ].');
});

test('what a schema says itself is left as it is', () => {
  const { error } = z.object({ text: z.string('expected a text') }).safeParse({ text: 5 });
  assert.equal(describeIssue(error!, { text: 5 }), 'text: expected a text (found 5).');
});

test('a field that nobody knows, and a long value, are shown in part', () => {
  assert.equal(said({ corpora: {}, K: 5 }), 'K: there is no such field (found 5).');
  assert.match(said({ corpora: {}, k: 'x'.repeat(500) })!, /^k: must be a number \(found "x{59}…\)\.$/u);
});

test('what may be a password or a key is not repeated: these sentences reach logs', () => {
  assert.equal(said({ corpora: {}, apiKey: 'sk-0123456789' }), 'apiKey: there is no such field.');
  assert.equal(
    said({ corpora: [{ name: 'docs', password: 'of-nobody' }] }),
    'corpora: must be entries by name in braces: { "name": … }.',
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
