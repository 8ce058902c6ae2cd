/** The context that the parts of the side panel share. */
import { ParallaxError } from '../../core/errors.ts';
import type { Choices } from './choices.ts';
import type { InspectorOptions } from './inspector-options.ts';
import type { JudgeChoice } from '../judging/judge-choice.ts';
import { untrustedText } from '../../shared/untrusted.ts';
import type { TaskList } from '../tasks/task-list.ts';

/** Shared by the parts of the panel. */
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
  fail(new ParallaxError('untrusted', untrustedText()));
  return false;
}
