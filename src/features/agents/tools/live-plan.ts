/**
 * The calls of a workspace's programs to observe at run time: the part of a live plan that is derived from the code.
 */
import { throwIfCancelled } from '../../../core/errors.ts';
import type { ObservedText } from '../../live/contract/requests.ts';
import { placeKey, plannedCalls } from '../../../sites/live/live-file.ts';
import type { AgentHost, AgentWorkspace } from './host.ts';
import type { Program } from './programs.ts';
import { siteReader, sitesOf, type ListedSite } from './sites.ts';

export interface ObservedCalls {
  /** One for each file or notebook cell with observed calls. */
  readonly texts: readonly ObservedText[];
  /** Every call site of the workspace, including those that cannot be observed. */
  readonly sites: readonly ListedSite[];
}

/**
 * Reads every program of the workspace.
 *
 * @throws ParallaxError `native-missing` if the parser cannot be loaded, `cancelled`
 */
export async function observedCalls(
  host: Pick<AgentHost, 'detector' | 'neighbours' | 'programs'>,
  workspace: Pick<AgentWorkspace, 'rules'>,
  signal?: AbortSignal,
): Promise<ObservedCalls> {
  const reader = siteReader(host, workspace);
  const sites: ListedSite[] = [];
  const texts: ObservedText[] = [];
  for await (const program of host.programs(undefined, signal)) {
    throwIfCancelled(signal);
    const listed = await sitesOf(program, reader, { live: true });
    sites.push(...listed);
    texts.push(...textsOf(program, listed));
  }
  return { texts, sites };
}

function textsOf({ file, cells, isNotebook }: Program, listed: readonly ListedSite[]): ObservedText[] {
  const keys = new Map(listed.map(({ site, key }) => [placeKey(site.range), key]));
  return cells.flatMap(({ text }, cell) => {
    const placed = listed.flatMap(({ live }) => (live?.site.cell === cell ? [live] : []));
    const calls = plannedCalls(text, placed, keys);
    return calls.length === 0 ? [] : [{ file, text, ...(isNotebook ? { cell } : {}), calls }];
  });
}
