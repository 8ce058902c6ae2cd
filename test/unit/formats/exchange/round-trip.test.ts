/** Every format reads back what it can represent of what it wrote, without a warning. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  exchangeOf,
  type Exchange,
  type ParsedExchange,
} from '../../../../src/core/formats/exchange/exchange.ts';
import {
  EXCHANGE_FORMATS,
  type ExchangeFormat,
  type ExchangeFormatName,
} from '../../../../src/core/formats/exchange/exchange-formats.ts';
import { comparable, exchanges } from './arbitraries.ts';

function roundTrip(name: ExchangeFormatName, exchange: Exchange): ParsedExchange {
  const { parse, format }: ExchangeFormat = EXCHANGE_FORMATS[name];
  return parse!(format!(exchange, 'tag').files, 'file');
}

/** The part of an exchange that each format represents. */
const HELD: Partial<Record<ExchangeFormatName, (exchange: Exchange) => Partial<Exchange>>> = {
  'trec-run': ({ run }) => ({ run: withoutEmpty(run) }),
  'ranx-run': ({ run }) => ({ run }),
  retrieved: ({ run, passages, queries }) => ({
    run,
    queries: queries.map((query) => ({ ...query, perspectives: [] })),
    passages: retrievedOf(passages, run).map(({ id, text }) => ({ id, text })),
  }),
  berds: ({ queries, run, qrels, passages }) => ({
    queries,
    run,
    passages: retrievedOf(passages, run),
    qrels: onlyRetrieved(qrels, run),
  }),
  'eval-set': ({ queries }) => ({ queries }),
};

const PLAIN: Partial<Record<ExchangeFormatName, (exchange: Exchange) => Partial<Exchange>>> = {
  beir: ({ passages, queries, qrels }) => ({ passages, queries, qrels: withoutEmptyTopics(qrels) }),
  'ranx-qrels': ({ qrels }) => ({ qrels }),
  ragas: ({ passages, queries, run, qrels }) => ({
    queries,
    run: byPlace(run),
    qrels: gold(qrels),
    passages: retrievedOf(passages, run, gold(qrels)).map(({ id, text }) => ({ id, text })),
  }),
};

function withoutEmpty(run: Exchange['run']): Exchange['run'] {
  return new Map([...run].filter(([, own]) => own.length > 0));
}

function withoutEmptyTopics(qrels: Exchange['qrels']): Exchange['qrels'] {
  return new Map([...qrels].filter(([, topic]) => [...topic.values()].some(({ size }) => size > 0)));
}

function byPlace(run: Exchange['run']): Exchange['run'] {
  return new Map(
    [...run].map(([id, own]) => [id, own.map(({ item }, place) => ({ item, score: 0 - place }))]),
  );
}

function gold(qrels: Exchange['qrels']): Exchange['qrels'] {
  const positive = (own: ReadonlyMap<string, number>): Map<string, number> =>
    new Map([...own].filter(([, relevance]) => relevance > 0));
  return new Map(
    [...qrels].map(([id, topic]) => [id, new Map([...topic].map(([key, own]) => [key, positive(own)]))]),
  );
}

function retrievedOf(
  passages: Exchange['passages'],
  run: Exchange['run'],
  qrels: Exchange['qrels'] = new Map(),
): Exchange['passages'] {
  const seen = new Set([...run.values()].flatMap((own) => own.map(({ item }) => item)));
  for (const topic of qrels.values())
    for (const own of topic.values()) for (const id of own.keys()) seen.add(id);
  return passages.filter(({ id }) => seen.has(id));
}

function onlyRetrieved(qrels: Exchange['qrels'], run: Exchange['run']): Exchange['qrels'] {
  const all = [...qrels].map(([query, topic]): [string, Map<string, Map<string, number>>] => {
    const seen = new Set(run.get(query)!.map(({ item }) => item));
    return [
      query,
      new Map(
        [...topic].map(([key, own]) => [key, new Map([...own].filter(([passage]) => seen.has(passage)))]),
      ),
    ];
  });
  // Without an answer in the file there is no judge.
  const asked = all.some(([, topic]) => [...topic.values()].some(({ size }) => size > 0));
  return new Map(asked ? all : []);
}

