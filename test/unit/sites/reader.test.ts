/** The reader of arguments, held against an interpreter: a value that is stated is the one that the call runs with. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkReader } from './reader-check.ts';

/** `npm run bench -- site-reader` takes 100,000. */
const PROGRAMS = 600;

for (const language of ['python', 'typescript'] as const)
  test(`states no value that a program in ${language} does not run with`, async () => {
    const { wrong, stated } = await checkReader(language, 1, PROGRAMS);
    assert.deepEqual(wrong.slice(0, 1), []);
    // A reader that says nothing is never wrong.
    assert.ok(stated > PROGRAMS / 6, String(stated));
  });
