/** In an evaluation the qrels are the human labels; whoever is asked answers only what they leave open. */
import type { Qrels, Verdict } from '../core/model.ts';
import type { FigureDesk } from '../engine/experiment/judge-figures.ts';
import type { Judge } from '../engine/judges/judge.ts';
import type { JudgementService, JudgingTask } from '../engine/judgements/judgement-service.ts';
import type { JudgedPair } from '../shared/requests/passages.ts';

type Topics = Map<string, Map<string, Map<string, number>>>;

export class QrelsDesk implements FigureDesk {
  readonly #qrels: Qrels;
  readonly #judgementService: JudgementService;
  readonly #filled: Topics;

  constructor(qrels: Qrels, judgementService: JudgementService) {
    this.#qrels = qrels;
    this.#judgementService = judgementService;
    this.#filled = new Map(
      [...qrels].map(([query, topic]) => [
        query,
        new Map([...topic].map(([perspective, judged]) => [perspective, new Map(judged)])),
      ]),
    );
  }

  /** The qrels with everything that was looked up or answered since. */
  get filled(): Qrels {
    return this.#filled;
  }

  /** The qrels first, then what was labelled in the workspace, then what the judge answered before. */
  async known(judgingTask: JudgingTask, judge: Judge): Promise<JudgedPair[]> {
    const { query, perspectives, passages } = judgingTask;
    const topic = this.#qrels.get(query.id ?? '');
    const given = passages.flatMap(({ slot, id }) =>
      perspectives.flatMap((perspective) => {
        const relevance = topic?.get(perspective.id)?.get(id);
        // Below zero means pooled and not judged (TREC).
        if (relevance === undefined || relevance < 0) return [];
        return [fromQrels(slot, perspective.id, relevance > 0 ? 'yes' : 'no')];
      }),
    );
    const keyOf = ({ slot, perspectiveId }: JudgedPair): string => `${slot} ${perspectiveId}`;
    const settled = new Set(given.map(keyOf));
    const others = (await this.#judgementService.known(judgingTask, judge)).filter(
      (pair) => !settled.has(keyOf(pair)),
    );
    const ids = new Map(passages.map(({ slot, id }) => [slot, id]));
    for (const { slot, perspectiveId, judgement } of others)
      this.#learn(query.id, perspectiveId, ids.get(slot), judgement.verdict);
    return [...given, ...others];
  }

  judgePairs(...[pairs, judge, onJudgement, options]: Parameters<JudgementService['judgePairs']>) {
    return this.#judgementService.judgePairs(
      pairs,
      judge,
      (place, judgement, delivery) => {
        const { query, perspective, passage } = pairs[place]!;
        this.#learn(query.id, perspective.id, passage.id, judgement.verdict);
        onJudgement(place, judgement, delivery);
      },
      options,
    );
  }

  #learn(query = '', perspective: string, passage = '', verdict: Verdict): void {
    this.#filled
      .get(query)
      ?.get(perspective)
      ?.set(passage, verdict === 'yes' ? 1 : 0);
  }
}

function fromQrels(slot: number, perspectiveId: string, verdict: Verdict): JudgedPair {
  return {
    slot,
    perspectiveId,
    judgement: { verdict, evidence: [], source: 'imported', judge: 'qrels', standard: 'imported', at: '' },
  };
}
