import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { exactly } from '../../../src/core/measured.ts';
import type { Evaluation } from '../../../src/evaluation/evaluation.ts';
import { datasetNames } from '../../../src/extension/workspace/dataset-names.ts';
import { exportComparison } from '../../../src/features/compare/host/export-comparison.ts';
import { COMPARE_FIXTURES } from '../../panels/compare-fixtures.ts';

const SEVERAL: Evaluation = COMPARE_FIXTURES.several.comparison;
const FAILED: Evaluation = COMPARE_FIXTURES.errors.comparison;

/** Has round figures and a name that every format must escape. */
const SMALL: Evaluation = {
  ...SEVERAL,
  judge: 'a & b',
  measures: ['MRecall@5', 'alpha_nDCG@5'],
  pipelines: SEVERAL.pipelines.slice(0, 2),
  macro: [{ 'MRecall@5': exactly(0.25), alpha_nDCG: exactly(1) }, { 'MRecall@5': exactly(0.5) }],
  datasets: SEVERAL.datasets.slice(0, 1).map((dataset) => ({
    ...dataset,
    name: '50%_of|it',
    queries: dataset.queries.slice(0, 1),
    pipelines: dataset.pipelines.slice(0, 2).map((pipeline, index) => ({
      ...pipeline,
      name: ['BM25', '=Dense_{1}'][index]!,
      judged: 1,
      measures: {
        'MRecall@5': {
          ...exactly(0.5),
          ...(index === 0
            ? {}
            : {
                difference: {
                  value: 0.029,
                  low: -0.011,
                  high: 0.068,
                  p: 0.031,
                  wins: 9,
                  losses: 4,
                  ties: 165,
                },
              }),
        },
      },
    })),
  })),
};

const exported = (comparison: Evaluation, format: 'json' | 'markdown' | 'csv' | 'latex'): string =>
  exportComparison(comparison, format).content;

test('corrected figures are in every format, with their source', () => {
  const corrected = COMPARE_FIXTURES.corrected.comparison;
  const markdown = exported(corrected, 'markdown');
  assert.match(markdown, /; corrected 55\.0%, 49\.0% to 61\.0% \|/);
  assert.match(markdown, /; corrected 55\.0%, 49\.0% to 61\.0% \(\+3\.0 pts, −1\.0 to \+7\.0\) \|/);
  assert.match(markdown, /^BM25: Corrected .* by 80 labels of people, which decide 28 of 40 questions/mu);
  assert.match(
    markdown,
    /^Dense .*: Not corrected .* 6 questions are labelled.* Label the top k of 4 more/mu,
  );
  const rows = exported(corrected, 'csv').split('\r\n');
  assert.match(
    rows[0]!,
    /"corrected","corrected_low","corrected_high","corrected_difference","corrected_difference_low","corrected_difference_high"$/,
  );
  assert.equal(rows.filter((row) => row.includes(`,"0.55","0.49","0.61",`)).length, 2);
  assert.equal(rows.filter((row) => row.endsWith(`,"0.61","0.03","-0.01","0.07"`)).length, 1);
  assert.match(
    markdown,
    /^\| Hybrid \(circular: gpt ordered and scored it\)/mu,
    'for the figures that are not',
  );
  assert.match(exported(corrected, 'latex'), /corrected 55\.0\\%, 49\.0\\% to 61\.0\\%/);
});

describe('Markdown', () => {
  test('has a table per data set below the average, with differences, p-values and tallies', () => {
    const text = exported(SMALL, 'markdown');
    const headings = text.split('\n').filter((line) => line.startsWith('#'));
    assert.deepEqual(headings, ['# Comparison', '## Average over 1 data sets', '## 50%\\_of\\|it']);
    assert.match(
      text,
      /\| \\=Dense\\_\{1\} \| 50\.0% \(\+2\.9 pts, −1\.1 to \+6\.8; p \.031; 9\/4\/165\) \| {2}\| 100\.0% \|/,
    );
    assert.match(text, /\| BM25 \| 25\.0% \| {2}\| {2}\|/);
  });

  test('says why a pipeline has no figures', () => {
    assert.match(
      exported(FAILED, 'markdown'),
      /\| Dense \(could not be run: The embedder “minilm”.*\) \| {2}\|/,
    );
  });
});

