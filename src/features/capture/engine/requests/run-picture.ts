/** The picture of a run of several searches in terms of a corpus. Asks no judge. */
import { reachedBy, changedRun, type AskedAgain } from '../../core/run-what-ifs.ts';
import {
  gainPerThousandTokens,
  runCoverage,
  type PicturedRun,
  type RunCoverage,
  type SearchOfRun,
} from '../../core/search-run.ts';
import { ORDERS, type AskedAgainPicture, type RunPicture } from '../../contract/run-picture.ts';
import type { Perspective } from '../../../../core/model.ts';
import { parsePipeline, type Pipeline } from '../../../../core/pipeline.ts';
import { retrieverLabel } from '../../../../core/pipeline-label.ts';
import { passageName } from '../../../../core/text/passage-name.ts';
import { questionKey } from '../../../../core/text/question.ts';
import { whatIfs } from '../../../lens/core/what-ifs.ts';
import { isForeign } from '../../../../engine/external/foreign-passages.ts';
import type { PipelineServices } from '../../../../engine/retrieval/pipeline-services.ts';
import { searchQuery } from '../../../../engine/retrieval/search-query.ts';
import type { Slot, StoredPassage, WorkOptions } from '../../../../engine/types.ts';
import type { AskedQuery } from '../../../../shared/requests/questions.ts';
import type { CaptureTerms } from '../captures.ts';

/** How to ask its queries again. */
export interface Again {
  /** Its retriever is asked; its other steps are not. */
  readonly pipeline: Pipeline;
  readonly services: PipelineServices;
}

/** How deep queries are asked again. */
const DEPTH = 1_000;
/** Changes choose among these: rerankers select from the top 100 (BERDS, appendix A.6). */
const CANDIDATES = 100;

/** @throws ParallaxError what a search throws, `cancelled` */
export async function runPicture(
  run: PicturedRun,
  terms: CaptureTerms,
  again: Again | undefined,
  work: WorkOptions,
): Promise<RunPicture> {
  const reading = new RunReading(terms, run);
  const { index } = terms;
  const stored: StoredPassage[][] = [];
  for (const { results } of run.searches)
    stored.push(index.passages((await index.recognised(results, { signal: work.signal })).slots));
  const searches: SearchOfRun[] = [];
  for (const passages of stored) searches.push({ passages: await reading.judged(passages) });
  const ids = reading.perspectives.map(({ id }) => id);
  const coverage = runCoverage(ids, searches);
  const { never, searchesAfter, union, judgedPairs, pairs } = coverage;
  return {
    question: run.question ?? run.searches[0]!.query,
    perspectives: [...reading.perspectives],
    searches: run.searches.map(({ query, name }, step) => ({
      query,
      name,
      passages: stored[step]!.map((passage, place) => ({
        id: passage.id,
        title: isForeign(passage.slot) ? passage.title : passageName(passage),
        recognised: !isForeign(passage.slot),
        supports: searches[step]!.passages[place]!.judged.filter(({ verdict }) => verdict === 'yes').map(
          ({ perspectiveId }) => perspectiveId,
        ),
      })),
      ...stepView(coverage, step),
    })),
    never: [...never],
    searchesAfter,
    passages: union.length,
    judgedPairs,
    pairs,
    ...(again ? { again: await askedAgain(run, reading, coverage, stored, again, work) } : {}),
  };
}

function stepView(
  { steps }: RunCoverage,
  step: number,
): Omit<RunPicture['searches'][number], 'query' | 'name' | 'passages'> {
  const { gained, covered, seen, nearlySeen, tokens } = steps[step]!;
  const gain = gainPerThousandTokens(steps[step]!);
  return {
    gained: [...gained],
    covered,
    seen,
    nearlySeen,
    tokens,
    ...(gain === undefined ? {} : { gainPerThousandTokens: gain }),
  };
}

/** Reads passages with the verdicts that are known for the question of a run. */
class RunReading {
  readonly #terms: CaptureTerms;
  readonly question: AskedQuery;
  readonly perspectives: readonly Perspective[];

  constructor(terms: CaptureTerms, { question, searches }: PicturedRun) {
    this.#terms = terms;
    const texts = [...(question === undefined ? [] : [question]), ...searches.map(({ query }) => query)];
    const known = texts
      .map((text) =>
        terms.queries.find(
          (query) => query.perspectives.length > 0 && questionKey(query.text) === questionKey(text),
        ),
      )
      .find((query) => query !== undefined);
    this.question = known ? { id: known.id, text: known.text } : { text: texts[0]! };
    this.perspectives = known?.perspectives ?? [];
  }

