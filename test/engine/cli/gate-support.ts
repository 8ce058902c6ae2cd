/** A workspace with a gate, on real files. */
import { appendFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { gateCommand } from '../../../src/features/gate/cli/gate-command.ts';
import type { GateReport } from '../../../src/features/gate/core/report.ts';
import { run, topics, type Ran } from './support.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

/** Covers everything within the top 2; plain BM25 covers one perspective of two. */
const GOOD = { retriever: { type: 'bm25' }, rerank: [{ type: 'coverage' }], k: 2 };
export const WORSE = { retriever: { type: 'bm25' }, k: 2 };

export interface GateWorkspace {
  readonly folder: string;
  /** parallax.json */
  readonly config: string;
  configure(change: Readonly<Record<string, unknown>>): Promise<void>;
  gate(...argv: readonly string[]): Promise<Ran>;
  /** The report of `--format json`. */
  report(...argv: readonly string[]): Promise<GateReport & { readonly code: number }>;
}

/**
 * The number of topics of three passages; see {@link topics}. People have labelled every supporting passage, and `a`.
 */
export async function workspace(t: TestContext, count: number, gate: object): Promise<GateWorkspace> {
  const folder = temporaryFolder(t);
  const { corpus, queries, qrels } = topics(count);
  await writeFile(path.join(folder, 'corpus.jsonl'), corpus);
  await writeFile(path.join(folder, 'questions.jsonl'), withTags(queries));
  await mkdir(path.join(folder, '.parallax'));
  await writeFile(path.join(folder, '.parallax/judgements.jsonl'), labels(qrels));
  const opened = open(folder);
  await writeFile(opened.config, '{}');
  await opened.configure({
    corpora: { docs: { roots: ['corpus.jsonl'], split: { type: 'none' } } },
    pipelines: { mine: GOOD },
    judge: 'labels',
    evalSets: ['questions.jsonl'],
    gate: { pipelines: ['mine'], k: 2, ...gate },
  });
  return opened;
}

/** Adds people's label for the unjudged pair in the top 2 of {@link WORSE}, so that its loss is known. */
export async function labelWorse({ folder }: GateWorkspace, count: number): Promise<void> {
  const qrels = Array.from({ length: count }, (_, place) => `q${place + 1} con b${place + 1} 0\n`).join('');
  await appendFile(path.join(folder, '.parallax/judgements.jsonl'), labels(qrels));
}

/** A copy of the sample workspace. */
export async function sampleWorkspace(t: TestContext, gate: object): Promise<GateWorkspace> {
  const folder = path.join(temporaryFolder(t), 'sample');
  await cp('media/sample', folder, { recursive: true });
  const opened = open(folder);
  await opened.configure({ gate });
  return opened;
}

function open(folder: string): GateWorkspace {
  const config = path.join(folder, 'parallax.json');
  const gate = (...argv: readonly string[]): Promise<Ran> => run(gateCommand, '--config', config, ...argv);
  return {
    folder,
    config,
    gate,
    configure: async (change) => {
      const before = JSON.parse(await readFile(config, 'utf8')) as object;
      await writeFile(config, JSON.stringify({ ...before, ...change }));
    },
    report: async (...argv) => {
      const { code, stdout } = await gate('--format', 'json', ...argv);
      return { ...(JSON.parse(stdout) as GateReport), code };
    },
  };
}

/** The first half of the queries is `easy`. */
function withTags(queries: string): string {
  const lines = queries.trimEnd().split('\n');
  return lines
    .map((line, place) =>
      place < lines.length / 2 ? line.replace(/\}$/u, ', "metadata": {"tags": ["easy"]}}') : line,
    )
    .map((line) => `${line}\n`)
    .join('');
}

function labels(qrels: string): string {
  return qrels
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ') as [string, string, string, string])
    .map(([query, perspective, document, relevance]) => ({
      v: 1,
      query,
      perspective,
      document,
      by: { kind: 'human', name: 'Kim' },
      at: '2026-01-01T00:00:00Z',
      perspectiveText: perspective === 'pro' ? 'first or second' : 'third',
      verdict: relevance === '1' ? 'yes' : 'no',
    }))
    .map((label) => `${JSON.stringify(label)}\n`)
    .join('');
}
