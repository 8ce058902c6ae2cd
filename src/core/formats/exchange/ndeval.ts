/**
 * Diversity qrels and a run as ndeval takes them: topics and subtopics are natural numbers there, and anything
 * else ends the program. A map keeps the ids.
 */
import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { Read } from '../../read.ts';
import { messageOf, ParallaxError } from '../../errors.ts';
import type { Qrels, Run } from '../../model.ts';
import { describeIssue } from '../../schema-issue.ts';
import { exchangeOf, type Exchange, type ParsedExchange } from './exchange.ts';
import { columnId, formatQrels, formatRun, parseQrels, parseRun } from './trec.ts';
import { listOf } from '../lists.ts';

const distinct = (values: readonly string[]): boolean => new Set(values).size === values.length;
const twice = (): string => l10n.t('holds an id twice');

const idMapSchema = z.object({
  version: z.literal(1),
  /** The topic `n` is the n-th, from 1; so are its subtopics. */
  topics: z
    .array(
      z.object({
        id: z.string().min(1),
        subtopics: listOf(z.string().min(1)).refine(distinct, { error: twice }),
      }),
    )
    .refine((topics) => distinct(topics.map(({ id }) => id)), { error: twice }),
  /** Passage ids with blanks, which cannot stand in a column: as they are written, and as they are. */
  passages: listOf(
    z
      .object({ written: z.string().min(1), id: z.string().min(1) })
      .refine(({ written, id }) => written === columnId(id), {
        error: () => l10n.t('is not how this id is written'),
      }),
  ),
});
type IdMap = Read<typeof idMapSchema>;

/** Names of the files in a folder. */
export const NDEVAL_FILES = { qrels: 'qrels.txt', run: 'run.txt', ids: 'ids.json' } as const;

/**
 * Topics are numbered in the order of the judgements, then of the run; subtopics in the order of the query's
 * perspectives, then of the judgements. Relevance becomes 0 or 1, as ndeval reads it.
 *
 * @param tag name of the run
 * @returns per file name its content; no run where nothing was retrieved
 * @throws ParallaxError `bad-argument` without judgements, and for ids that no column can hold
 */
export function formatNdeval(exchange: Exchange, tag: string): Map<string, string> {
  const { qrels, run } = exchange;
  if (qrels.size === 0)
    throw new ParallaxError('bad-argument', l10n.t('ndeval needs judgements; there are none.'));
  const ids = idMapOf(exchange);
  const files = new Map([
    [NDEVAL_FILES.qrels as string, formatQrels(numberedQrels(qrels, ids))],
    [NDEVAL_FILES.ids, `${JSON.stringify(ids, null, 2)}\n`],
  ]);
  if ([...run.values()].some((ranking) => ranking.length > 0)) {
    const places = topicNumbers(ids);
    files.set(
      NDEVAL_FILES.run,
      formatRun(new Map([...run].map(([query, ranking]) => [places.get(query)!, ranking])), tag),
    );
  }
  return files;
}

function idMapOf({ queries, qrels, run }: Exchange): IdMap {
  const perspectives = new Map(queries.map((query) => [query.id, query.perspectives.map(({ id }) => id)]));
  const topics = [...new Set([...qrels.keys(), ...run.keys()])];
  const retrieved = [...run.values()].flatMap((ranking) => ranking.map(({ item }) => item));
  const judged = [...qrels.values()].flatMap((topic) =>
    [...topic.values()].flatMap((own) => [...own.keys()]),
  );
  const passages = [...new Set([...retrieved, ...judged])];
  return {
    version: 1,
    topics: topics.map((id) => ({
      id,
      subtopics: [...new Set([...(perspectives.get(id) ?? []), ...(qrels.get(id)?.keys() ?? [])])],
    })),
    passages: passages
      .map((id) => ({ written: columnId(id), id }))
      .filter(({ written, id }) => written !== id),
  };
}

const topicNumbers = ({ topics }: IdMap): Map<string, string> =>
  new Map(topics.map(({ id }, place) => [id, String(place + 1)]));

