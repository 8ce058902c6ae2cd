/** Everything that the side panel is given: the engine, the workspace, settings, and actions of the editor. */
import type { FileChanges } from '../../shared/requests/corpora.ts';
import type { PriceTable } from '../../shared/requests/spending.ts';
import type { StanceChange } from '../../core/formats/eval-set-edit.ts';
import type { Perspective } from '../../core/model.ts';
import type { NamedPipeline } from '../../core/pipeline.ts';
import type { SplitSpec } from '../../core/split/spec.ts';
import type { EvalQuery } from '../../shared/eval-query.ts';
import type { FromInspector, InspectorState } from '../../shared/panels/inspector.ts';
import type { Remedy } from '../../shared/remedies.ts';
import type { EngineClient } from '../engine-process/engine-client.ts';
import type { ConfirmCalls } from '../judging/cost-settings.ts';
import type { PassageEvidence } from '../passages/open-passage.ts';
import type { LivePrograms } from '../services/live-programs.ts';
import type { Memory } from '../platform/memory.ts';
import type { WorkspaceState } from '../workspace/workspace-state.ts';
import type { OpenTarget } from './answer.ts';

interface InspectorSettings {
  readonly judge: string;
  readonly autoJudge: boolean;
  readonly autoIndex: boolean;
  readonly confirmCallsAbove: number;
  /** 0 for none. */
  readonly requestBudget: number;
  readonly prices: PriceTable;
  readonly historySize: number;
  /** Passages that looking deeper puts to a judge at most. */
  readonly lookDeeperPassages: number;
  /** The material that a model suggests perspectives from, and how many are wanted at most. */
  readonly suggestFrom: 'passages' | 'question';
  readonly suggestCount: number;
}

/** The parts of a corpus to index, as they were ticked. */
export type CorpusChoice = NonNullable<Extract<FromInspector, { type: 'index' }>['choice']>;

/** The fields that documents of a corpus have, and those of them that are counted. */
export interface FieldChoice {
  readonly found: readonly string[];
  readonly counted: readonly string[];
}

/** Actions that need the editor. */
interface InspectorActions {
  publish(state: InspectorState): void;
  /** Scrolls to the answer about a missing document, which was published just now. */
  showExplanation(): void;
  open(corpus: string, target: OpenTarget, evidence: readonly PassageEvidence[]): Promise<void>;
  openFolder(): Promise<void>;
  /** Writes which folders of a corpus are indexed, and whether code is, to parallax.json. */
  chooseCorpus(corpus: string, choice: CorpusChoice): Promise<void>;
  /** Asks which fields of its documents are counted, and writes them to parallax.json. */
  chooseFields(corpus: string, choice: FieldChoice): Promise<void>;
  /** Adds a pipeline to parallax.json, and shows it there. */
  savePipeline(named: NamedPipeline): Promise<void>;
  /** Gives a corpus another split in parallax.json, and shows it there. */
  saveSplit(corpus: string, split: SplitSpec): Promise<void>;
  /** Shows a comparison that was kept. */
  showComparison(id: string): Promise<void>;
  showSkipped(corpus: string): Promise<void>;
  /** Asks whether a corpus that grows by more than half is indexed as it is now. */
  confirmGrowth(corpus: string, changes: FileChanges): Promise<boolean>;
  readonly confirmCalls: ConfirmCalls;
  /** Writes a stance into the eval set that the query is from. */
  saveStance(
    query: Pick<EvalQuery, 'id' | 'evalSet'>,
    perspective: Perspective,
    change: StanceChange,
  ): Promise<void>;
  /** Adds a question to an eval set that the user chooses, and says what became of it. */
  addToEvalSet(query: Pick<EvalQuery, 'text' | 'perspectives'>): Promise<void>;
  /** `corpus`: the one that the failure is about. */
  applyRemedy(remedy: Remedy, corpus?: string): Promise<void>;
  indexedChanged(indexed: boolean): void;
  log(message: string): void;
}

export interface InspectorOptions {
  readonly engine: Pick<EngineClient, 'request'>;
  readonly workspace: () => WorkspaceState;
  readonly trusted: () => boolean;
  readonly settings: () => InspectorSettings;
  readonly memory: Memory;
  readonly userName: () => string;
  /** Programs of the user that run and are observed. */
  readonly programs: Pick<LivePrograms, 'canAskForMore' | 'askForMore'>;
  readonly actions: InspectorActions;
}
