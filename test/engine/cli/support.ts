/** Commands run in this process, on small real files. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { Io } from '../../../src/cli/presentation/terminal.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import '../../fixtures/built.ts';

type Command = (argv: readonly string[], io: Io) => Promise<number>;

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function run(command: Command, ...argv: readonly string[]): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  const code = await command(argv, {
    stdout: (text) => (stdout += text),
    stderr: (text) => (stderr += text),
  });
  return { code, stdout, stderr };
}

/** The output of a command for `--json -`, parsed. */
export async function runJson<T>(command: Command, ...argv: readonly string[]): Promise<T> {
  return JSON.parse((await run(command, ...argv, '--json', '-')).stdout) as T;
}

/** Writes files into a temporary folder and returns their paths. */
export async function files<Name extends string>(
  t: TestContext,
  texts: Readonly<Record<Name, string>>,
): Promise<Record<Name, string>> {
  const folder = temporaryFolder(t);
  const places = {} as Record<Name, string>;
  for (const name of Object.keys(texts) as Name[]) {
    places[name] = path.join(folder, `${name}.${texts[name].startsWith('{') ? 'jsonl' : 'txt'}`);
    await writeFile(places[name], texts[name]);
  }
  return places;
}

/** The options that name one data set. */
export function inputs(places: Readonly<Record<'corpus' | 'queries' | 'qrels', string>>): string[] {
  return ['--corpus', places.corpus, '--queries', places.queries, '--qrels', places.qrels];
}

/** JSONL. */
export function lines(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/**
 * Topics of three passages that BM25 ranks a, b, c. The first two support `pro`, the third `con`, so BM25 covers one
 * perspective of two within the top 2.
 */
export function topics(count: number): Record<'corpus' | 'queries' | 'qrels', string> {
  const numbers = Array.from({ length: count }, (_, i) => i + 1);
  return {
    corpus: lines(
      numbers.flatMap((n) => [
        { _id: `a${n}`, text: `topic${n} topic${n} topic${n} first` },
        { _id: `b${n}`, text: `topic${n} topic${n} second other` },
        { _id: `c${n}`, text: `topic${n} third other words` },
      ]),
    ),
    queries: lines(
      numbers.map((n) => ({
        _id: `q${n}`,
        text: `topic${n}`,
        perspectives: [
          { id: 'pro', text: 'first or second', stance: 'support' },
          { id: 'con', text: 'third', stance: 'oppose' },
        ],
      })),
    ),
    qrels: numbers
      .map((n) => `q${n} pro a${n} 1\nq${n} pro b${n} 1\nq${n} con c${n} 1\nq${n} con a${n} 0\n`)
      .join(''),
  };
}

/** BM25, and the same with a reranker that uses the qrels and covers everything within the top 2. */
export const COVERAGE = '{"name":"coverage","retriever":{"type":"bm25"},"rerank":[{"type":"coverage"}]}';

export const DEBATE = '../shared/data/debate';
export const debate: readonly string[] = inputs({
  corpus: `${DEBATE}/corpus.jsonl`,
  queries: `${DEBATE}/queries.jsonl`,
  qrels: `${DEBATE}/qrels.diversity.txt`,
});
export const needsDebate = existsSync(DEBATE) ? {} : { skip: `cannot run here: ${DEBATE} is absent` };
