/** What the parts of the side panel know of the world around them, and share with each other. */
import * as l10n from '@vscode/l10n';
import type { PriceTable } from '../../shared/judge-effort.ts';
import { ParallaxError } from '../../core/errors.ts';
import type { StanceChange } from '../../core/formats/eval-set-edit.ts';
import type { Perspective } from '../../core/model.ts';
import type { InspectorState } from '../../shared/inspector.ts';
import type { EngineClient } from '../engine-process/engine-client.ts';
import type { PassageEvidence } from '../passages/open-passage.ts';
import type { Memory } from '../platform/memory.ts';
import type { EvalQuery } from '../../shared/eval-query.ts';
import type { Remedy } from '../../shared/remedies.ts';
import type { OpenTarget } from './answer.ts';
import type { Choices } from './choices.ts';
import type { ConfirmCalls } from '../judging/cost-settings.ts';
import type { JudgeChoice } from '../judging/judge-choice.ts';
import type { TaskList } from '../tasks/task-list.ts';
import type { WorkspaceState } from '../workspace/workspace-state.ts';

export interface InspectorSettings {
  readonly judge: string;
  readonly autoJudge: boolean;
  readonly confirmCallsAbove: number;
  /** 0 for none. */
  readonly requestBudget: number;
  readonly prices: PriceTable;
  readonly historySize: number;
}

/** What only the editor can do. */
export interface InspectorActions {
  publish(state: InspectorState): void;
  open(corpus: string, target: OpenTarget, evidence: readonly PassageEvidence[]): Promise<void>;
  openFolder(): Promise<void>;
  showSkipped(corpus: string): Promise<void>;
  readonly confirmCalls: ConfirmCalls;
  /** Writes a stance into the eval set that the query is from. */
  saveStance(
    query: Pick<EvalQuery, 'id' | 'evalSet'>,
    perspective: Perspective,
    change: StanceChange,
  ): Promise<void>;
  applyRemedy(remedy: Remedy): Promise<void>;
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
  readonly actions: InspectorActions;
}

/** What the parts of the panel work with. */
export interface PanelContext extends InspectorOptions {
  readonly tasks: TaskList;
  readonly choices: Choices;
  /** Shows a failure, with a way out where there is one. */
  fail(error: ParallaxError): void;
  /** Publishes the newest state soon. */
  changed(): void;
}

/** Nothing is sent to an endpoint that a workspace names before the workspace is trusted; a refusal is shown. */
export function mayContact({ trusted, fail }: PanelContext, judge: Pick<JudgeChoice, 'needsTrust'>): boolean {
  if (!judge.needsTrust || trusted()) return true;
  fail(
    new ParallaxError(
      'untrusted',
      l10n.t('Trust this workspace before Parallax contacts the model it names.'),
    ),
  );
  return false;
}
