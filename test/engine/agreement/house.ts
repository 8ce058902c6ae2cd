/**
 * Generated workspaces for the agreement test: two small corpora with an eval set each, incomplete labels, and the same
 * labels as qrels, so that all surfaces can be asked about the same data.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { formatLabel, labelSchema } from '../../../src/core/formats/labels.ts';
import type { Verdict } from '../../../src/core/model.ts';
import type { PipelineInput } from '../../../src/core/pipeline.ts';
import { seededRandom, type Random } from '../../../src/core/statistics/random.ts';
import { SNAPSHOT_MANIFEST, SNAPSHOT_PAGES } from '../../../src/features/web-corpus/core/snapshot.ts';
import { LABELS_FILE } from '../../../src/shared/config.ts';
import type { EvalQueries } from '../compare/compare-support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

export interface HouseDataset {
  /** The name of its corpus, too, and of its eval set's file without the extension. */
  readonly name: string;
  /** All of its queries: one has no perspectives, one no label, and one no pages if each query has separate pages. */
  readonly queries: EvalQueries;
  /** Verdicts of people by query, perspective and passage. */
  readonly verdicts: ReadonlyMap<string, Verdict>;
  /** Relative to the house's folder. */
  readonly corpusPath: string;
  readonly queriesFile: string;
  readonly qrelsFile: string;
}

export interface House {
  readonly folder: string;
  readonly datasets: readonly HouseDataset[];
  readonly k: number;
  /** Whether each question has separate pages. */
  readonly perQuery: boolean;
}

/** Queries whose id ends so have the question itself as a perspective, so nothing is left of it in a projection. */
const PARALLEL = '-parallel';
export const UNLABELLED = '-unlabelled';
const PAGELESS = '-pageless';

const dense: PipelineInput = { retriever: { type: 'dense' } };
const bm25: PipelineInput = { retriever: { type: 'bm25' } };

/** With fewer candidates than k, with more, and with all passages; each kind of step that reads something else. */
export const PIPELINES: Readonly<Record<string, PipelineInput>> = {
  bm25,
  few: { ...bm25, candidates: 3 },
  some: { ...bm25, candidates: 7 },
  hybrid: {
    retriever: { type: 'hybrid', retrievers: [{ type: 'bm25' }, { type: 'dense' }] },
    candidates: 6,
  },
  approximate: { retriever: { type: 'dense', search: 'int8', rescore: 1 }, candidates: 7 },
  projected: { ...dense, projection: { method: 'pap' }, candidates: 9 },
  expanded: { ...bm25, expansion: { type: 'perspectives', perspectives: 'given' }, candidates: 8 },
  mmr: { ...bm25, candidates: 8, rerank: [{ type: 'mmr', lambda: 0.5, datasetMaximum: 'auto' }] },
  coverage: { ...bm25, candidates: 10, rerank: [{ type: 'coverage', judge: 'labels' }] },
};

/** Command-line calls with `tune` use one data set at a time. */
export function buildHouse(t: TestContext, seed: number): House {
  const random = seededRandom(seed);
  const folder = temporaryFolder(t);
  mkdirSync(path.join(folder, path.dirname(LABELS_FILE)), { recursive: true });
  const perQuery = seed % 3 === 2;
  const k = 4 + (seed % 3);
  const datasets = ['left', 'right'].map((name) => buildDataset(folder, name, perQuery, random));
  writeFileSync(
    path.join(folder, 'parallax.json'),
    JSON.stringify({
      corpora: Object.fromEntries(
        datasets.map(({ name, corpusPath }) => [
          name,
          { roots: [corpusPath], split: { type: 'none' }, ...(perQuery ? { perQuery } : {}) },
        ]),
      ),
      pipelines: PIPELINES,
      judge: 'labels',
      evalSets: datasets.map(({ queriesFile }) => queriesFile),
      gate: {
        pipelines: Object.keys(PIPELINES),
        k,
        judge: 'labels',
        corpora: Object.fromEntries(datasets.map(({ name }) => [name, name])),
        thresholds: [{ metric: `MRecall@${k}`, min: 0 }],
      },
    }),
  );
  return { folder, datasets, k, perQuery };
}

