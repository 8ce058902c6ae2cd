import path from 'node:path';
import type { AgentHost } from '../../agents/tools/host.ts';
import { observedCalls } from '../../agents/tools/live-plan.ts';
import type { LibraryRules } from '../../../core/call-sites/schema.ts';
import type { Services } from '../../../extension/services/services.ts';
import { Live } from './live.ts';

interface OpenCalls {
  readonly rules: () => readonly LibraryRules[];
  /** Whether an open document has a call that retrieves. */
  isNearCall(): Promise<boolean>;
}

/**
 * Creates the observation of programs in the open workspace.
 *
 * @param programs of the workspace, and the detection of their calls
 * @param inline what is known about the open documents
 * @param captured called after each retrieval
 * @param prepare indexes the corpus in which passages are recognised
 */
export function createLive(
  { context, engineOf, trusted, memory, changes, note }: Services,
  programs: Pick<AgentHost, 'detector' | 'neighbours' | 'programs'>,
  inline: OpenCalls,
  captured: () => void,
  prepare: () => Promise<void>,
): Live {
  const live = new Live({
    engine: engineOf('capture'),
    trusted,
    memory,
    isNearCall: () => inline.isNearCall(),
    calls: () => observedCalls(programs, { rules: inline.rules() }),
    extensionPath: context.extensionPath,
    storage: path.join((context.storageUri ?? context.globalStorageUri).fsPath, 'measured'),
    onChanged: () => changes.observedChanged(),
    captured,
    prepare,
    log: note,
  });
  context.subscriptions.push(live);
  return live;
}
