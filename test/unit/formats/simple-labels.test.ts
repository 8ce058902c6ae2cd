import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  anchorLabels,
  documentsNamed,
  readSimpleLabels,
  rowsOfQrels,
} from '../../../src/core/formats/exchange/simple-labels.ts';

const QUERIES = [
  {
    id: 'q1',
    text: 'Should we?',
    perspectives: [
      { id: 'pro', text: 'It helps.' },
      { id: 'con', text: 'It harms.' },
    ],
  },
];
const passage = (document: string, number: number, text: string) => ({
  id: `${document}#p${number}`,
  hash: `hash ${number}`,
  text,
});
const DOCUMENTS = new Map([
  ['a.md', [passage('a.md', 1, 'It helps\nevery day.'), passage('a.md', 2, 'Some say it harms.')]],
  ['b.md', [{ id: 'b.md', hash: 'whole', text: 'All of it.' }]],
]);
const OPTIONS = { name: 'labels.csv', at: '2026-01-02T03:04:05.000Z', split: 'sections' };

describe('a table is read', () => {
  const row = { query: 'q1', perspective: 'pro', document: 'a.md', verdict: 'yes' };
  for (const [form, text] of [
    ['commas', 'Query,perspective,document,supports\nq1,pro,./a.md,yes\n'],
    ['semicolons', 'question;perspective;path;label\nq1;pro;a.md;1\n'],
    ['tabs', 'query\tperspective\tfile\tverdict\nq1\tpro\ta.md\tTRUE\n'],
    ['JSON lines', '{"query":"q1","perspective":"pro","document":"a.md","supports":true}\n'],
    ['a JSON list', '[{"query":"q1","perspective":"pro","document":"a.md","supports":1}]'],
  ] as const)
    test(`with ${form}`, () => {
      const { rows, problems } = readSimpleLabels(text);
      assert.deepEqual(problems, []);
      const [{ query, perspective, document, verdict }] = rows as [(typeof rows)[number]];
      assert.deepEqual({ query, perspective, document, verdict }, row);
    });

  test('with every word for a verdict, trimmed cells, and empty cells without a verdict', () => {
    const words = ['YES', '1', 'true', 'no', '0', 'False', ' unsure '];
    const { rows, problems } = readSimpleLabels(
      `query,perspective,document,supports,quote,passage,annotator,note\n${words.map((word) => `q1,pro,a.md,${word}, so ,12, Ada , why \n`).join('')}q1,pro,.a.md,no,,,,`,
    );
    assert.deepEqual(problems, []);
    assert.deepEqual(
      rows.map(({ verdict }) => verdict),
      ['yes', 'yes', 'yes', 'no', 'no', 'no', 'unsure', 'no'],
    );
    const { quote, passage: number, by, note } = rows[0]!;
    assert.deepEqual([quote, number, by, note], ['so', 12, 'Ada', 'why']);
    const last = rows.at(-1)!;
    assert.deepEqual(
      [last.quote, last.passage, last.by, last.note],
      [undefined, undefined, undefined, undefined],
    );
    assert.equal(last.document, '.a.md');
  });

  test('uses the column with a value among synonyms; JSON may have a list under "labels"', () => {
    const row = { query: null, question: 7, perspective: 'pro', document: 'a.md', verdict: false };
    for (const text of [`\uFEFF ${JSON.stringify({ labels: [row] })}`, ` ${JSON.stringify(row)}`]) {
      const { rows, problems } = readSimpleLabels(text);
      assert.deepEqual(problems, []);
      assert.deepEqual([rows[0]!.query, rows[0]!.verdict], ['7', 'no']);
    }
    const { problems } = readSimpleLabels(
      JSON.stringify([{ ...row, document: { path: 'a.md' }, perspective: ' ' }, 7]),
    );
    assert.deepEqual(problems, [
      'Record 2: no JSON object; skipped.',
      'Row 1: perspective and document missing; skipped.',
    ]);
    for (const number of ['0', '1.5', 'x1', '2nd'])
      assert.match(
        readSimpleLabels(JSON.stringify([{ ...row, passage: number }])).problems[0]!,
        /"passage" is .* and must be a number from 1/u,
      );
  });

  test('omits unreadable rows and reports row and reason', () => {
    const { rows, problems } = readSimpleLabels(
      'query,perspective,document,supports,passage\nq1,pro,a.md,maybe,\nq1,,a.md,yes,\nq1,pro,a.md,no,p8\nq1,pro,a.md,no,2\n',
    );
    assert.deepEqual(
      rows.map(({ place, passage: number }) => [place, number]),
      [['row 4', 2]],
    );
    assert.match(problems[0]!, /^Row 1: "supports" is "maybe", and must be yes, no or unsure/u);
    assert.match(problems[1]!, /^Row 2: perspective missing/u);
    assert.match(problems[2]!, /^Row 3: "passage" is "p8"/u);
  });
});

