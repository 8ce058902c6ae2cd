/** Each format by hand: its meaning, and the warnings for inconsistent files. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ParallaxError } from '../../../../src/core/errors.ts';
import {
  formatBeirQrels,
  parseBeirCorpus,
  parseBeirQrels,
} from '../../../../src/core/formats/exchange/beir.ts';
import { formatBerds, parseBerds } from '../../../../src/core/formats/exchange/berds.ts';
import {
  formatDeepEval,
  formatRagas,
  parseContexts,
} from '../../../../src/core/formats/exchange/contexts.ts';
import {
  Doubts,
  exchangeOf,
  mergeExchanges,
  mismatches,
  pairKey,
  quote,
  type Exchange,
} from '../../../../src/core/formats/exchange/exchange.ts';
import {
  EXCHANGE_FORMATS,
  lostParts,
  type ExchangeFormat,
  type ExchangeFormatName,
} from '../../../../src/core/formats/exchange/exchange-formats.ts';
import { ListedPassages, rankedAsListed } from '../../../../src/core/formats/exchange/listed.ts';
import { formatPir, parsePirExchange } from '../../../../src/core/formats/exchange/pir-exchange.ts';
import {
  formatRanxQrels,
  formatRanxRun,
  parseRanxQrels,
  parseRanxRun,
} from '../../../../src/core/formats/exchange/ranx.ts';
import { parseRecords } from '../../../../src/core/formats/exchange/records.ts';
import {
  formatRetrieved,
  parseRetrievedExchange,
} from '../../../../src/core/formats/exchange/retrieved-exchange.ts';
import { parseList, parseTable } from '../../../../src/core/formats/exchange/table.ts';
import type { Qrels, Run } from '../../../../src/core/model.ts';

const lines = (...records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');
const items = (run: Run, query: string): readonly string[] => run.get(query)!.map(({ item }) => item);
const qrelsOf = (rows: readonly (readonly [string, string, string, number])[]): Qrels => {
  const qrels = new Map<string, Map<string, Map<string, number>>>();
  for (const [query, perspective, passage, relevance] of rows) {
    const topic = qrels.get(query) ?? new Map<string, Map<string, number>>();
    qrels.set(query, topic.set(perspective, (topic.get(perspective) ?? new Map()).set(passage, relevance)));
  }
  return qrels;
};
const badFile = (message: RegExp) => (error: unknown) =>
  ParallaxError.is(error, 'bad-file') && message.test(error.message);
const badArgument = (message: RegExp) => (error: unknown) =>
  ParallaxError.is(error, 'bad-argument') && message.test(error.message);

test('warns when it writes an eval set without perspectives', () => {
  const query = { id: 'q', text: 'Why?', perspectives: [], tags: [] };
  const written = EXCHANGE_FORMATS['eval-set'].format!(exchangeOf({ queries: [query] }), 'x');
  assert.match(written.warnings.join(), /^No query has perspectives: add some to each/u);
  const covered = { ...query, id: 'r', perspectives: [{ id: 'p', text: 'P' }] };
  const some = EXCHANGE_FORMATS['eval-set'].format!(exchangeOf({ queries: [query, covered] }), 'x');
  assert.deepEqual(some.warnings, []);
});

test('names required parts that are missing', () => {
  const needed: Partial<Record<ExchangeFormatName, RegExp>> = {
    'trec-run': /no run/u,
    'ranx-run': /no run/u,
    retrieved: /no run/u,
    'trec-qrels': /no judgements/u,
    'ranx-qrels': /no judgements/u,
    berds: /no queries/u,
    ragas: /no queries/u,
    deepeval: /no queries/u,
    'eval-set': /no queries/u,
    beir: /nothing to write that BEIR/u,
  };
  for (const [name, message] of Object.entries(needed)) {
    const { format }: ExchangeFormat = EXCHANGE_FORMATS[name as ExchangeFormatName];
    assert.throws(() => format!(exchangeOf({}), 't'), badArgument(message), name);
  }
});

test('reads only the files of a folder that the format uses', () => {
  const paths = [
    ...['corpus.jsonl', 'queries.jsonl', 'qrels/test.tsv', 'qrels/dev.tsv', 'qrels/a/test.tsv'],
    ...['old/corpus.jsonl', 'old/qrels/test.tsv', 'qrels/test.tsv.gz', 'qrels.txt', 'run.txt'],
  ];
  assert.deepEqual(paths.filter(EXCHANGE_FORMATS.beir.reads), paths.slice(0, 4));
});

test('prefixes a warning with the name of its file', () => {
  const warned = (name: ExchangeFormatName, text: string): readonly string[] => {
    const { parse }: ExchangeFormat = EXCHANGE_FORMATS[name];
    return parse!(new Map([['', text]]), 'f.txt').warnings;
  };
  assert.match(warned('trec-run', 'q Q0 a 1 1 t\nq')[0]!, /^f\.txt: Line 2: /u);
  assert.match(warned('trec-qrels', 'q 0 a 1\nq')[0]!, /^f\.txt: Line 2: /u);
});

describe('BEIR', () => {
  test('qrels: skips the header, keeps blanks in ids, ignores carriage returns', () => {
    const { qrels, warnings } = parseBeirQrels(
      'query-id\tcorpus-id\tscore\r\nq 1\td 1\t2\r\nq 1\td2\t0\r\n',
      'f',
    );
    assert.deepEqual(
      [...qrels.get('q 1')!.get('0')!],
      [
        ['d 1', 2],
        ['d2', 0],
      ],
    );
    assert.deepEqual(warnings, []);
  });

  test('qrels without a header: counts the first judgement and warns that BEIR skips it', () => {
    const { qrels, warnings } = parseBeirQrels('q\td\t1\n', 'f');
    assert.equal(qrels.get('q')!.get('0')!.get('d'), 1);
    assert.deepEqual(warnings, ['f: There is no header: BEIR itself would skip the first judgement.']);
  });

  test('warns of contradictions: judged twice, negative, bad lines', () => {
    const text = 'query-id\tcorpus-id\tscore\nq\td\t1\nq\td\t0\nq\te\t-1\nq d 1\nq\tf\tyes\n';
    const { qrels, warnings } = parseBeirQrels(text, 'f');
    assert.deepEqual([...qrels.get('q')!.get('0')!], [['d', 1]]);
    assert.deepEqual(warnings, [
      'f: Line 5: expected 3 columns separated by tabs, found 1; skipped.',
      'f: Line 6: relevance "yes" is not a whole number; skipped.',
      'f: Contradicting judgements: the higher relevance counts (1, the first: "q" and "d").',
      'f: Negative relevance counts as unjudged (1, the first: "q" and "e").',
    ]);
  });

  test('corpus: warns of repeated ids and broken lines', () => {
    const text = `${lines({ _id: 1, title: 'T', text: 'one' }, { _id: '1', text: 'two' }, { text: 'three' })}{`;
    const { passages, warnings } = parseBeirCorpus(text, 'f');
    assert.deepEqual(passages, [{ id: '1', title: 'T', text: 'one' }]);
    assert.equal(warnings.length, 3);
    assert.match(warnings[0]!, /^f: Line 2: _id "1" occurs a second time/u);
  });

  test('merges perspectives with a warning; refuses ids that no column can contain', () => {
    const qrels = qrelsOf([
      ['q', 'pro', 'd', 0],
      ['q', 'con', 'd', 1],
    ]);
    assert.equal(formatBeirQrels(qrels), 'query-id\tcorpus-id\tscore\nq\td\t1\n');
    const written = EXCHANGE_FORMATS.beir.format(exchangeOf({ qrels }));
    assert.match(
      written.warnings.join(),
      /BEIR knows no perspectives: the judgements of 1 queries are merged/u,
    );
    for (const id of ['a\tb', ''])
      assert.throws(() => formatBeirQrels(qrelsOf([[id, '0', 'd', 1]])), badArgument(/a tab or a line end/u));
    const ranx = EXCHANGE_FORMATS['ranx-qrels'].format!(exchangeOf({ qrels }), 't');
    assert.match(ranx.warnings.join(), /^ranx knows no perspectives: the judgements of 1 queries/u);
    const plain = qrelsOf([
      ['q', '0', 'd', 1],
      ['q', '0', 'e', 0],
    ]);
    assert.deepEqual(EXCHANGE_FORMATS.beir.format(exchangeOf({ qrels: plain })).warnings, []);
  });

  test('writes every field of a corpus, empty titles included', () => {
    const passages = [
      { id: 'd', title: 'T', text: 'one' },
      { id: 'e', text: 'two' },
    ];
    const { files } = EXCHANGE_FORMATS.beir.format(exchangeOf({ passages }));
    assert.equal(
      files.get('corpus.jsonl'),
      lines({ _id: 'd', title: 'T', text: 'one' }, { _id: 'e', title: '', text: 'two' }),
    );
  });

  test('qrels: empty ids and invalid numbers are bad lines; an equal judgement is not', () => {
    const text = 'q\td\t12 \nq\td\t12\n\td\t1\nq\t\t1\nq\te\t1x\nq\tf\tx1\n';
    const { qrels, warnings } = parseBeirQrels(text, 'f');
    assert.deepEqual([...qrels.get('q')!.get('0')!], [['d', 12]]);
    assert.deepEqual(
      warnings.map((warning) => /Line (\d)/u.exec(warning)?.[1]),
      [undefined, '3', '4', '5', '6'],
    );
    assert.throws(() => parseBeirQrels('', 'f'), badFile(/no lines to read/u));
  });

  test('reads a folder file by file, names each inconsistent file, and writes what exists', () => {
    const { parse, format } = EXCHANGE_FORMATS.beir;
    const folder = new Map([
      ['corpus.jsonl', `${lines({ _id: 'd', title: 'T', text: 'one' })}{\n`],
      ['queries.jsonl', lines({ _id: 'q', text: 'Why?' }, { _id: 'q', text: 'How?' })],
      ['qrels/test.tsv', 'q\td\t1\n'],
      ['qrels/dev.tsv', 'query-id\tcorpus-id\tscore\nq\td\t0\n'],
    ]);
    const { exchange, warnings } = parse(folder, 'set');
    assert.deepEqual(exchange.passages, [{ id: 'd', title: 'T', text: 'one' }]);
    assert.deepEqual(
      warnings.map((warning) => warning.replace(/(?<=^[^:]*: ).*?(Line 2|header|differently).*$/u, '$1')),
      [
        'set/corpus.jsonl: Line 2',
        'set/queries.jsonl: Line 2',
        'set/qrels/test.tsv: header',
        'set: differently',
      ],
    );
    assert.match(warnings[0]!, /not JSON/u);
    assert.throws(() => parse(new Map(), 'set'), badFile(/^set has neither corpus\.jsonl nor/u));
    assert.deepEqual([...format(exchange).files.keys()], ['corpus.jsonl', 'queries.jsonl', 'qrels/test.tsv']);
    for (const [part, file] of [
      [{ passages: exchange.passages }, 'corpus.jsonl'],
      [{ queries: exchange.queries }, 'queries.jsonl'],
      [{ qrels: exchange.qrels }, 'qrels/test.tsv'],
    ] as const)
      assert.deepEqual([...format(exchangeOf(part)).files.keys()], [file]);
  });
});

describe('BERDS', () => {
  test('by hand: order is the ranking, verdict arrays are judgements per perspective', () => {
    const { exchange, warnings } = parseBerds(
      lines({
        question: 'Q?',
        perspectives: ['yes it is', 'no it is not'],
        ctxs: [
          { title: 'T', text: 'a', score: 2, 'gpt4-preds': [true, false] },
          { text: 'b', score: 1, 'gpt4-preds': [null, 1] },
        ],
      }),
      'f',
    );
    assert.deepEqual(exchange.queries, [
      {
        id: 'q1',
        text: 'Q?',
        perspectives: [
          { id: 'p1', text: 'yes it is' },
          { id: 'p2', text: 'no it is not' },
        ],
      },
    ]);
    assert.deepEqual(exchange.passages, [
      { id: 'c1', title: 'T', text: 'a' },
      { id: 'c2', text: 'b' },
    ]);
    assert.deepEqual(exchange.run.get('q1'), [
      { item: 'c1', score: 2 },
      { item: 'c2', score: 1 },
    ]);
    assert.deepEqual([...exchange.qrels.get('q1')!.get('p1')!], [['c1', 1]]);
    assert.deepEqual(
      [...exchange.qrels.get('q1')!.get('p2')!],
      [
        ['c1', 0],
        ['c2', 1],
      ],
    );
    assert.deepEqual(warnings, []);
  });

  test('equal texts are one passage in all questions', () => {
    const ctxs = [{ text: 'same' }];
    const text = lines(
      { question: 'A', perspectives: ['p'], ctxs },
      { question: 'B', perspectives: ['p'], ctxs },
    );
    assert.deepEqual(items(parseBerds(text, 'f').exchange.run, 'q2'), ['c1']);
  });

  test('warns of several judges, wrong lengths, scores against the order, repeated passages', () => {
    const preds = (...names: string[]) => Object.fromEntries(names.map((name) => [`${name}-preds`, [true]]));
    const { exchange, warnings } = parseBerds(
      lines({
        question: 'A',
        perspectives: ['p'],
        ctxs: [
          { text: 'x', score: 1, ...preds('gpt4', 'mistral') },
          { text: 'y', score: 5, ...preds('gpt4') },
          { text: 'x', score: 0, 'gpt4-preds': [true, true] },
        ],
      }),
      'f',
    );
    assert.deepEqual(items(exchange.run, 'q1'), ['c1', 'c2']);
    assert.deepEqual(warnings, [
      'f: The answers of "gpt4-preds" count; other judges are left out (1, the first: mistral-preds).',
      'f: Answers that are not one true or false per perspective are left out (1, the first: "c1" of "q1").',
      'f: Repeated passages keep their first place (1, the first: "c1" of "q1").',
      'f: Scores contradict the order of the list, which counts (1, the first: query "q1").',
    ]);
  });

  test('uses the judge with the most answers, of equal ones the first by name', () => {
    const chosen = (...ctxs: readonly object[]): string => {
      const text = lines({ question: 'A', perspectives: ['p'], ctxs });
      return parseBerds(text, 'f').warnings.join();
    };
    const one = { 'b-preds': [true] };
    const three = { 'a-preds': [true], 'b-preds': [true], 'c-preds': [true] };
    assert.match(
      chosen({ text: 'x', ...one }, { text: 'y', ...three }),
      /"b-preds" count;.*\(2, the first: a-preds\)/u,
    );
    assert.match(
      chosen({ text: 'x', 'c-preds': [true] }, { text: 'y', 'a-preds': [true] }),
      /"a-preds" count;.*c-preds/u,
    );
  });

  test('warns of bad lines and repeated ids; a question without passages has no run', () => {
    const { exchange, warnings } = parseBerds(
      lines(
        { id: 'a', question: 'A', perspectives: ['p'] },
        { id: 'a', question: 'B', perspectives: ['p'] },
        { question: ' ', perspectives: ['p'] },
        {
          question: 'C',
          perspectives: ['p'],
          ctxs: [{ text: 'x' }, { id: 'c1', text: 'y' }, { id: null, text: 'z' }],
        },
      ) + '{',
      'f',
    );
    assert.deepEqual([...exchange.run.keys()], ['q4']);
    assert.deepEqual(items(exchange.run, 'q4'), ['c2', 'c1', 'c3']);
    assert.equal(exchange.qrels.size, 0, 'nobody was asked');
    assert.match(warnings[0]!, /^f: Line 2: id "a" occurs a second time/u);
    assert.match(warnings[1]!, /^f: Line 3: question: must not be empty/u);
    assert.match(warnings[2]!, /^f: Line 5: not JSON/u);
  });

  test('omits queries without perspectives with a warning; queries without a run have no passages', () => {
    const { text, warnings } = formatBerds(
      exchangeOf({
        queries: [
          { id: 'q', text: 'Q', perspectives: [] },
          { id: 'r', text: 'R', perspectives: [{ id: 'a', text: 'A' }] },
        ],
      }),
    );
    assert.equal(text, lines({ id: 'r', question: 'R', perspectives: ['A'] }));
    assert.deepEqual(warnings, ['Queries without perspectives are left out (1, the first: "q").']);
  });

  test('an unjudged pair is null, never false; an unjudged passage has no array', () => {
    const { text, warnings } = formatBerds(
      exchangeOf({
        queries: [
          {
            id: 'q',
            text: 'Q',
            perspectives: [
              { id: 'a', text: 'A' },
              { id: 'b', text: 'B' },
            ],
          },
        ],
        run: new Map([
          [
            'q',
            [
              { item: 'x', score: 2 },
              { item: 'y', score: 1 },
            ],
          ],
        ]),
        qrels: qrelsOf([
          ['q', 'a', 'x', 1],
          ['q', 'b', 'x', 0],
        ]),
        passages: [{ id: 'x', title: 'X', text: 'text of x' }],
      }),
    );
    assert.deepEqual((JSON.parse(text) as { ctxs: unknown }).ctxs, [
      { id: 'x', title: 'X', text: 'text of x', score: 2, 'parallax-preds': [true, false] },
      { id: 'y', text: '', score: 1 },
    ]);
    assert.deepEqual(warnings, ['The texts of passages are not known (1, the first: "y").']);
  });
});

describe('ranx', () => {
  test('sorts by score; ties go to the larger id, with a warning', () => {
    const { run, warnings } = parseRanxRun('{"q": {"a": 1, "10": 3, "b": 1}}', 'f');
    assert.deepEqual(items(run, 'q'), ['10', 'b', 'a']);
    assert.deepEqual(warnings, [
      'f: Equal scores: ties go to the larger passage id, as in trec_eval (1, the first: query "q").',
    ]);
  });

  test('writes without ties, in the order of the run', () => {
    const run: Run = new Map([
      [
        '2',
        [
          { item: '9', score: 1 },
          { item: '1', score: 1 },
          { item: '__proto__', score: 1 },
        ],
      ],
    ]);
    const { run: read, warnings } = parseRanxRun(formatRanxRun(run), 'f');
    assert.deepEqual(items(read, '2'), ['9', '1', '__proto__']);
    assert.deepEqual(warnings, []);
  });

  test('writes falling scores unchanged and the highest relevance, both as JSON', () => {
    const run: Run = new Map([
      [
        'q',
        [
          { item: 'a', score: 2 },
          { item: 'b', score: 0 },
          { item: 'c', score: 0 },
          { item: 'd', score: -1 },
        ],
      ],
      ['r', [{ item: 'a', score: 1 }]],
    ]);
    const written = JSON.parse(formatRanxRun(run)) as Record<string, Record<string, number>>;
    const { a, b, c, d } = written['q']!;
    assert.deepEqual([a, b, d, written['r']], [2, 0, -1, { a: 1 }]);
    assert.ok(c! < 0 && c! > -1e-300);
    const qrels = qrelsOf([
      ['q', 'pro', 'd', 0],
      ['q', 'con', 'd', 2],
    ]);
    assert.equal(formatRanxQrels(qrels), '{\n  "q": {"d": 2}\n}\n');
  });

  test('reads rows of a data frame like the object', () => {
    const rows = [
      ['q', 'a', 1],
      ['q', 'b', 2],
      ['r', 'a', 3],
    ].map(([q_id, doc_id, score]) => ({ q_id, doc_id, score }));
    for (const text of [lines(...rows), `\uFEFF\n ${lines(...rows)}`]) {
      const { run } = parseRanxRun(text, 'f');
      assert.deepEqual([items(run, 'q'), items(run, 'r')], [['b', 'a'], ['a']]);
    }
    assert.throws(() => parseRanxRun(`${lines(...rows)}{"q_id": "q"}`, 'f'), badFile(/not valid JSON/u));
    assert.throws(
      () => parseRanxRun(lines({ q_id: 'q', doc_id: 'a', score: 'x' }), 'f'),
      badFile(/"a" of "q"/u),
    );
    assert.deepEqual(items(parseRanxRun('\uFEFF{"q_id": {"a": 1}}', 'f').run, 'q_id'), ['a']);
  });

  for (const [text, message] of [
    ['{"q": {"d": NaN}}', /not valid JSON/u],
    ['{"q": null}', /the query "q" has no object of passages/u],
    ['{"q": {"d": 1e999}}', /the passage "d" of "q" has no number/u],
    ['[]', /not an object of queries/u],
    ['{}', /has no queries/u],
    ['{"q": [1]}', /the query "q" has no object of passages/u],
    ['{"q": {"d": "1"}}', /the passage "d" of "q" has no number/u],
  ] as const)
    test(`refuses ${text}`, () => assert.throws(() => parseRanxRun(text, 'f'), badFile(message)));

  test('relevance is a whole number; below 0 is unjudged', () => {
    assert.throws(
      () => parseRanxQrels('{"q": {"d": 0.5}}', 'f'),
      badFile(/relevance of "d" for "q" is 0\.5/u),
    );
    const { qrels, warnings } = parseRanxQrels('{"q": {"d": -1, "e": 2}}', 'f');
    assert.deepEqual([...qrels.get('q')!.get('0')!], [['e', 2]]);
    assert.match(warnings.join(), /Negative relevance counts as unjudged/u);
  });
});

describe('ragas and DeepEval', () => {
  const expected = {
    run: [['q1', ['c1', 'c2']]],
    gold: [['c2', 1]],
  };
  for (const [what, record] of [
    ['ragas', { user_input: 'Q', retrieved_contexts: ['a', 'b'], reference_contexts: ['b'] }],
    ['an older ragas', { question: 'Q', contexts: ['a', 'b'], ground_truth_contexts: ['b'] }],
    ['DeepEval', { input: 'Q', actual_output: '', retrieval_context: ['a', 'b'], context: ['b'] }],
  ] as const)
    test(`${what}: lists of texts become a run and judgements`, () => {
      for (const text of [lines(record), JSON.stringify([record]), JSON.stringify({ samples: [record] })]) {
        const { exchange, warnings } = parseContexts(text, 'f');
        assert.deepEqual(
          [...exchange.run].map(([id]) => [id, items(exchange.run, id)]),
          expected.run,
        );
        assert.deepEqual([...exchange.qrels.get('q1')!.get('0')!], expected.gold);
        assert.deepEqual(warnings, []);
      }
    });

  test('ids count if there is one for each text; warns of conversations and repeated ids', () => {
    const { exchange, warnings } = parseContexts(
      lines(
        { id: 'a', user_input: 'Q', retrieved_contexts: ['x'], retrieved_context_ids: [7] },
        { id: 'a', user_input: 'Q' },
        { id: 'b', user_input: 'Q', retrieved_contexts: ['x', 'y'], retrieved_context_ids: ['only'] },
        { user_input: [{ content: 'hi', type: 'human' }] },
      ),
      'f',
    );
    assert.deepEqual(items(exchange.run, 'a'), ['7']);
    assert.deepEqual(items(exchange.run, 'b'), ['7', 'c1']);
    assert.deepEqual(warnings, [
      'f: Test case 2: id "a" occurs a second time; skipped.',
      'f: Test case 4: query: expected a string (a conversation has no single query); skipped.',
      'f: Ids that are not as many as the texts are left out (1, the first: query "b").',
    ]);
  });

  test('accepts the common names for a list of cases; blank questions are bad lines', () => {
    const good = { input: 'Q', context: ['b'] };
    for (const name of ['samples', 'test_cases', 'testCases', 'goldens', 'data'])
      assert.equal(parseContexts(` ${JSON.stringify({ [name]: [good] })}`, 'f').exchange.queries.length, 1);
    assert.equal(parseContexts(`\uFEFF${JSON.stringify([good])}`, 'f').exchange.queries.length, 1);
    const { warnings } = parseContexts(lines(good, { input: ' ' }), 'f');
    assert.deepEqual(warnings, ['f: Test case 2: query: must not be empty (found " "); skipped.']);
    assert.throws(() => parseContexts('[]', 'f'), badFile(/It is empty\.$/u));
  });

  test('accepts ids without texts, and gives no text the id of another', () => {
    const { exchange } = parseContexts(
      lines(
        { user_input: 'Q', retrieved_contexts: ['x'], reference_contexts: null },
        { user_input: 'R', retrieved_context_ids: ['c1'], reference_context_ids: ['c2'] },
      ),
      'f',
    );
    assert.deepEqual([items(exchange.run, 'q1'), items(exchange.run, 'q2')], [['c3'], ['c1']]);
    assert.deepEqual([...exchange.qrels], [...qrelsOf([['q2', '0', 'c2', 1]])]);
    assert.equal(exchange.fields.size, 0);
  });

  test('warns of unknown values on writing, and omits them', () => {
    const queries = [
      { id: 'q', text: 'Q', perspectives: [] },
      { id: 'r', text: 'R', perspectives: [] },
    ];
    const exchange = exchangeOf({
      queries,
      passages: [{ id: 'x', text: 'text' }],
      run: new Map([['q', ['x', 'y'].map((item, place) => ({ item, score: -place }))]]),
      fields: new Map([
        [
          'q',
          new Map([
            ['response', 'said'],
            ['reference', 'wanted'],
            ['empty', ''],
          ]),
        ],
      ]),
    });
    const ragas = formatRagas(exchange);
    assert.deepEqual(ragas.warnings, ['The texts of passages are not known (1, the first: "y").']);
    const { text, warnings } = formatDeepEval(exchange);
    assert.deepEqual(JSON.parse(text.split('\n')[0]!), {
      ...{ empty: '', name: 'q', input: 'Q', actual_output: 'said', expected_output: 'wanted' },
      retrieval_context: ['text', ''],
    });
    assert.match(warnings.join(), /Answers are not known for 1 of 2 queries/u);
    const { fields } = parseContexts(lines({ input: 'Q', actual_output: 'a', rubrics: '' }), 'f').exchange;
    assert.deepEqual([...fields.get('q1')!], [['response', 'a']]);
    assert.deepEqual(
      formatDeepEval(exchangeOf({ queries: queries.slice(0, 1), fields: exchange.fields })).warnings,
      [],
    );
  });

  test('refuses another file format', () => {
    assert.throws(() => parseContexts('{"a": 1}', 'f'), badFile(/contains no test cases.*query: /u));
    assert.throws(() => parseContexts('nonsense', 'f'), badFile(/neither JSON nor CSV with rows/u));
    assert.throws(() => parseContexts('[1, 2', 'f'), badFile(/neither JSON nor JSON lines/u));
    assert.throws(() => parseContexts('a,b\n"1', 'f'), badFile(/neither JSON nor CSV .*Quote Not Closed/u));
  });

  test('a wide table with short rows takes linear time; long rows are refused', () => {
    const columns = Array.from({ length: 5_000 }, (_, place) => `c${place}`).join(',');
    const { exchange } = parseContexts(`user_input,${columns}\n${'Q\n'.repeat(20_000)}`, 'f');
    assert.equal(exchange.queries.length, 20_000);
    assert.throws(
      () => parseContexts('user_input\nQ\nR,x\n', 'f'),
      badFile(/row 2 has more fields than the header/u),
    );
  });

  test('a CSV table: lists in the notation of Python, numpy or JSON', () => {
    const text =
      ',user_input,retrieved_contexts,reference_contexts,response\n' +
      `0,Q,"['it', ""it's \\""b\\""\\n""]","[""it""]",\n` +
      `1,R,"['x' 'y\\u00e9']",[],said\n` +
      '2,S,no list,,\n';
    const { exchange, warnings } = parseContexts(text, 'f');
    assert.deepEqual(
      exchange.passages.map(({ text: own }) => own),
      ['it', 'it\'s "b"\n', 'x', 'yé'],
    );
    assert.deepEqual(items(exchange.run, 'q1'), ['c1', 'c2']);
    assert.deepEqual([...exchange.qrels.get('q1')!.get('0')!], [['c1', 1]]);
    assert.deepEqual(warnings, ['f: Row 3: retrieved_contexts is not a list of strings; skipped.']);
  });

  test('reads columns as pandas writes them as rows', () => {
    const columns = { user_input: { 0: 'Q', 1: 'R' }, retrieved_contexts: { 0: ['a'], 1: ['b'] } };
    const { exchange } = parseContexts(JSON.stringify(columns), 'f');
    assert.deepEqual(
      exchange.queries.map(({ id, text }) => [id, text, items(exchange.run, id)]),
      [
        ['q1', 'Q', ['c1']],
        ['q2', 'R', ['c2']],
      ],
    );
  });

  test('keeps fields beside a retrieval if it can, else warns once for each field', () => {
    const rubrics = { '0': 'bad', '1': 'good' };
    const { exchange, warnings } = parseContexts(
      lines(
        { user_input: 'Q', answer: 'r', rubrics },
        { user_input: 'R', actual_output: 's', reference: null },
      ),
      'f',
    );
    assert.deepEqual(warnings, []);
    const written = (text: string): unknown[] =>
      text
        .trim()
        .split('\n')
        .map((line): unknown => JSON.parse(line));
    const ragas = formatRagas(exchange);
    assert.deepEqual(written(ragas.text), [
      { id: 'q1', user_input: 'Q', response: 'r', rubrics },
      { id: 'q2', user_input: 'R', response: 's' },
    ]);
    assert.deepEqual(parseContexts(ragas.text, 'f').exchange.fields, exchange.fields);
    assert.deepEqual(written(formatDeepEval(exchange).text), [
      { name: 'q1', input: 'Q', actual_output: 'r', rubrics },
      { name: 'q2', input: 'R', actual_output: 's' },
    ]);
  });

  test('warns in one sentence of what no format keeps', () => {
    const { exchange } = parseContexts(
      lines({
        user_input: 'Q',
        answer: 'r',
        retrieved_contexts: ['one', 'two'],
        reference_contexts: ['two'],
      }),
      'f',
    );
    assert.deepEqual(lostParts(exchange, [EXCHANGE_FORMATS.ragas]), []);
    assert.deepEqual(lostParts(exchange, [EXCHANGE_FORMATS['eval-set']]), [
      'No --to holds the texts of passages (2), judgements (queries: 1), what was retrieved (queries: 1), the fields "response": left out.',
    ]);
    assert.deepEqual(lostParts(exchange, [EXCHANGE_FORMATS.beir, EXCHANGE_FORMATS.retrieved]), [
      'No --to holds the fields "response": left out.',
    ]);
    const asked = exchangeOf({
      queries: ['Q', ''].map((text, n) => ({ id: String(n), text, perspectives: [] })),
      fields: new Map([
        [
          '0',
          new Map<string, unknown>([
            ['response', 'r'],
            ['rubrics', {}],
          ]),
        ],
      ]),
    });
    assert.deepEqual(lostParts(asked, [EXCHANGE_FORMATS['trec-run']]), [
      'No --to holds the texts of queries (1), the fields "response", "rubrics": left out.',
    ]);
    const { run } = exchange;
    assert.deepEqual(lostParts(exchangeOf({ run }), [EXCHANGE_FORMATS['trec-run']]), []);
  });

  test('writes the names of each format without perspectives, with a warning', () => {
    const exchange = exchangeOf({
      queries: [{ id: 'q', text: 'Q', perspectives: [{ id: 'a', text: 'A' }] }],
      passages: [{ id: 'x', text: 'text' }],
      run: new Map([['q', [{ item: 'x', score: 1 }]]]),
      qrels: qrelsOf([
        ['q', 'a', 'x', 1],
        ['q', 'a', 'y', 0],
      ]),
    });
    assert.deepEqual(JSON.parse(formatRagas(exchange).text), {
      id: 'q',
      user_input: 'Q',
      retrieved_contexts: ['text'],
      retrieved_context_ids: ['x'],
      reference_contexts: ['text'],
      reference_context_ids: ['x'],
    });
    assert.deepEqual(JSON.parse(formatDeepEval(exchange).text), {
      name: 'q',
      input: 'Q',
      actual_output: '',
      retrieval_context: ['text'],
      context: ['text'],
    });
    assert.match(formatRagas(exchange).warnings.join(), /Perspectives are left out/u);
    assert.match(
      formatDeepEval(exchange).warnings.join(),
      /Answers are not known for 1 of 1 queries: actual_output is empty/u,
    );
  });
});

describe('PIR', () => {
  const task = {
    corpus: ['one', 'two'],
    queries: ['Root, says a', 'Root, says b', 'Other, says c'],
    source_queries: ['Root', 'Root', 'Other'],
    perspectives: ['a', 'b', 'c'],
    query_labels: ['l', 'm', 'n'],
    key_ref: { 0: [0], 1: [1], 2: [0, 1] },
  };

  test('queries with one root are perspectives of one query, and are written back', () => {
    const exchange = parsePirExchange(JSON.stringify(task), 'f');
    assert.deepEqual(
      exchange.queries.map(({ id, text, perspectives }) => [id, text, perspectives]),
      [
        [
          'r1',
          'Root',
          [
            { id: 'p1', text: 'a', group: 'l' },
            { id: 'p2', text: 'b', group: 'm' },
          ],
        ],
        ['r2', 'Other', [{ id: 'p1', text: 'c', group: 'n' }]],
      ],
    );
    assert.deepEqual([...exchange.qrels.get('r1')!.get('p2')!.values()], [1]);
    const { text, warnings } = formatPir(exchange);
    assert.deepEqual([JSON.parse(text), warnings], [task, []]);
    const rootless = { ...task, source_queries: ['Root', 'Root', ' '] };
    assert.throws(
      () => parsePirExchange(JSON.stringify(rootless), 'f'),
      badFile(/f is not a PIR task: source_queries/u),
    );
  });

  test('a perspective without a group has its id as label; unsupporting passages are not right', () => {
    const exchange = exchangeOf({
      passages: [{ id: 'x', text: 'text' }],
      queries: ['q', 'r'].map((id) => ({ id, text: 'Root', perspectives: [{ id: 'a', text: 'side a' }] })),
      qrels: qrelsOf([
        ['q', 'a', 'x', 1],
        ['r', 'a', 'x', 0],
      ]),
    });
    const { text, warnings } = formatPir(exchange);
    const { query_labels: labels, key_ref: keys } = JSON.parse(text) as Record<string, unknown>;
    assert.deepEqual([labels, keys], [['a'], { 0: [0] }]);
    assert.deepEqual(warnings, [
      'Perspectives without a supporting passage are left out (1, the first: "a" of "r").',
    ]);
  });

  test('requires supporting passages; omits perspectives without any, with a warning', () => {
    assert.throws(() => formatPir(exchangeOf({})), badArgument(/needs passages with texts/u));
    const { text, warnings } = formatPir(
      exchangeOf({
        passages: [{ id: 'x', text: 'text' }],
        queries: [
          {
            id: 'q',
            text: 'Root',
            perspectives: [
              { id: 'a', text: 'side a', group: 'left' },
              { id: 'b', text: 'side b' },
            ],
          },
        ],
        qrels: qrelsOf([
          ['q', 'a', 'x', 1],
          ['q', 'a', 'gone', 1],
        ]),
      }),
    );
    assert.deepEqual(JSON.parse(text), {
      corpus: ['text'],
      queries: ['Root side a'],
      source_queries: ['Root'],
      perspectives: ['side a'],
      query_labels: ['left'],
      key_ref: { 0: [0] },
    });
    assert.deepEqual(warnings, [
      'Supporting passages without a text are left out (1, the first: "q").',
      'Perspectives without a supporting passage are left out (1, the first: "b" of "q").',
    ]);
  });
});

test('ranks lists with incomplete scores by place, with a warning', () => {
  const ranked = (...scores: (number | undefined)[]): [unknown, string] => {
    const doubts = new Doubts();
    const listed = scores.map((score, place) => ({ item: String(place), score }));
    return [rankedAsListed('q', listed, doubts).map(({ score }) => score), doubts.warnings.join()];
  };
  const some = 'Some results have no score: the order of the list counts (1, the first: query "q").';
  assert.deepEqual(ranked(3, undefined, 1), [[0, -1, -2], some]);
  assert.deepEqual(ranked(undefined, 3), [[0, -1], some]);
  assert.deepEqual(ranked(undefined, undefined), [[0, -1], '']);
  assert.deepEqual(ranked(3, 1), [[3, 1], '']);
  assert.deepEqual(ranked(), [[], '']);
  assert.match(ranked(3, undefined, 3)[1], /^Equal scores/u);
  assert.match(ranked(1, undefined, 3)[1], /^Scores contradict/u);
});

test('lists: equal texts with different titles differ; of texts with one id the first counts', () => {
  const doubts = new Doubts();
  const passages = new ListedPassages(doubts, ['c2']);
  const added = [
    { title: 'A', text: 'one' },
    { title: 'B', text: 'one' },
    { text: 'one' },
    { id: '', text: 'one' },
    { id: 'x', text: 'two' },
    { id: 'x', text: 'three' },
    { text: 'two' },
    { id: 'y' },
  ].map((passage) => passages.add(passage));
  assert.deepEqual(added, ['c1', 'c3', 'c4', 'c4', 'x', 'x', 'x', 'y']);
  assert.deepEqual(
    passages.passages.map(({ id, title, text }) => [id, title, text]),
    [
      ['c1', 'A', 'one'],
      ['c3', 'B', 'one'],
      ['c4', undefined, 'one'],
      ['x', undefined, 'two'],
    ],
  );
  assert.deepEqual(doubts.warnings, [
    'Passages with the same id and another text keep the first text (1, the first: "x").',
  ]);
});

test('lists: ties keep their order with a warning; new ids avoid given ones', () => {
  const text = lines({
    id: 'q',
    query: 'Q',
    results: [
      { text: 'one', score: 1 },
      { id: 'c1', text: 'two', score: 1 },
      { id: 'c3', score: 0 },
      { text: 'three', score: 0 },
    ],
  });
  const { exchange, warnings } = parseRetrievedExchange(text, 'f');
  assert.deepEqual(exchange.run.get('q'), [
    { item: 'c2', score: 0 },
    { item: 'c1', score: -1 },
    { item: 'c3', score: -2 },
    { item: 'c4', score: -3 },
  ]);
  assert.match(warnings.join(), /Equal scores: the order of the list counts \(1, the first: query "q"\)/u);
});

test('retrieved lines: by id, by text, or both', () => {
  const text = lines(
    { id: 'a', query: 'A?', results: [{ id: 'x', text: 'one', score: 1 }] },
    { query: 'B?', results: [{ text: 'two' }] },
    { id: 'c', results: [] },
  );
  const { exchange } = parseRetrievedExchange(text, 'f');
  assert.deepEqual(
    exchange.queries.map(({ id, text: own }) => [id, own]),
    [
      ['a', 'A?'],
      ['B?', 'B?'],
    ],
  );
  assert.deepEqual([...exchange.run.keys()], ['a', 'B?', 'c']);
  assert.deepEqual(items(exchange.run, 'B?'), ['c1']);
  const twice = parseRetrievedExchange(`${text}${lines({ id: 'a', results: [{ id: 'z' }] })}`, 'f');
  assert.deepEqual(items(twice.exchange.run, 'a'), ['x']);
  assert.match(
    twice.warnings.join(),
    /Queries that occur again keep the first answer \(1, the first: "a"\)/u,
  );
});

test('writes retrieved lines with the known fields', () => {
  const exchange = exchangeOf({
    queries: [{ id: 'a', text: 'A?', perspectives: [] }],
    passages: [
      { id: 'x', text: 'one' },
      { id: 'y', text: '' },
    ],
    run: new Map([
      ['a', ['x', 'y', 'z'].map((item, place) => ({ item, score: -place }))],
      ['b', []],
    ]),
  });
  assert.equal(
    formatRetrieved(exchange),
    lines(
      {
        id: 'a',
        query: 'A?',
        results: [
          { id: 'x', text: 'one', score: 0 },
          { id: 'y', score: -1 },
          { id: 'z', score: -2 },
        ],
      },
      { id: 'b', results: [] },
    ),
  );
});

test('retrieved lines may be a TREC run, without texts of queries', () => {
  const { exchange, warnings } = parseRetrievedExchange(
    'a Q0 x 1 2 t\na Q0 y 2 1 t\nb Q0 x 1 1 t\nbad\n',
    'f',
  );
  assert.deepEqual([...exchange.run.keys(), items(exchange.run, 'a')], ['a', 'b', ['x', 'y']]);
  assert.deepEqual([exchange.queries, exchange.passages], [[], []]);
  assert.match(warnings.join(), /^f: Line 4: /u);
});

describe('records', () => {
  const read = (text: string): unknown[] => {
    const { records, problems } = parseRecords(text, ['list', 'data']);
    return [...records.map(({ number, value }) => [number, value]), ...problems];
  };

  test('are lines, a list, a list in an object, or columns', () => {
    const one = { a: 1 };
    assert.deepEqual(read(`\uFEFF${JSON.stringify([one, 7, one])}`), [
      [1, one],
      [3, one],
      'Record 2: no JSON object; skipped.',
    ]);
    assert.deepEqual(read(`${JSON.stringify(one)}\n[]\n{\n${JSON.stringify(one)}\n`).slice(0, 3), [
      [1, one],
      [4, one],
      'Line 2: no JSON object; skipped.',
    ]);
    assert.deepEqual(read(JSON.stringify({ list: 7, data: [one] })), [[1, one]]);
    assert.deepEqual(read(JSON.stringify({ a: { 0: 1, 1: 2 }, b: { 0: 3, 1: 4 } })), [
      [1, { a: 1, b: 3 }],
      [2, { a: 2, b: 4 }],
    ]);
  });

  test('objects that are not columns are one record', () => {
    for (const value of [
      {},
      { a: {} },
      { a: { 0: 1 }, b: 1 },
      { a: { 0: 1 }, b: { 1: 1 } },
      { a: { 0: 1 }, b: { 0: 1, 1: 2 } },
    ])
      assert.deepEqual(read(JSON.stringify(value)), [[1, value]]);
  });

  test('are missing in other values', () => {
    assert.throws(() => read('7'), badFile(/no records in it/u));
    assert.throws(() => read(''), badFile(/It is empty/u));
    assert.throws(() => read('{\n7'), badFile(/Line 1: not JSON/u));
  });
});

describe('tables', () => {
  const rows = (text: string): unknown[] => {
    const { records, problems } = parseTable(text, ['list']);
    return [...records.map(({ number, value }) => [number, value]), ...problems];
  };

  test('detect the separator from their header', () => {
    for (const text of ['a,b;c\n1,2\n', 'a\tb;c\n1\t2', 'b;c,d\n'.replace('b;c,d', 'a,b;c') + '1,2'])
      assert.deepEqual(rows(text), [[1, { a: '1', 'b;c': '2' }]]);
    assert.deepEqual(rows('a;b\r\n1;2,5\r\n\r\n3\r\n'), [
      [1, { a: '1', b: '2,5' }],
      [2, { a: '3' }],
    ]);
    assert.deepEqual(rows('\uFEFF,a,list\n0,x,[]\n1,y,no\n2,,"[\'z\']"\n'), [
      [1, { a: 'x', list: [] }],
      [3, { list: ['z'] }],
      'Row 2: list is not a list of strings; skipped.',
    ]);
    assert.throws(() => rows('a,b\n'), badFile(/with rows below a header/u));
  });

  for (const [text, list] of [
    [' [] ', []],
    ['["a", \'b\']', ['a', 'b']],
    ["['a' 'b'\n 'c']", ['a', 'b', 'c']],
    ["['a',]", ['a']],
    [String.raw`['\x41\u00e9\U0001F600\'\\\n\t\q']`, ["Aé😀'\\\n\tq"]],
    [String.raw`['\UFFFFFFFF']`, [String.raw`\UFFFFFFFF`]],
    ['[a]', undefined],
    ["['a', b]", undefined],
    ["x['a']", undefined],
    ["['a'", undefined],
    ["'a']", undefined],
  ] as const)
    test(`lists: ${text}`, () => assert.deepEqual(parseList(text), list));
});

describe('several files', () => {
  const run: Run = new Map([
    ['q1', [{ item: 'd1', score: 1 }]],
    ['q9', [{ item: 'd9', score: 1 }]],
  ]);

  test('the first of two different texts counts, with a warning', () => {
    const one = exchangeOf({
      passages: [{ id: 'd', text: 'a' }],
      queries: [{ id: 'q', text: 'A', perspectives: [] }],
      run,
    });
    const other = exchangeOf({
      passages: [{ id: 'd', text: 'b' }],
      queries: [{ id: 'q', text: 'B', perspectives: [{ id: 'p', text: 'P' }] }],
      run,
    });
    const { exchange, warnings } = mergeExchanges([one, other]);
    assert.deepEqual(exchange.queries, [{ id: 'q', text: 'A', perspectives: [{ id: 'p', text: 'P' }] }]);
    assert.deepEqual(warnings, [
      'Passages with the same id and another text keep the first text (1, the first: "d").',
      'Queries with the same id and another text keep the first text (1, the first: "q").',
      'Queries that two runs answer keep the first answer (2, the first: "q1").',
    ]);
  });

  test('the first of two judgements or sets of fields counts, with a warning', () => {
    const part = (relevance: number, said: string): Exchange =>
      exchangeOf({
        passages: [{ id: 'd', text: 'a' }],
        queries: [{ id: 'q', text: 'A', perspectives: [] }],
        qrels: qrelsOf([
          ['q', 'pro', 'd', relevance],
          ['q', 'pro', 'same', 1],
        ]),
        fields: new Map([['q', new Map([['response', said]])]]),
        fullTexts: new Map([[pairKey('q', said), said]]),
      });
    const { exchange, warnings } = mergeExchanges([part(1, 'one'), part(0, 'other')]);
    assert.equal(exchange.qrels.get('q')!.get('pro')!.get('d'), 1);
    assert.equal(exchange.fields.get('q')!.get('response'), 'one');
    assert.deepEqual([...exchange.fullTexts.values()], ['one', 'other']);
    assert.deepEqual(warnings, [
      'Pairs that are judged differently keep the first judgement (1, the first: "q" and "d").',
      'Queries whose fields two files give keep the first (1, the first: "q").',
    ]);
  });

  test('keep perspectives of the file that has some', () => {
    const queryWith = (id: string): Exchange =>
      exchangeOf({ queries: [{ id: 'q', text: 'A', perspectives: [{ id, text: id }] }] });
    const [query] = mergeExchanges([queryWith('one'), queryWith('other')]).exchange.queries;
    assert.deepEqual(query!.perspectives, [{ id: 'one', text: 'one' }]);
  });

  test('cut long ids in messages', () => {
    assert.equal(quote('a'.repeat(80)), `"${'a'.repeat(80)}"`);
    assert.equal(quote('a'.repeat(81)), `"${'a'.repeat(80)}…"`);
  });

  test('count ids without a match, with an example, if there is something to compare', () => {
    const found = mismatches(
      exchangeOf({
        run,
        qrels: qrelsOf([
          ['q1', 'pro', 'd1', 1],
          ['q2', 'pro', 'd2', 1],
          ['q1', 'nope', 'd1', 1],
        ]),
        queries: [{ id: 'q1', text: 'Q', perspectives: [{ id: 'pro', text: 'P' }] }],
        passages: [{ id: 'd1', text: 'one' }],
      }),
    );
    assert.deepEqual(found, [
      '1 of 2 queries of the run have no judgements, the first is "q9".',
      '1 of 2 judged queries are missing from the run and would count zero, the first is "q2".',
      '1 of 2 queries of the run are not among the queries, the first is "q9".',
      '1 of 2 judged queries are not among the queries, the first is "q2".',
      '1 of 2 retrieved passages are not in the corpus, the first is "d9".',
      '1 of 2 judged passages are not in the corpus, the first is "d2".',
      '1 judged perspectives are not among those of their queries, the first is "nope" of "q1".',
    ]);
    assert.deepEqual(mismatches(exchangeOf({ run })), []);
    const qrels = qrelsOf([['q1', '0', 'd1', 1]]);
    assert.deepEqual(mismatches(exchangeOf({ qrels })), []);
    const query = { id: 'q1', text: 'Q', perspectives: [{ id: 'pro', text: 'P' }] };
    const unjudged = { ...query, id: 'q2' };
    // Plain judgements have no perspective, and without perspectives there is nothing to compare.
    assert.deepEqual(mismatches(exchangeOf({ qrels, queries: [query, unjudged] })), []);
    const named = qrelsOf([['q1', 'con', 'd1', 1]]);
    assert.deepEqual(mismatches(exchangeOf({ qrels: named, queries: [{ ...query, perspectives: [] }] })), []);
  });

  test('are refused if run and judgements share no query', () => {
    const qrels = qrelsOf([['other', '0', 'd', 1]]);
    assert.throws(
      () => mismatches(exchangeOf({ run, qrels })),
      badArgument(/share no query.*run: "q1", judgements: "other"/u),
    );
  });
});