function buildDataset(folder: string, name: string, perQuery: boolean, random: Random): HouseDataset {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const some = (most: number): number => 1 + Math.floor(random() * most);
  const topics = ['water', 'bridge', 'school', 'market', 'forest', 'museum'];
  const views = ['price', 'health', 'noise', 'power', 'safety', 'beauty'];
  const fillers = ['town', 'people', 'river', 'winter', 'council', 'night', 'road', 'letter'];
  const words = (list: readonly string[], count: number): string[] =>
    Array.from({ length: count }, () => pick(list));
  const passages = Array.from({ length: 36 }, (_, place) => ({
    _id: `${name}${place}`,
    title: '',
    text: [...words(topics, some(3)), ...words(views, some(3)), ...words(fillers, some(8))].join(' '),
  }));
  const texts = topics.map((topic) => `${topic} ${pick(fillers)} ${pick(views)}`);
  const queries: EvalQueries = [
    { id: `${name}-sides`, text: texts[0]!, perspectives: sides(pick(views), pick(views)) },
    { id: `${name}-named`, text: texts[1]!, perspectives: named(pick(views), pick(views)) },
    { id: `${name}-groups`, text: texts[2]!, perspectives: groups(pick(views), pick(views), pick(views)) },
    { id: `${name}${PARALLEL}`, text: texts[3]!, perspectives: [{ id: 'p1', text: texts[3]! }] },
    { id: `${name}${UNLABELLED}`, text: texts[4]!, perspectives: [{ id: 'p1', text: pick(views) }] },
    { id: `${name}-plain`, text: texts[5]!, perspectives: plain(words(views, some(3))) },
    { id: `${name}-open`, text: `open ${pick(topics)}`, perspectives: [] },
    ...(perQuery
      ? [{ id: `${name}${PAGELESS}`, text: `pageless ${pick(topics)}`, perspectives: plain(['price']) }]
      : []),
  ];
  const verdicts = new Map<string, Verdict>();
  for (const query of queries.filter(({ id }) => !id.endsWith(UNLABELLED)))
    for (const { id } of query.perspectives) {
      // Every perspective but one has support somewhere, often outside of the retrieved passages.
      const isSupported = random() > 0.2;
      for (const { _id } of passages) {
        const drawn = random();
        if (isSupported && drawn < 0.08) verdicts.set(`${query.id} ${id} ${_id}`, 'yes');
        else if (drawn < 0.5) verdicts.set(`${query.id} ${id} ${_id}`, 'no');
      }
      // A fixed verdict: a question without any judgement would be missing from the qrels.
      verdicts.set(`${query.id} ${id} ${pick(passages)._id}`, 'no');
    }
  const corpusPath = perQuery ? name : `${name}.corpus.jsonl`;
  if (perQuery) writeSnapshot(path.join(folder, name), passages, queries, random);
  else writeLines(path.join(folder, corpusPath), passages);
  const dataset = {
    name,
    queries,
    verdicts,
    corpusPath,
    queriesFile: `${name}.jsonl`,
    qrelsFile: `${name}.qrels.txt`,
  };
  writeLines(
    path.join(folder, dataset.queriesFile),
    queries.map(({ id, ...query }) => ({ _id: id, ...query })),
  );
  writeJudgements(folder, dataset);
  return dataset;
}

type Perspectives = EvalQueries[number]['perspectives'];

const sides = (one: string, other: string): Perspectives => [
  { id: 'for', text: `${one} is good`, stance: 'support' },
  { id: 'against', text: `${other} is bad`, stance: 'oppose' },
];
/** Sides given by their names alone. */
const named = (one: string, other: string): Perspectives => [
  { id: 'support', text: `${one} yes` },
  { id: 'oppose', text: `${other} no` },
];
const groups = (...views: readonly string[]): Perspectives =>
  views.map((view, place) => ({
    id: `g${place}`,
    text: `${view} view ${place}`,
    group: place === 0 ? 'old' : 'new',
  }));
const plain = (views: readonly string[]): Perspectives =>
  views.map((view, place) => ({ id: `p${place}`, text: `${view} ${place}` }));

/** Writes the same judgements as labels of people and as qrels. */
function writeJudgements(folder: string, { queries, verdicts, qrelsFile }: HouseDataset): void {
  const labels: string[] = [];
  const qrels: string[] = [];
  for (const [key, verdict] of verdicts) {
    const [query, perspective, document] = key.split(' ') as [string, string, string];
    const asked = queries.find(({ id }) => id === query)!;
    labels.push(
      formatLabel(
        labelSchema.parse({
          v: 1,
          query,
          perspective,
          perspectiveText: asked.perspectives.find(({ id }) => id === perspective)!.text,
          document,
          verdict,
          by: { kind: 'human', name: 'Kim' },
          at: '2026-01-01T00:00:00Z',
        }),
      ),
    );
    qrels.push(`${query} ${perspective} ${document} ${verdict === 'yes' ? 1 : 0}\n`);
  }
  writeFileSync(path.join(folder, LABELS_FILE), labels.join(''), { flag: 'a' });
  writeFileSync(path.join(folder, qrelsFile), qrels.join(''));
}

/** Gives each question about two thirds of the pages. */
function writeSnapshot(
  folder: string,
  passages: readonly { readonly _id: string }[],
  queries: EvalQueries,
  random: Random,
): void {
  mkdirSync(folder);
  writeLines(path.join(folder, SNAPSHOT_PAGES), passages);
  const at = '2026-01-01T00:00:00.000Z';
  const pages = passages.map(({ _id: url }) => ({
    type: 'page',
    url,
    finalUrl: url,
    status: 200,
    contentType: 'text/html',
    bytes: 1,
    hash: '',
    at,
  }));
  const searches = queries
    .filter(({ id }) => !id.endsWith(PAGELESS))
    .map(({ id, text }) => {
      const own = passages.filter(() => random() < 0.66);
      const results = own.map(({ _id: url }, index) => ({ rank: index + 1, url, title: '' }));
      return { type: 'search', queryId: id, query: text, provider: 'searxng', wanted: 40, results, at };
    });
  writeLines(path.join(folder, SNAPSHOT_MANIFEST), [...pages, ...searches]);
}

function writeLines(file: string, records: readonly object[]): void {
  writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
}