describe('CSV', () => {
  test('has a row for each query, pipeline and measure, and means with differences', () => {
    const rows = exported(SMALL, 'csv')
      .trimEnd()
      .split('\r\n')
      .map((line) => line.slice(1, -1).split('","'));
    const [head, ...body] = rows;
    assert.ok(body.every((row) => row.length === head!.length));
    const first = SMALL.datasets[0]!.queries[0]!;
    assert.equal(body.filter((row) => row[2] === first.id).length, 2 * 3);
    const mean = body.find((row) => row[2] === 'all' && row[4] === "'=Dense_{1}");
    assert.deepEqual(mean?.slice(5, 15), [
      'MRecall@5',
      '0.5',
      'exact',
      '0.029',
      '-0.011',
      '0.068',
      '0.031',
      '9',
      '4',
      '165',
    ]);
    assert.ok(body.some(([dataset, , , , , , value]) => dataset === 'average' && value === '0.25'));
  });

  test('covers every data set and omits a pipeline that could not be run', () => {
    const several = exported(SEVERAL, 'csv');
    for (const { name } of SEVERAL.datasets) assert.match(several, new RegExp(`^"${name}",`, 'mu'));
    assert.doesNotMatch(exported(FAILED, 'csv'), /"Dense"/);
  });
});

describe('LaTeX', () => {
  const text = exported(SMALL, 'latex');

  test('is a booktabs table with a block for each data set, after the average', () => {
    for (const rule of ['toprule', 'midrule', 'bottomrule']) assert.ok(text.includes(`\\${rule}`));
    assert.ok(text.indexOf('Average over') < text.indexOf('50\\%'));
    assert.ok(text.includes(String.raw`Pipeline & MRecall@5 & alpha\_nDCG@5 \\`));
    assert.ok(
      text.includes(String.raw`{\scriptsize $+$$2.9$ [$-1.1$, $6.8$], p .031, 9/4/165} &  \\`),
      'a row of differences below the values',
    );
  });

  test('escapes everything that names may contain', () => {
    assert.ok(text.includes(String.raw`\textit{50\%\_of\textbar{}it}`));
    assert.ok(text.includes(String.raw`=Dense\_\{1\} & 50.0 & -- \\`));
    assert.ok(text.includes(String.raw`judge a \& b`));
    const name = String.raw`\input{x}~^<>$#`;
    const { pipelines, ...dataset } = SMALL.datasets[0]!;
    const hostile = { ...dataset, pipelines: pipelines.map((one) => ({ ...one, name })) };
    const escaped = exported({ ...SMALL, datasets: [hostile] }, 'latex');
    assert.ok(
      escaped.includes(
        String.raw`\textbackslash{}input\{x\}\textasciitilde{}\textasciicircum{}\textless{}\textgreater{}\$\#`,
      ),
    );
  });

  test('has as many cells in every row as columns', () => {
    const several = exported(SEVERAL, 'latex');
    const rows = several.split('\n').filter((line) => line.endsWith('\\\\') && !line.includes('multicolumn'));
    assert.equal(rows.length, 1 + 4 + 3 * (4 + 3));
    for (const row of rows) assert.equal(row.split(/(?<!\\)&/u).length, 6, row);
  });
});

describe('JSON', () => {
  test('is the comparison', () => {
    assert.deepEqual(JSON.parse(exported(SMALL, 'json')), JSON.parse(JSON.stringify(SMALL)));
  });
});

describe('names of data sets', () => {
  const set = (evalSet: string, corpus = 'c'): { evalSet: string; corpus: string } => ({ evalSet, corpus });

  test('are file names, with as much of the path as needed', () => {
    assert.deepEqual(datasetNames([set('eval/debate.jsonl'), set('kialo.v2.jsonl')]), ['debate', 'kialo.v2']);
    assert.deepEqual(datasetNames([set('a/x.jsonl'), set('b/x.jsonl')]), ['a/x.jsonl', 'b/x.jsonl']);
    assert.deepEqual(datasetNames([set('a/x.jsonl', 'c'), set('a/x.jsonl', 'd')]), ['x · c', 'x · d']);
    assert.deepEqual(datasetNames([set('.jsonl')]), ['.jsonl']);
  });
});