describe('a row is anchored', () => {
  const anchored = (table: string, by?: string) =>
    anchorLabels(readSimpleLabels(table).rows, QUERIES, DOCUMENTS, { ...OPTIONS, by });
  const HEADER = 'query,perspective,document,supports,quote,passage,by\n';

  test('to a passage, a quotation, or the whole document', () => {
    const { labels, of, unmatched } = anchored(
      `${HEADER}q1,pro,a.md,yes,,2,\nq1,pro,a.md#p1,no,,,\nShould we,it helps,a.md,yes,It helps every day,,\nq1,con,a.md,no,,,\nq1,con,b.md,no,,,\n`,
    );
    assert.deepEqual(
      labels.map(({ document, hash, quote, split, verdict }) => [document, hash, quote, split, verdict]),
      [
        ['a.md', 'hash 2', undefined, 'sections', 'yes'],
        ['a.md', 'hash 1', undefined, 'sections', 'no'],
        ['a.md', undefined, 'It helps every day', undefined, 'yes'],
        ['a.md', undefined, undefined, undefined, 'no'],
        ['b.md', undefined, undefined, undefined, 'no'],
      ],
    );
    // A document of one passage is that passage.
    assert.deepEqual(of, { passages: 3, quotations: 1, documents: 1 });
    assert.equal(unmatched.size, 0);
    assert.deepEqual(
      [labels[0]!.by, labels[0]!.standard, labels[0]!.perspectiveText],
      [{ kind: 'imported', name: 'labels.csv' }, 'imported', 'It helps.'],
    );
  });

  test('by ids before texts, by document before part, and by the only passage of a document', () => {
    const queries = [
      ...QUERIES,
      { id: 'q2', text: 'q1', perspectives: [{ id: 'other', text: 'pro' }] },
      {
        id: 'q3',
        text: 'Which?',
        perspectives: [
          { id: 'x', text: 'y' },
          { id: 'y', text: 'x' },
        ],
      },
    ];
    const documents = new Map([...DOCUMENTS, ['a.md#p1', [{ id: 'a.md#p1', hash: 'own', text: 'Own.' }]]]);
    const rows = readSimpleLabels(
      `${HEADER}q1,pro,a.md,yes,,,\nq2,PRO!,a.md,yes,,,\nq3,y,a.md,yes,,,\nq1,pro,a.md#p1,yes,,,\nq1,pro,b.md,yes,All,1,\nq1,pro,b.md,yes,,2,\nq1,pro,a.md#p9,yes,,,\n`,
    ).rows;
    const { labels, unmatched, of } = anchorLabels(rows, queries, documents, OPTIONS);
    assert.deepEqual(
      labels.map(({ query, perspective, document, hash, quote }) => [
        query,
        perspective,
        document,
        hash,
        quote,
      ]),
      [
        ['q1', 'pro', 'a.md', undefined, undefined],
        ['q2', 'other', 'a.md', undefined, undefined],
        ['q3', 'y', 'a.md', undefined, undefined],
        ['q1', 'pro', 'a.md#p1', undefined, undefined],
        ['q1', 'pro', 'b.md', 'whole', 'All'],
      ],
    );
    assert.deepEqual(
      [...unmatched].map(([what, { length }]) => [what, length]),
      [['passage', 2]],
    );
    assert.deepEqual(of, { passages: 2, quotations: 0, documents: 3 });
  });

  test('with its question, time and note', () => {
    const { rows } = readSimpleLabels('query,perspective,document,supports,note\nq1,pro,a.md,yes,why\n');
    assert.deepEqual(anchorLabels(rows, QUERIES, DOCUMENTS, OPTIONS).labels, [
      {
        v: 1,
        query: 'q1',
        queryText: 'Should we?',
        perspective: 'pro',
        perspectiveText: 'It helps.',
        document: 'a.md',
        by: { kind: 'imported', name: 'labels.csv' },
        at: OPTIONS.at,
        verdict: 'yes',
        note: 'why',
        standard: 'imported',
      },
    ]);
  });

  test('to its person', () => {
    const { labels } = anchored(`${HEADER}q1,pro,a.md,yes,,1,Ada\nq1,pro,a.md,yes,,2,\n`, 'Grace');
    assert.deepEqual(
      labels.map(({ by, standard }) => [by.kind, by.name, standard]),
      [
        ['human', 'Ada', 'berds-1'],
        ['human', 'Grace', 'berds-1'],
      ],
    );
  });

  test('to nothing, with the missing name', () => {
    const { labels, unmatched } = anchored(
      `${HEADER}q9,pro,a.md,yes,,,\nq1,other,a.md,yes,,,\nq1,pro,c.md,yes,,,\nq1,pro,a.md,yes,,3,\nq1,pro,a.md,yes,Nowhere to be found,,\n`,
    );
    assert.deepEqual(labels, []);
    assert.deepEqual(
      [...unmatched].map(([what, rows]) => [what, rows.map(({ place }) => place)]),
      [
        ['query', ['row 1']],
        ['perspective', ['row 2']],
        ['document', ['row 3']],
        ['passage', ['row 4']],
        ['quote', ['row 5']],
      ],
    );
  });

  test('from qrels with passage ids, without unjudged pooled passages', () => {
    const rows = rowsOfQrels(
      new Map([
        [
          'q1',
          new Map([
            [
              'pro',
              new Map([
                ['a.md#p2', 1],
                ['a.md#p1', 0],
                ['b.md', -1],
              ]),
            ],
          ]),
        ],
      ]),
    );
    assert.deepEqual(documentsNamed(rows), ['a.md#p2', 'a.md', 'a.md#p1']);
    const { labels } = anchorLabels(rows, QUERIES, DOCUMENTS, OPTIONS);
    assert.deepEqual(
      labels.map(({ hash, verdict }) => [hash, verdict]),
      [
        ['hash 2', 'yes'],
        ['hash 1', 'no'],
      ],
    );
  });
});
