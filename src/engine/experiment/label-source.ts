/** Where an experiment's judgements come from: people's labels and a judge, or qrels. */
import type { QrelsKind } from '../../core/metrics/evaluate.ts';
import type { Query } from '../../core/model.ts';
import type { JudgedPair, Supporter } from '../../shared/requests/passages.ts';
import type { CorpusIndex } from '../corpora/corpus-index.ts';
import type { Judge, JudgeOptions, JudgeReport } from '../judges/judge.ts';
import type { JudgementService, JudgingTask, QueryPair } from '../judgements/judgement-service.ts';
import type { Probed, Probes } from '../probing/probes.ts';
import type { PipelineServices } from '../retrieval/pipeline-services.ts';

/** By perspective and passage id. */
export type Topic = Map<string, Map<string, number>>;
/** As measures read them, by query id; see `Qrels`. */
export type Topics = Map<string, Topic>;

export interface LabelSource {
  /** Whose answers count beside what is given; absent where those count alone. */
  readonly judge: Judge | undefined;
  /** `plain` where nothing tells perspectives apart. */
  readonly kind: QrelsKind;
  /** Whether what nobody judged is unknown; qrels of the corpus alone say by their silence that it does not support. */
  readonly isOpen: boolean;
  /** Every query with all its perspectives, and what is known before anything is retrieved. */
  topics(queries: readonly Query[]): Topics;
  /** Asks nobody. */
  known(task: JudgingTask): Promise<readonly JudgedPair[]>;
  /** The judge's own earlier answers, also where people labelled the pair; empty without a judge. */
  answered(task: JudgingTask): Promise<readonly JudgedPair[]>;
  /** Asks the judge about these pairs, whatever is known of them. */
  judgePairs(
    pairs: readonly QueryPair[],
    onJudgement: NonNullable<JudgeOptions['onJudgement']>,
    options: Pick<JudgeOptions, 'signal' | 'isAnswered' | 'onRequest' | 'onProgress'>,
  ): Promise<JudgeReport>;
  /** Passages of the corpus that are known to support a perspective, whatever was retrieved. */
  supporters(query: Query): Promise<readonly Supporter[]>;
  /** Where somebody looked deeper for its perspectives. */
  probed(query: Query): readonly Probed[];
  /** The services for pipelines with a step that reads judgements. */
  services(services: PipelineServices): PipelineServices;
  /** The same without the judge: what was given alone. */
  withoutJudge(): LabelSource;
}

/** Needed by a label source of either form. */
export interface LabelParts {
  readonly index: CorpusIndex;
  readonly judgementService: JudgementService;
  readonly probes: Probes;
  readonly judge: Judge | undefined;
}

/** Labels of people come first, then what the judge answered before. */
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

  withoutJudge(): LabelSource {
    return new PeopleLabels({ ...this.#parts, judge: undefined });
  }
}

export function emptyTopic(perspectives: readonly { readonly id: string }[]): Topic {
  return new Map(perspectives.map(({ id }) => [id, new Map<string, number>()]));
}

/** Labels that were imported are people's, too. */
export function isOfPeople({ source }: { readonly source: string }): boolean {
  return source === 'human' || source === 'imported';
}
