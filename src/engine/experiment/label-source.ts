/** The source of an experiment's judgements: people's labels and a judge, or qrels. */
import type { QrelsKind } from '../../core/metrics/evaluate.ts';
import type { Query } from '../../core/model.ts';
import type { JudgedPair, Supporter } from '../../shared/requests/passages.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import type { Judge, JudgeOptions, JudgeReport } from '../judges/judge.ts';
import type { JudgementService, JudgingTask, QueryPair } from '../judgements/judgement-service.ts';
import type { Probed, Probes } from '../../features/look-deeper/engine/probes.ts';
import type { PipelineServices } from '../retrieval/pipeline-services.ts';

/** By perspective and passage id. */
export type Topic = Map<string, Map<string, number>>;
/** As measures read them, by query id; see `Qrels`. */
export type Topics = Map<string, Topic>;

export interface LabelSource {
  /** The judge whose answers count beside what is given. `undefined` if only the given judgements count. */
  readonly judge: Judge | undefined;
  /** `plain` if perspectives are not distinguished. */
  readonly kind: QrelsKind;
  /**
   * Whether unjudged pairs are unknown. Qrels of the corpus alone are complete: what they do not name does
   * not support.
   */
  readonly isOpen: boolean;
  /** Every query with all its perspectives, and what is known before anything is retrieved. */
  topics(queries: readonly Query[]): Topics;
  /** Returns known judgements, without asking the judge. */
  known(task: JudgingTask): Promise<readonly JudgedPair[]>;
  /** The judge's stored answers, also on pairs that people labelled. Empty without a judge. */
  answered(task: JudgingTask): Promise<readonly JudgedPair[]>;
  /** Asks the judge about these pairs, even if they have judgements. */
  judgePairs(
    pairs: readonly QueryPair[],
    onJudgement: NonNullable<JudgeOptions['onJudgement']>,
    options: Pick<JudgeOptions, 'signal' | 'isAnswered' | 'onRequest' | 'onProgress'>,
  ): Promise<JudgeReport>;
  /** Passages of the corpus known to support a perspective, retrieved or not. */
  supporters(query: Query): Promise<readonly Supporter[]>;
  /** Perspectives whose support was searched for more deeply. */
  probed(query: Query): readonly Probed[];
  /** The services for pipelines with a step that reads judgements. */
  services(services: PipelineServices): PipelineServices;
  /** The same source with another judge. Without one: only what was given. */
  judgedBy(judge: Judge | undefined): LabelSource;
}

/** What both kinds of label source need. */
export interface LabelParts {
  readonly index: CorpusIndex;
  readonly judgementService: JudgementService;
  readonly probes: Probes;
  readonly judge: Judge | undefined;
}

/** People's labels first, then the judge's stored answers. */
export class PeopleLabels implements LabelSource {
  readonly kind = 'diversity';
  readonly isOpen = true;
  readonly #parts: LabelParts;

  constructor(parts: LabelParts) {
    this.#parts = parts;
  }

  get judge(): Judge | undefined {
    return this.#parts.judge;
  }

  topics(queries: readonly Query[]): Topics {
    return new Map(queries.map(({ id, perspectives }) => [id, emptyTopic(perspectives)]));
  }

  known(task: JudgingTask): Promise<readonly JudgedPair[]> {
    const { judgementService, judge } = this.#parts;
    return judgementService.known({ index: this.#parts.index, ...task }, judge);
  }

  async answered(task: JudgingTask): Promise<readonly JudgedPair[]> {
    const { judgementService, judge } = this.#parts;
    return judge ? judgementService.answered(task, judge) : [];
  }

  judgePairs(...[pairs, onJudgement, options]: Parameters<LabelSource['judgePairs']>): Promise<JudgeReport> {
    const { judgementService, judge } = this.#parts;
    return judgementService.judgePairs(pairs, judge!, onJudgement, options);
  }

  supporters(query: Query): Promise<readonly Supporter[]> {
    const { index, judgementService, judge } = this.#parts;
    return judgementService.supporters(query, query.perspectives, index, judge);
  }

  probed(query: Query): readonly Probed[] {
    const { index, probes } = this.#parts;
    return probes.of(index, query, query.perspectives);
  }

  services(services: PipelineServices): PipelineServices {
    return services;
  }

  judgedBy(judge: Judge | undefined): LabelSource {
    return new PeopleLabels({ ...this.#parts, judge });
  }
}

export function emptyTopic(perspectives: readonly { readonly id: string }[]): Topic {
  return new Map(perspectives.map(({ id }) => [id, new Map<string, number>()]));
}

/** Imported labels are people's, too. */
export function isOfPeople({ source }: { readonly source: string }): boolean {
  return source === 'human' || source === 'imported';
}