function numberedQrels(qrels: Qrels, ids: IdMap): Qrels {
  return new Map(
    ids.topics.map(({ id, subtopics }, place) => [
      String(place + 1),
      new Map(
        subtopics.map((subtopic, own) => [
          String(own + 1),
          new Map(
            [...(qrels.get(id)?.get(subtopic) ?? [])].map(([passage, relevance]) => [
              passage,
              relevance > 0 ? 1 : 0,
            ]),
          ),
        ]),
      ),
    ]),
  );
}

/**
 * Back to the ids of the map, also where the run is that of another program.
 *
 * @param files contents by name; without a map the numbers are the ids
 * @throws ParallaxError `bad-file` for a map that is none, and what {@link parseRun} and {@link parseQrels} throw
 */
export function parseNdeval(files: ReadonlyMap<string, string>, name: string): ParsedExchange {
  const ids = parseIdMap(files.get(NDEVAL_FILES.ids), `${name}/${NDEVAL_FILES.ids}`);
  const qrelsText = files.get(NDEVAL_FILES.qrels);
  const runText = files.get(NDEVAL_FILES.run);
  if (qrelsText === undefined && runText === undefined)
    throw new ParallaxError(
      'bad-file',
      l10n.t`${name} has neither ${NDEVAL_FILES.qrels} nor ${NDEVAL_FILES.run}.`,
    );
  const parsedQrels = qrelsText === undefined ? undefined : parseQrels(qrelsText, { kind: 'diversity' });
  const parsedRun = runText === undefined ? undefined : parseRun(runText);
  return {
    exchange: exchangeOf({
      qrels: parsedQrels ? namedQrels(parsedQrels.qrels, ids) : new Map(),
      run: parsedRun ? namedRun(parsedRun.run, ids) : new Map(),
    }),
    warnings: [
      ...(parsedQrels?.warnings ?? []).map((warning) => `${name}/${NDEVAL_FILES.qrels}: ${warning}`),
      ...(parsedRun?.warnings ?? []).map((warning) => `${name}/${NDEVAL_FILES.run}: ${warning}`),
    ],
  };
}

function parseIdMap(text: string | undefined, name: string): IdMap {
  if (text === undefined) return { version: 1, topics: [], passages: [] };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new ParallaxError('bad-file', l10n.t`${name} is not valid JSON: ${messageOf(error)}.`, {
      cause: error,
    });
  }
  const parsed = idMapSchema.safeParse(json);
  if (!parsed.success)
    throw new ParallaxError('bad-file', l10n.t`${name}: ${describeIssue(parsed.error, json)}`);
  return parsed.data;
}

function namedQrels(qrels: Qrels, ids: IdMap): Qrels {
  const passageOf = passageNames(ids);
  const named = new Map<string, Map<string, Map<string, number>>>();
  for (const { id, subtopics } of ids.topics)
    named.set(id, new Map(subtopics.map((subtopic) => [subtopic, new Map<string, number>()])));
  for (const [topic, subtopics] of qrels) {
    const known = ids.topics[Number(topic) - 1];
    const own = named.get(known?.id ?? topic) ?? new Map<string, Map<string, number>>();
    named.set(known?.id ?? topic, own);
    for (const [subtopic, judged] of subtopics)
      own.set(
        known?.subtopics[Number(subtopic) - 1] ?? subtopic,
        new Map([...judged].map(([passage, relevance]) => [passageOf(passage), relevance])),
      );
  }
  return named;
}

function namedRun(run: Run, ids: IdMap): Run {
  const passageOf = passageNames(ids);
  return new Map(
    [...run].map(([topic, ranking]) => [
      ids.topics[Number(topic) - 1]?.id ?? topic,
      ranking.map(({ item, score }) => ({ item: passageOf(item), score })),
    ]),
  );
}

function passageNames({ passages }: IdMap): (written: string) => string {
  const names = new Map(passages.map(({ written, id }) => [written, id]));
  return (written) => names.get(written) ?? written;
}
