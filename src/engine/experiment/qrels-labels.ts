/** Qrels instead of people's labels. A judge is asked only about pairs that they leave open. */
import { qrelsKind, type QrelsKind } from '../../core/metrics/evaluate.ts';
import type { Qrels, Query, Verdict } from '../../core/model.ts';
import { isOfGold } from '../../core/formats/gold-perspective.ts';
import { PLAIN_PERSPECTIVE } from '../../core/words.ts';
import { passageName } from '../../core/text/passage-name.ts';
import type { JudgedPair, Supporter } from '../../shared/requests/passages.ts';
import type { Judge, JudgeReport } from '../judges/judge.ts';
import type { JudgingTask } from '../judgements/judgement-service.ts';
import type { Probed } from '../../features/look-deeper/engine/probes.ts';
import type { PipelineServices } from '../retrieval/pipeline-services.ts';
import {
  emptyTopic,
  PeopleLabels,
  type LabelParts,
  type LabelSource,
  type Topic,
  type Topics,
} from './label-source.ts';

export class QrelsLabels implements LabelSource {
  readonly kind: QrelsKind;
  readonly #qrels: Qrels;
  readonly #parts: LabelParts;
  /** Labels of the workspace count beside the answers of a judge. */
  readonly #others: PeopleLabels;
  #isOfCorpus: boolean | undefined;

  constructor(qrels: Qrels, parts: LabelParts) {
    this.kind = qrelsKind(qrels);
    this.#qrels = qrels;
    this.#parts = parts;
    this.#others = new PeopleLabels(parts);
  }

  /**
   * Qrels of another corpus, or by other ids, imply nothing about this one, not even about passages that they
   * do not name.
   */
  get isOpen(): boolean {
    return this.judge !== undefined || !this.#namesPassages();
  }

  get judge(): Judge | undefined {
    return this.#parts.judge;
  }

  /** Judged queries that are not asked are included, and count as not answered. */
  topics(queries: readonly Query[]): Topics {
    const topics: Topics = new Map(
      [...this.#qrels].map(([query, topic]) => [
        query,
        new Map([...topic].map(([perspective, judged]) => [perspective, new Map(judged)])),
      ]),
    );
    if (this.kind === 'plain') {
      for (const { id, perspectives } of queries)
        if (isOfGold({ perspectives }) && !topics.has(id)) topics.set(id, emptyTopic(perspectives));
      return topics;
    }
    for (const { id, perspectives } of queries) {
      const named = perspectives.filter((perspective) => perspective.id !== PLAIN_PERSPECTIVE);
      topics.set(id, new Map([...(topics.get(id) ?? []), ...missing(named, topics.get(id))]));
    }
    return topics;
  }

  /** Qrels first, then labels of the workspace, then the judge's stored answers. */
  async known(task: JudgingTask): Promise<readonly JudgedPair[]> {
    const { query, perspectives, passages } = task;
    const topic = this.#qrels.get(query.id ?? '');
    const given = passages.flatMap(({ slot, id }) =>
      [...(this.kind === 'plain' ? (topic?.keys() ?? []) : perspectives.map((each) => each.id))].flatMap(
        (perspective) => {
          const relevance = topic?.get(perspective)?.get(id);
          // Below zero means pooled and not judged (TREC).
          if (relevance === undefined || relevance < 0) return [];
          return [fromQrels(slot, perspective, relevance > 0 ? 'yes' : 'no')];
        },
      ),
    );
    if (!this.judge) return given;
    const settled = new Set(given.map(keyOf));
    const others = (await this.#others.known(task)).filter((pair) => !settled.has(keyOf(pair)));
    return [...given, ...others];
  }

  answered(task: JudgingTask): Promise<readonly JudgedPair[]> {
    return this.#others.answered(task);
  }

  judgePairs(...args: Parameters<LabelSource['judgePairs']>): Promise<JudgeReport> {
    return this.#others.judgePairs(...args);
  }

  /** The supporting passages that are in the corpus. */
  async supporters({ id }: Query): Promise<readonly Supporter[]> {
    const { index } = this.#parts;
    return [...(this.#qrels.get(id) ?? [])].flatMap(([perspectiveId, judged]) =>
      [...judged].flatMap(([passageId, relevance]) => {
        const passage = relevance > 0 ? index.passageById(passageId) : undefined;
        return passage ? [{ perspectiveId, passageId, name: passageName(passage) }] : [];
      }),
    );
  }

  /** Qrels alone imply that nothing else supports. */
  probed(query: Query): readonly Probed[] {
    return this.isOpen ? this.#others.probed(query) : [];
  }

  /** A coverage reranker that asks `labels` asks the qrels. */
  services(services: PipelineServices): PipelineServices {
    const { index } = this.#parts;
    return {
      propose: (...args) => services.propose(...args),
      rewrite: (...args) => services.rewrite(...args),
      split: (...args) => services.split(...args),
      judgeFacts: (...args) => services.judgeFacts(...args),
      measuredCorrelation: (...args) => services.measuredCorrelation(...args),
      texts: (...args) => services.texts(...args),
      verdicts: async (judge, query, pairs, ...how) => {
        if (judge !== 'labels') return services.verdicts(judge, query, pairs, ...how);
        const topic = query.id === undefined ? undefined : this.#qrels.get(query.id);
        return pairs.map(({ slot, perspective }) => {
          const relevance = topic?.get(perspective.id)?.get(index.passageId(slot));
          return relevance === undefined ? undefined : relevance > 0 ? 'yes' : 'no';
        });
      },
    };
  }

  judgedBy(judge: Judge | undefined): LabelSource {
    return new QrelsLabels(this.#qrels, { ...this.#parts, judge });
  }

  /** Whether the corpus contains any judged passage. */
  #namesPassages(): boolean {
    this.#isOfCorpus ??= [...this.#qrels.values()].some((topic) =>
      [...topic.values()].some((judged) =>
        [...judged.keys()].some((id) => this.#parts.index.passageById(id) !== undefined),
      ),
    );
    return this.#isOfCorpus;
  }
}

const keyOf = ({ slot, perspectiveId }: JudgedPair): string => `${slot} ${perspectiveId}`;

/** A perspective without any judgement must still be covered. */
function missing(perspectives: readonly { readonly id: string }[], topic: Topic | undefined): Topic {
  return emptyTopic(perspectives.filter(({ id }) => !topic?.has(id)));
}

function fromQrels(slot: number, perspectiveId: string, verdict: Verdict): JudgedPair {
  return {
    slot,
    perspectiveId,
    judgement: { verdict, evidence: [], source: 'imported', judge: 'qrels', standard: 'imported', at: '' },
  };
}
