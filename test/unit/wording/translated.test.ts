/** Sentences that a reader took for translations do not come back, in whatever message. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const BUNDLE = Object.keys(JSON.parse(readFileSync('l10n/bundle.l10n.json', 'utf8')) as object);

const TRANSLATED = [
  /until you take it/u,
  /^Take (?:\[|\{)/u,
  /so far: not a candidate/u,
  /Not found so far/u,
  /as varied as/u,
  /have nothing in common, to their number|to their number, where/u,
  /stand in none/u,
  /take (?:them|these) (?:as|for)/u,
  /in no larger theme/u,
  /count as no support/u,
  /runs of three words/u,
  /What stands below/u,
  /and it takes \{?\d/u,
  /the queries whole/u,
  /down to the first support,/u,
  /for every k, at least/u,
  /and still count/u,
  /once that is mended/u,
  /can be held to JSON/u,
  /Not known of \{/u,
  /Missed: \{\d\} of/u,
  /nothing here"|k=\?/u,
  /it scores one by one/u,
  /is said in parallax\.json/u,
  /eval sets say nothing/u,
];

for (const pattern of TRANSLATED)
  test(`no message matches ${pattern}`, () => {
    assert.deepEqual(
      BUNDLE.filter((text) => pattern.test(text)),
      [],
    );
  });
