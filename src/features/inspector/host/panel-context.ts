/** The context that the parts of the side panel share. */
import { ParallaxError } from '../../../core/errors.ts';
import type { FailureInView } from '../../../extension/platform/failure-in-view.ts';
import type { Choices } from './choices.ts';
import type { InspectorOptions } from './inspector-options.ts';
import type { JudgeChoice } from '../../../extension/judging/judge-choice.ts';
import { untrustedText } from '../../../shared/untrusted.ts';
import type { TaskList } from '../../../extension/tasks/task-list.ts';

export interface PanelContext extends InspectorOptions {
  readonly tasks: TaskList;
  readonly choices: Choices;
  readonly failure: FailureInView;
  /** Runs work, shows its failure instead of throwing, and publishes the result. */
  guard(work: () => Promise<void>): Promise<void>;
  /** Publishes the newest state soon, once for all changes until then. */
  changed(): void;
  /** Publishes the newest state now. */
  publish(): void;
}

/**
 * Whether the judge may be contacted. An endpoint named by a workspace needs a trusted workspace; a refusal is shown.
 */
export function mayContact(
  { trusted, failure }: PanelContext,
  judge: Pick<JudgeChoice, 'needsTrust'>,
): boolean {
  if (!judge.needsTrust || trusted()) return true;
  failure.show(new ParallaxError('untrusted', untrustedText()));
  return false;
}
