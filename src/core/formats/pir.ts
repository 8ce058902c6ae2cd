/** A task of the PIR benchmark: one JSON object in the format of its authors (Zhao et al. 2024). */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../read.ts';
import type { PerspectiveQuery } from '../analysis/p-recall.ts';
import { messageOf, ParallaxError } from '../errors.ts';
import { describeIssue } from '../schema-issue.ts';

const texts = z.array(z.string()).min(1, { error: () => l10n.t('must not be empty') });
/** Numbers in the first version, strings of digits in the later one. */
const passageIndex = z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)]).pipe(z.int().min(0));
const taskSchema = z.object({
  corpus: texts,
  queries: texts,
  source_queries: texts,
  perspectives: texts,
  query_labels: texts,
  key_ref: z.record(
    z.string(),
    z.union(
      [
        z.array(passageIndex).min(1, { error: () => l10n.t('must not be empty') }),
        passageIndex.transform((only) => [only]),
      ],
      {
        error: () => l10n.t('expected the numbers of the right passages'),
      },
    ),
  ),
});
type TaskRecord = Read<typeof taskSchema>;

export interface PirQuery extends PerspectiveQuery {
  /** The full query: root and perspective in one sentence. */
  readonly text: string;
  /** The perspective as a phrase. */
  readonly perspective: string;
}

export interface PirTask {
  /** Passage ids are their positions, `0`, `1`, …. */
  readonly corpus: readonly { readonly id: string; readonly text: string }[];
  /** Query ids are their positions too. */
  readonly queries: readonly PirQuery[];
}

/**
 * @param name of the file, for messages
 * @throws ParallaxError `bad-file` naming the field that is missing or wrong
 */
export function parsePirTask(text: string, name: string): PirTask {
  const record = parseRecord(text, name);
  const { corpus, queries, source_queries: roots, perspectives, query_labels: labels } = record;
  checkLengths(record, name);
  return {
    corpus: corpus.map((passage, index) => ({ id: String(index), text: passage })),
    queries: queries.map((query, index) => ({
      id: String(index),
      text: query,
      root: roots[index]!,
      perspective: perspectives[index]!,
      label: labels[index]!,
      gold: goldOf(record, index, name),
    })),
  };
}

function parseRecord(text: string, name: string): TaskRecord {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw badFile(name, l10n.t`not JSON (${messageOf(error)}).`, error);
  }
  const parsed = taskSchema.safeParse(json);
  if (!parsed.success) throw badFile(name, describeIssue(parsed.error, json));
  return parsed.data;
}

function checkLengths(record: TaskRecord, name: string): void {
  for (const field of ['source_queries', 'perspectives', 'query_labels'] as const)
    if (record[field].length !== record.queries.length)
      throw badFile(
        name,
        l10n.t`${field} has ${record[field].length} entries for ${record.queries.length} queries.`,
      );
}

function goldOf({ key_ref, corpus }: TaskRecord, query: number, name: string): Set<string> {
  const gold = key_ref[String(query)];
  if (!gold) throw badFile(name, l10n.t`key_ref has no entry for query ${query}.`);
  const beyond = gold.find((passage) => passage >= corpus.length);
  if (beyond !== undefined)
    throw badFile(
      name,
      l10n.t`key_ref.${query} names passage ${beyond}, but the corpus ends at ${corpus.length - 1}.`,
    );
  return new Set(gold.map(String));
}

function badFile(name: string, problem: string, cause?: unknown): ParallaxError {
  return new ParallaxError('bad-file', l10n.t`${name} is not a PIR task: ${problem}`, { cause });
}
