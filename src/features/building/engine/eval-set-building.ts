/** Answers the engine's requests about building an eval set. */
import type { AcceptedDraft } from '../core/accept.ts';
import { usualBudget } from '../core/effort.ts';
import type { ReviewAdded } from '../../review/contract/review.ts';
import type { Params, Result } from '../../../shared/rpc.ts';
import type { CorpusIndex } from '../../../engine/corpora/corpus-index.ts';
import { requireJudge } from '../../../engine/judgements/judgement-service.ts';
import type { Judges } from '../../../engine/judges/judges.ts';
import type { PaidReplies } from '../../../engine/models/paid-replies.ts';
import type { PipelineServices } from '../../../engine/retrieval/pipeline-services.ts';
import type { Review } from '../../review/engine/review.ts';
import type { WorkOptions } from '../../../engine/types.ts';
import { acceptDrafts } from './accept-drafts.ts';
import { buildDrafts } from './build-drafts.ts';
import { corpusPassages, type CorpusPassages } from './corpus-passages.ts';
import { DraftsFile } from './drafts-file.ts';
import { labelSet, type QueryPool } from './label-set.ts';
import { buildEffort, readMaterial } from './read-material.ts';
import { RequestBudget } from './request-budget.ts';

export interface EvalSetBuildingParts {
  readonly judges: Pick<Judges, 'get' | 'chatModel'>;
  readonly replies: PaidReplies;
  readonly review: Pick<Review, 'add'>;
  /** @throws ParallaxError `not-found`, `not-indexed` */
  readonly openIndexed: (corpus: string) => Promise<CorpusIndex>;
  readonly servicesOf: (index: CorpusIndex) => PipelineServices;
}

/** Only people's labels decide what is still to be labelled. */
const NOBODY = 'labels';

export class EvalSetBuilding {
  readonly #parts: EvalSetBuildingParts;

  constructor(parts: EvalSetBuildingParts) {
    this.#parts = parts;
  }

  async effort(params: Params<'buildEffort'>, work: WorkOptions): Promise<Result<'buildEffort'>> {
    const { material, judge, count } = params;
    const { model } = this.#parts.judges.chatModel(params.generator);
    const read = await readMaterial(material, judge, (name) => this.#corpus(name), work.signal);
    const drafts = await DraftsFile.open(params.drafts);
    return {
      ...buildEffort(read, count, drafts, judge !== undefined),
      generator: model.label,
      warnings: drafts.warnings,
    };
  }

  /** Continues an earlier run from the drafts and the stored replies. */
  async build(params: Params<'build'>, work: WorkOptions): Promise<Result<'build'>> {
    const { judges, replies } = this.#parts;
    const { count, requests = usualBudget(count) } = params;
    const judge =
      params.judge === undefined ? undefined : requireJudge(judges.get(params.judge), params.judge);
    const generator = judges.chatModel(params.generator);
    const { material } = await readMaterial(
      params.material,
      params.judge,
      (name) => this.#corpus(name),
      work.signal,
    );
    const parts = {
      generator,
      judge,
      replies,
      drafts: await DraftsFile.open(params.drafts),
      budget: new RequestBudget(requests),
      now: () => new Date().toISOString(),
    };
    return buildDrafts(material, count, parts, work);
  }

  /**
   * Adds accepted drafts to the eval set. If a corpus is named, their passages are queued for review: proposed labels
   * count only after people have confirmed them.
   */
  async accept(params: Params<'acceptDrafts'>, work: WorkOptions): Promise<Result<'acceptDrafts'>> {
    const { drafts: draftsFile, evalSet: evalSetFile, labels: labelsFile, corpus } = params;
    const at = new Date().toISOString();
    const { accepted, already, waiting, labels, warnings } = await acceptDrafts({
      draftsFile,
      evalSetFile,
      labelsFile,
      at,
    });
    return {
      added: accepted.length,
      already,
      waiting,
      queued: corpus === undefined ? 0 : await this.#queueAccepted(corpus, accepted, work),
      ...(labelsFile === undefined ? {} : { labels }),
      warnings,
    };
  }

  /** @returns the number of pairs queued for review */
  async #queueAccepted(
    corpus: string,
    accepted: readonly AcceptedDraft[],
    work: WorkOptions,
  ): Promise<number> {
    let queued = 0;
    for (const { id, draft } of accepted) {
      const hashes = new Set(draft.passages.map(({ hash }) => hash));
      if (hashes.size === 0) continue;
      const passages = await (await this.#parts.openIndexed(corpus)).passagesByHash(hashes, work);
      const perspectives = draft.perspectives.map((each) => ({
        id: each.id,
        text: each.text,
        ...(each.stance ? { stance: each.stance } : {}),
      }));
      const slots = [...passages.values()].map(({ slot }) => slot);
      const added = await this.#queue(corpus, { id, text: draft.text, perspectives, slots }, work);
      queued += added.added;
    }
    return queued;
  }

  /** Queues the passages of a label set for review. */
  async labelSet(params: Params<'labelSet'>, work: WorkOptions): Promise<Result<'labelSet'>> {
    const { corpus } = params;
    const pools = await this.labelPools(params, work);
    const sum = { found: 0, added: 0, leftOut: 0, duplicates: 0 };
    for (const { query, passages, duplicates } of pools) {
      const slots = passages.map(({ slot }) => slot);
      const { found, added, leftOut } = await this.#queue(
        corpus,
        { id: query.id, text: query.text, perspectives: query.perspectives, slots },
        work,
      );
      sum.found += found;
      sum.added += added;
      sum.leftOut += leftOut;
      sum.duplicates += duplicates;
    }
    return sum;
  }

  /** The passages of a label set. */
  async labelPools(params: Params<'labelPools'>, work: WorkOptions): Promise<QueryPool[]> {
    const index = await this.#parts.openIndexed(params.corpus);
    return labelSet(index, this.#parts.servicesOf(index), params, work);
  }

  #queue(
    corpus: string,
    {
      id,
      text,
      perspectives,
      slots,
    }: { id: string; text: string } & Pick<Params<'judge'>, 'perspectives' | 'slots'>,
    work: WorkOptions,
  ): Promise<ReviewAdded> {
    const query = { id, text };
    return this.#parts.review.add({ from: 'query', corpus, judge: NOBODY, query, perspectives, slots }, work);
  }

  async #corpus(name: string): Promise<CorpusPassages> {
    const index = await this.#parts.openIndexed(name);
    return corpusPassages(index, this.#parts.servicesOf(index));
  }
}