describe('round trips', () => {
  for (const [shape, held] of [
    [{ perspectives: true }, HELD],
    [{ perspectives: false }, PLAIN],
  ] as const)
    for (const [name, part] of Object.entries(held))
      test(name, () => {
        fc.assert(
          fc.property(exchanges(shape), (exchange) => {
            const expected = exchangeOf(part(exchange));
            // A run that cannot be written is refused; see the tests of each format.
            fc.pre(name !== 'trec-run' || expected.run.size > 0);
            fc.pre(name !== 'beir' || expected.qrels.size > 0);
            const { exchange: read, warnings } = roundTrip(name as ExchangeFormatName, exchange);
            assert.deepEqual(warnings, []);
            assert.deepEqual(comparable(read), comparable(expected));
          }),
          { seed: 6, numRuns: 200 },
        );
      });

  test('trec-qrels keeps every perspective that has a judgement', () => {
    fc.assert(
      fc.property(exchanges({ perspectives: true }), (exchange) => {
        const { qrels } = exchange;
        fc.pre([...withoutEmptyTopics(qrels)].length === qrels.size);
        assert.deepEqual(
          comparable(roundTrip('trec-qrels', exchange).exchange),
          comparable(exchangeOf({ qrels })),
        );
      }),
      { seed: 6, numRuns: 200 },
    );
  });

  test('pir is unchanged after writing and reading', () => {
    fc.assert(
      fc.property(exchanges({ perspectives: true }), (exchange) => {
        fc.pre(
          [...exchange.qrels.values()].every((topic) =>
            [...topic.values()].every((own) => [...own.values()].includes(1)),
          ),
        );
        const once = roundTrip('pir', exchange).exchange;
        const twice = roundTrip('pir', once).exchange;
        assert.deepEqual(comparable(twice), comparable(once));
        assert.deepEqual([...twice.fullTexts], [...once.fullTexts]);
        assert.deepEqual(
          once.passages.map(({ text }) => text),
          exchange.passages.map(({ text }) => text),
        );
      }),
      { seed: 6, numRuns: 200 },
    );
  });

  test('deepeval keeps texts but not ids of passages', () => {
    const exchange = exchangeOf({
      queries: [{ id: 'a', text: 'What?', perspectives: [] }],
      passages: [
        { id: 'x', text: 'one' },
        { id: 'y', text: 'two' },
      ],
      run: new Map([
        [
          'a',
          [
            { item: 'y', score: 2 },
            { item: 'x', score: 1 },
          ],
        ],
      ]),
      qrels: new Map([['a', new Map([['0', new Map([['x', 1]])]])]]),
    });
    const { exchange: read } = roundTrip('deepeval', exchange);
    assert.deepEqual(read.passages, [
      { id: 'c1', text: 'two' },
      { id: 'c2', text: 'one' },
    ]);
    assert.deepEqual(
      [...read.run],
      [
        [
          'a',
          [
            { item: 'c1', score: 0 },
            { item: 'c2', score: -1 },
          ],
        ],
      ],
    );
    assert.deepEqual([...read.qrels.get('a')!.get('0')!], [['c2', 1]]);
  });
});

const PIR = '../shared/data/pir';
test(
  'the tasks of the PIR authors: same queries, perspectives, labels and right passages',
  existsSync(PIR) ? {} : { skip: `cannot run here: ${PIR} is absent` },
  () => {
    for (const task of ['ambigqa', 'perspectrum', 'story']) {
      const text = readFileSync(`${PIR}/${task}.json`, 'utf8');
      const { parse, format }: ExchangeFormat = EXCHANGE_FORMATS.pir;
      const written = format!(parse!(new Map([['', text]]), task).exchange, '').files.get('')!;
      assert.deepEqual(rowsOf(written), rowsOf(text), task);
    }
  },
);

function rowsOf(text: string): object {
  const task = JSON.parse(text) as Record<string, string[]> & {
    key_ref: Record<string, (string | number)[]>;
  };
  const rows = task['queries']!.map((query, place) =>
    JSON.stringify([
      query,
      ...['source_queries', 'perspectives', 'query_labels'].map((field) => task[field]![place]),
      task.key_ref[place]!.map(Number).sort(),
    ]),
  );
  return { corpus: task['corpus'], rows: rows.sort() };
}
