/** The dependencies of the side panel: the engine, the workspace, settings, and actions of the editor. */
import type { FileChanges } from '../../../shared/requests/corpora.ts';
import type { PriceTable } from '../../../shared/requests/spending.ts';
import type { StanceChange } from '../../../core/formats/eval-set-edit.ts';
import type { Perspective } from '../../../core/model.ts';
import type { NamedPipeline } from '../../../core/pipeline.ts';
import type { SplitSpec } from '../../../core/split/spec.ts';
import type { EvalQuery } from '../../../shared/eval-query.ts';
import type { CodeFault, FromInspector, InspectorState } from '../contract/panel.ts';
import type { Remedy } from '../../../shared/remedies.ts';
import type { EngineClient } from '../../../extension/engine-process/engine-client.ts';
import type { ConfirmCalls } from '../../../extension/judging/cost-settings.ts';
import type { PassageEvidence } from '../../../extension/passages/open-passage.ts';
import type { LivePrograms } from '../../../extension/services/live-programs.ts';
import type { Memory } from '../../../extension/platform/memory.ts';
import type { WorkspaceState } from '../../../extension/workspace/workspace-state.ts';
import type { OpenTarget } from './answer.ts';

interface InspectorSettings {
  readonly judge: string;
  readonly autoJudge: boolean;
  readonly autoIndex: boolean;
  readonly confirmCallsAbove: number;
  /** 0 for no limit. */
  readonly requestBudget: number;
  readonly prices: PriceTable;
  readonly historySize: number;
  /** The most passages that looking deeper asks a judge about. */
  readonly lookDeeperPassages: number;
  /** The input for a model that suggests perspectives, and the largest number of suggestions. */
  readonly suggestFrom: 'passages' | 'question';
  readonly suggestCount: number;
}

/** The ticked parts of a corpus to index. */
export type CorpusChoice = NonNullable<Extract<FromInspector, { type: 'index' }>['choice']>;

/** The fields of a corpus' documents, and the counted ones among them. */
export interface FieldChoice {
  readonly found: readonly string[];
  readonly counted: readonly string[];
}

/** Actions that need the editor. */
interface InspectorActions {
  publish(state: InspectorState): void;
  /** Scrolls to the explanation of a missing document, which was published just before. */
  showExplanation(): void;
  open(corpus: string, target: OpenTarget, evidence: readonly PassageEvidence[]): Promise<void>;
  openFolder(): Promise<void>;
  /** Writes to parallax.json which folders of a corpus are indexed, and whether code is. */
  chooseCorpus(corpus: string, choice: CorpusChoice): Promise<void>;
  /** Asks which fields of its documents are counted, and writes them to parallax.json. */
  chooseFields(corpus: string, choice: FieldChoice): Promise<void>;
  /** Adds a pipeline to parallax.json and shows it there. */
  savePipeline(named: NamedPipeline): Promise<void>;
  /** Changes the split of a corpus in parallax.json and shows it there. */
  saveSplit(corpus: string, split: SplitSpec): Promise<void>;
  /** Shows a stored comparison. */
  showComparison(id: string): Promise<void>;
  showSkipped(corpus: string): Promise<void>;
  /** Asks whether to index a corpus that would grow by more than half. */
  confirmGrowth(corpus: string, changes: FileChanges): Promise<boolean>;
  readonly confirmCalls: ConfirmCalls;
  /** Writes a stance into the eval set of the query. */
  saveStance(
    query: Pick<EvalQuery, 'id' | 'evalSet'>,
    perspective: Perspective,
    change: StanceChange,
  ): Promise<void>;
  /** Adds a question to an eval set that the user chooses, and reports the result. */
  addToEvalSet(query: Pick<EvalQuery, 'text' | 'perspectives'>): Promise<void>;
  /** Offers to give a prompt to a coding agent. */
  handOver(prompt: string): Promise<void>;
  /** @param corpus the corpus of the failure */
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
  /** The user's running programs that are observed. */
  readonly programs: Pick<LivePrograms, 'canAskForMore' | 'askForMore'> & {
    /** What is wrong in the programs of the workspace. */
    readonly faults: () => readonly CodeFault[];
    /** Shows a line, from 1, of a program of the workspace. */
    readonly open: (file: string, line: number) => Promise<void>;
  };
  readonly actions: InspectorActions;
}
