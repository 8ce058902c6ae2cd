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

  test('what cannot be read is left out, with its row and what is wrong', () => {
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

  test('to the person who gave it', () => {
    const { labels } = anchored(`${HEADER}q1,pro,a.md,yes,,1,Ada\nq1,pro,a.md,yes,,2,\n`, 'Grace');
    assert.deepEqual(
      labels.map(({ by, standard }) => [by.kind, by.name, standard]),
      [
        ['human', 'Ada', 'berds-1'],
        ['human', 'Grace', 'berds-1'],
      ],
    );
  });

  test('or to nothing, and then it is told what is not there', () => {
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

  test('from qrels, whose ids name passages; what was pooled and not judged is none', () => {
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