  async judged(
    passages: readonly StoredPassage[],
    perspectives: readonly Perspective[] = this.perspectives,
  ): Promise<SearchOfRun['passages']> {
    const { judgementService, judge, index } = this.#terms;
    const known =
      perspectives.length === 0
        ? []
        : await judgementService.known({ query: this.question, perspectives, passages, index }, judge);
    const bySlot = Map.groupBy(known, ({ slot }) => slot);
    return passages.map(({ slot, id, text }) => ({
      id,
      text,
      characters: text.length,
      judged: (bySlot.get(slot) ?? []).map(({ perspectiveId, judgement: { verdict } }) => ({
        perspectiveId,
        verdict,
      })),
    }));
  }

  /** Per perspective, the number of passages of the corpus that people labelled as supporting it. */
  async supporters(): Promise<Map<string, number>> {
    const { judgementService, index, judge } = this.#terms;
    const known = await judgementService.supporters(this.question, this.perspectives, index, judge);
    return new Map(
      [...Map.groupBy(known, ({ perspectiveId }) => perspectiveId)].map(([id, passages]) => [
        id,
        new Set(passages.map(({ passageId }) => passageId)).size,
      ]),
    );
  }

  async ranking(
    { pipeline, services }: Again,
    query: string,
    depth: number,
    work: WorkOptions,
  ): Promise<StoredPassage[]> {
    const { index } = this.#terms;
    const asked = { text: query, perspectives: this.perspectives, pagesOf: this.question.text };
    const { hits } = await searchQuery(index, pipeline, asked, depth, services, work);
    return index.passages(hits.map(({ item }): Slot => item));
  }
}

async function askedAgain(
  { searches }: PicturedRun,
  reading: RunReading,
  { never }: RunCoverage,
  returned: readonly (readonly StoredPassage[])[],
  { pipeline, services }: Again,
  work: WorkOptions,
): Promise<AskedAgainPicture> {
  const { retriever, k } = pipeline;
  const plain = parsePipeline({ retriever, k, candidates: CANDIDATES });
  const mmr = whatIfs(plain, { hasPerspectives: false }).find(({ kind }) => kind === 'mmr')!.pipeline;
  const lost = reading.perspectives.filter(({ id }) => never.includes(id));
  const [shallow, byMmr, deep]: [AskedAgain[], AskedAgain[], AskedAgain[]] = [[], [], []];
  const titles = new Map<string, string>();
  const quiet = { signal: work.signal };
  let depth = 0;
  for (const [place, { query }] of searches.entries()) {
    work.onProgress?.({ done: place, total: searches.length });
    // A search that returned nothing may still have been allowed to.
    const k = returned[place]!.length || plain.k;
    const ranking = await reading.ranking({ pipeline: plain, services }, query, DEPTH, quiet);
    const moved = await reading.ranking({ pipeline: mmr, services }, query, CANDIDATES, quiet);
    depth = Math.max(depth, ranking.length);
    for (const passage of ranking) titles.set(passage.id, passageName(passage));
    shallow.push({ k, ranking: await reading.judged(ranking.slice(0, CANDIDATES)) });
    byMmr.push({ k, ranking: await reading.judged(moved) });
    deep.push({ k, ranking: await reading.judged(ranking, lost) });
  }
  const supporters = await reading.supporters();
  const ids = reading.perspectives.map(({ id }) => id);
  return {
    retriever: retrieverLabel(retriever),
    depth,
    lost: lost.map(({ id }) => {
      const reached = reachedBy(id, deep);
      return {
        perspectiveId: id,
        known: Math.max(supporters.get(id) ?? 0, reached ? 1 : 0),
        ...(reached
          ? {
              reached: {
                search: reached.search,
                rank: reached.rank,
                passageId: reached.passage,
                title: titles.get(reached.passage)!,
              },
            }
          : {}),
      };
    }),
    whatIfs: ORDERS.flatMap((order) =>
      [false, true].map((leavesOutSeen) => {
        const change = { leavesOutSeen, coversFirst: order === 'covering' };
        const changed = changedRun(ids, order === 'mmr' ? byMmr : shallow, change);
        const { steps, judgedPairs, pairs } = runCoverage(ids, changed);
        return { order, leavesOutSeen, covered: steps.map(({ covered }) => covered), judgedPairs, pairs };
      }),
    ),
  };
}
