/** The context that the parts of the side panel share. */
import { ParallaxError } from '../../core/errors.ts';
import type { FailureInView } from '../platform/failure-in-view.ts';
import type { Choices } from './choices.ts';
import type { InspectorOptions } from './inspector-options.ts';
import type { JudgeChoice } from '../judging/judge-choice.ts';
import { untrustedText } from '../../shared/untrusted.ts';
import type { TaskList } from '../tasks/task-list.ts';

/** Shared by the parts of the panel. */
export interface PanelContext extends InspectorOptions {
  readonly tasks: TaskList;
  readonly choices: Choices;
  readonly failure: FailureInView;
  /** Runs work whose failure is shown instead of thrown, and publishes what came of it. */
  guard(work: () => Promise<void>): Promise<void>;
  /** Publishes the newest state soon, once for all that changes until then. */
  changed(): void;
  /** Publishes it now. */
  publish(): void;
}

/** Nothing is sent to an endpoint that a workspace names before the workspace is trusted; a refusal is shown. */
export function mayContact(
  { trusted, failure }: PanelContext,
  judge: Pick<JudgeChoice, 'needsTrust'>,
): boolean {
  if (!judge.needsTrust || trusted()) return true;
  failure.show(new ParallaxError('untrusted', untrustedText()));
  return false;
}
