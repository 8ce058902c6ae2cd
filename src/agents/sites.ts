/** The call sites of programs, each with its line. */
import * as l10n from '@vscode/l10n';
import { ParallaxError, throwIfCancelled } from '../core/errors.ts';
import { siteKeys } from '../sites/keys.ts';
import type { CallSite, Place } from '../sites/model.ts';
import type { AgentHost, AgentWorkspace } from './host.ts';
import type { Program } from './programs.ts';

export interface ListedSite {
  /** The same as beside the code. */
  readonly key: string;
  readonly file: string;
  readonly site: CallSite;
  /** From 1, in the file or in its cell. */
  readonly line: number;
  readonly lastLine: number;
  /** From 1; only in notebooks. */
  readonly cell: number | undefined;
}

/** @throws ParallaxError `native-missing` when the parser cannot be loaded */
export async function sitesOf(
  program: Program,
  { detector }: Pick<AgentHost, 'detector'>,
  { rules }: Pick<AgentWorkspace, 'rules'>,
): Promise<ListedSite[]> {
  const { file, cells, isNotebook } = program;
  const [first] = cells;
  if (!first) return [];
  const detection = isNotebook
    ? await detector.detectNotebook(cells, { rules })
    : await detector.detect(first.text, first.languageId, { rules });
  const keys = siteKeys(file, detection.sites);
  const lineAt = ({ cell }: Place, offset: number): number =>
    (cells[cell]?.text.slice(0, offset).match(/\n/gu)?.length ?? 0) + 1;
  const listed = detection.sites.map((site, place) => ({
    key: keys[place]!,
    file,
    site,
    line: lineAt(site.range, site.range.start),
    lastLine: Math.max(lineAt(site.range, site.range.end), lineAt(site.statement, site.statement.end)),
    cell: isNotebook ? site.range.cell + 1 : undefined,
  }));
  detector.release(detection);
  return listed;
}

/**
 * The call on a line, or whose statement holds the line.
 *
 * @throws ParallaxError `not-found` naming the lines on which there are calls
 */
export async function siteAt(
  { file, line }: { readonly file: string; readonly line: number },
  host: Pick<AgentHost, 'detector' | 'programs'>,
  workspace: AgentWorkspace,
  signal: AbortSignal | undefined,
): Promise<ListedSite> {
  const listed: ListedSite[] = [];
  for await (const program of host.programs(file, signal)) {
    throwIfCancelled(signal);
    listed.push(...(await sitesOf(program, host, workspace)));
  }
  const found =
    listed.find((site) => site.line === line) ??
    listed.find((site) => site.line <= line && line <= site.lastLine);
  if (found) return found;
  const lines = listed.map((site) => site.line).join(', ');
  throw new ParallaxError(
    'not-found',
    listed.length === 0
      ? l10n.t`${file} has no call that retrieves.`
      : l10n.t`Line ${line} of ${file} has no call that retrieves; there are calls on ${lines}.`,
  );
}
