/** The call sites of programs, each with its line. */
import * as l10n from '@vscode/l10n';
import { ParallaxError, throwIfCancelled } from '../../../core/errors.ts';
import { siteKeys } from '../../../sites/keys.ts';
import type { Detection, DetectOptions, SiteDetector } from '../../../sites/detector.ts';
import type { PlacedCall } from '../../../sites/live/live-calls.ts';
import type { CallSite, Place } from '../../../sites/model.ts';
import { spokenBy } from '../../../sites/syntax/language.ts';
import { detectAmong } from '../../../sites/workspace/detect-among.ts';
import type { Neighbours } from '../../../sites/workspace/neighbours.ts';
import type { LibraryRules } from '../../../core/call-sites/schema.ts';
import type { AgentHost, AgentWorkspace } from './host.ts';
import type { Program } from './programs.ts';

export interface ListedSite {
  /** The same key as beside the code. */
  readonly key: string;
  readonly file: string;
  readonly site: CallSite;
  /** From 1, in the file or in its cell. */
  readonly line: number;
  readonly lastLine: number;
  /** From 1; only in notebooks. */
  readonly cell: number | undefined;
  /** How the call is observed at run time; only if requested and possible. */
  readonly live?: PlacedCall | undefined;
}

/** The dependencies for finding the calls of a program. */
export interface SiteReader {
  readonly detector: SiteDetector;
  readonly neighbours: Neighbours;
  readonly rules: readonly LibraryRules[];
}

export function siteReader(
  host: Pick<AgentHost, 'detector' | 'neighbours'>,
  { rules }: Pick<AgentWorkspace, 'rules'>,
): SiteReader {
  return { detector: host.detector, neighbours: host.neighbours({ rules }), rules };
}

/** @throws ParallaxError `native-missing` if the parser cannot be loaded */
export async function sitesOf(
  program: Program,
  reader: SiteReader,
  options: Pick<DetectOptions, 'live'> = {},
): Promise<ListedSite[]> {
  const { file, cells, isNotebook } = program;
  const detection = await detectionOf(program, reader, options);
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
    live: detection.live?.find(
      (call) => call.site.cell === site.range.cell && call.site.start === site.range.start,
    ),
  }));
  return listed;
}

/** What is detected in a program, with what its workspace's other files say. */
export async function detectionOf(
  { file, cells, isNotebook }: Program,
  { detector, neighbours, rules }: SiteReader,
  { live }: Pick<DetectOptions, 'live'> = {},
): Promise<Detection> {
  const spoken = cells.filter(({ languageId }) => spokenBy(languageId));
  const text = spoken.map((cell) => cell.text).join('\n');
  const languageId = spoken[0]?.languageId ?? '';
  if (!isNotebook) return detectAmong(detector, neighbours, { file, text, languageId }, { rules, live });
  const otherFiles = await neighbours.around(file, text, languageId);
  return detector.detectNotebook(cells, { rules, file, otherFiles, live });
}

/**
 * The call on a line, or whose statement includes the line.
 *
 * @throws ParallaxError `not-found` naming the lines with calls
 */
export async function siteAt(
  { file, line }: { readonly file: string; readonly line: number },
  host: Pick<AgentHost, 'detector' | 'neighbours' | 'programs'>,
  workspace: AgentWorkspace,
  signal: AbortSignal | undefined,
): Promise<ListedSite> {
  const listed: ListedSite[] = [];
  const reader = siteReader(host, workspace);
  for await (const program of host.programs(file, signal)) {
    throwIfCancelled(signal);
    listed.push(...(await sitesOf(program, reader)));
  }
  const match =
    listed.find((site) => site.line === line) ??
    listed.find((site) => site.line <= line && line <= site.lastLine);
  if (match) return match;
  const lines = listed.map((site) => site.line).join(', ');
  throw new ParallaxError(
    'not-found',
    listed.length === 0
      ? l10n.t`${file} has no call that retrieves.`
      : l10n.t`Line ${line} of ${file} has no call that retrieves; there are calls on ${lines}.`,
  );
}
