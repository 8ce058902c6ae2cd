import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  attributedShare,
  balance,
  type CitingAnswer,
} from '../../../src/features/papers/core/answers/attribution.ts';
import type { Verdict } from '../../../src/core/model.ts';

type Perspective = CitingAnswer['perspectives'][number];

/** @param quote of the answer that represents the perspective */
function perspective(
  text: string,
  quote: string | undefined,
  supports: Perspective['supports'],
  verdict: Verdict = quote === undefined ? 'no' : 'yes',
): Perspective {
  const start = quote === undefined ? -1 : text.indexOf(quote);
  assert.ok(quote === undefined || start >= 0);
  const evidence = quote === undefined ? [] : [{ start, end: start + quote.length }];
  return { verdict, evidence, supports };
}

const TEXT = 'Cats calm people at work [1]. They cost some money, though. [2] Nothing else is known.';

test('a represented perspective is attributed if its sentence cites a passage that supports it', () => {
  const answer = (first: Perspective['supports'], second: Perspective['supports']): CitingAnswer => ({
    text: TEXT,
    passages: 2,
    perspectives: [perspective(TEXT, 'Cats calm', first), perspective(TEXT, 'They cost', second)],
  });
  assert.equal(attributedShare(answer([true, false], [false, true])), 1);
  assert.equal(attributedShare(answer([true, false], [true, false])), 0.5, 'the other passage is cited');
  assert.equal(attributedShare(answer([false, true], [true, false])), 0);
  assert.equal(attributedShare(answer([undefined, false], [false, true])), undefined, 'not judged');
  assert.equal(attributedShare(answer([true, undefined], [false, true])), 1, 'not cited there');
});

test('without a represented perspective, or a place of it, nothing is attributed or denied', () => {
  const none = perspective(TEXT, undefined, [true, true]);
  assert.equal(attributedShare({ text: TEXT, passages: 2, perspectives: [none] }), undefined);
  const unplaced = perspective(TEXT, undefined, [true, true], 'yes');
  assert.equal(attributedShare({ text: TEXT, passages: 2, perspectives: [unplaced] }), undefined);
  assert.equal(
    attributedShare({ text: TEXT, passages: 0, perspectives: [perspective(TEXT, 'Cats calm', [])] }),
    undefined,
  );
  const uncited = perspective(TEXT, 'Nothing else', [true, true]);
  assert.equal(attributedShare({ text: TEXT, passages: 2, perspectives: [uncited] }), 0);
});

test('balance is 1 for equal words, 0 for one side, and open if a cited passage is unjudged', () => {
  const of = (text: string, ...supports: Perspective['supports'][]): number | undefined =>
    balance({ text, passages: 2, perspectives: supports.map((own) => perspective(text, undefined, own)) });
  const even = 'Cats calm people [1]. Cats cost money [2].';
  assert.equal(of(even, [true, false], [false, true]), 1);
  assert.equal(of(even, [true, true], [false, false]), 0);
  assert.equal(of(even, [true, true], [true, true]), 1, 'a sentence for both is divided');
  const uneven = of('Cats calm many people at work [1]. They cost [2].', [true, false], [false, true])!;
  assert.ok(Math.abs(uneven - 0.8113) < 1e-4, String(uneven));
  assert.equal(of(even, [true, undefined], [false, true]), undefined);
  assert.equal(of(even, [true, false]), undefined, 'one perspective');
  assert.equal(of('Cats calm people.', [true, true], [true, true]), undefined, 'nothing is cited');
});

test('balance among three perspectives counts those that the answer leaves out', () => {
  const text = 'Cats calm people [1]. Cats cost money [2].';
  const supports = [
    [true, false],
    [false, true],
    [false, false],
  ];
  const perspectives = supports.map((own) => perspective(text, undefined, own));
  assert.equal(
    balance({ text, passages: 2, perspectives })!.toFixed(4),
    (Math.log(2) / Math.log(3)).toFixed(4),
  );
});
