/** Exchanges that a format can represent, so that writing and reading returns an equal one. */
import fc from 'fast-check';
import { exchangeOf, type Exchange } from '../../../../src/core/formats/exchange/exchange.ts';
import type { Ranked } from '../../../../src/core/model.ts';
import { PLAIN_PERSPECTIVE } from '../../../../src/core/words.ts';

/** Ids contain anything except separators of lines and columns. */
const id = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 8 })
  // Lone surrogates do not survive UTF-8, and outer blanks are not part of a column.
  .map((text) => text.toWellFormed().replace(/[\s\uFEFF]/gu, '_'));
const sentence = fc
  .string({ unit: 'binary', maxLength: 12 })
  .map((text) => `${text.toWellFormed().replace(/[\r\n\uFEFF]/gu, ' ')}x`);

const ranking = (passages: fc.Arbitrary<string>): fc.Arbitrary<Ranked[]> =>
  fc
    .tuple(
      fc.uniqueArray(passages, { maxLength: 5 }),
      fc.uniqueArray(fc.integer({ min: -99, max: 99 }), { minLength: 5, maxLength: 5 }),
    )
    .map(([items, scores]) => {
      const falling = scores.toSorted((a, b) => b - a);
      return items.map((item, place) => ({ item, score: falling[place]! + 0.5 }));
    });

export interface Shape {
  /** Ids of queries and perspectives are `q1`, … and `p1`, …, as formats without ids give them. */
  readonly perspectives: boolean;
}

export function exchanges({ perspectives }: Shape): fc.Arbitrary<Exchange> {
  return fc
    .record({
      passages: fc.uniqueArray(
        fc.record({ id, text: sentence, title: sentence }, { noNullPrototype: true }),
        {
          minLength: 1,
          maxLength: 4,
          selector: ({ id: own }) => own,
        },
      ),
      queries: fc.uniqueArray(
        fc.record({ id, text: sentence, perspectives: fc.array(sentence, { minLength: 1, maxLength: 3 }) }),
        { minLength: 1, maxLength: 3, selector: ({ id: own }) => own },
      ),
    })
    .chain(({ passages, queries }) => {
      const known = fc.constantFrom(...passages.map((passage) => passage.id));
      const judged = fc.uniqueArray(fc.tuple(known, fc.integer({ min: 0, max: 1 })), {
        selector: ([passage]) => passage,
        maxLength: 4,
      });
      return fc
        .record({
          run: fc.tuple(...queries.map(() => ranking(known))),
          qrels: fc.tuple(...queries.map((query) => fc.tuple(...query.perspectives.map(() => judged)))),
        })
        .map(({ run, qrels }) =>
          exchangeOf({
            passages,
            queries: queries.map((query) => ({
              id: query.id,
              text: query.text,
              perspectives: perspectives
                ? query.perspectives.map((text, place) => ({ id: `p${place + 1}`, text }))
                : [],
            })),
            run: new Map(queries.map((query, place) => [query.id, run[place]!])),
            qrels: new Map(
              queries.map((query, place) => [
                query.id,
                perspectives
                  ? new Map(qrels[place]!.map((own, index) => [`p${index + 1}`, new Map(own)]))
                  : new Map([[PLAIN_PERSPECTIVE, new Map(qrels[place]![0])]]),
              ]),
            ),
          }),
        );
    });
}

/** Maps as lists without empty entries, so that equal contents compare equal. */
export function comparable({ passages, queries, run, qrels }: Exchange): object {
  return {
    passages: passages.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    queries,
    run: [...run],
    qrels: [...qrels].map(([query, topic]) => [
      query,
      [...topic]
        .filter(([, judged]) => judged.size > 0)
        .map(([perspective, judged]) => [perspective, [...judged].sort()]),
    ]),
  };
}
