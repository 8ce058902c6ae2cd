/** The answer of list_retrieval_sites. Pure. */
import type { Field } from '../../../sites/model.ts';
import { isRebuilt, rebuild } from '../../../sites/rebuild.ts';
import { DATA_NOTICE, fitted, firstOf, judgedView, rounded, short } from './answer.ts';
import type { AgentWorkspace, KnownFigures } from './host.ts';
import type { ListedSite } from './sites.ts';

/** A call with its known figures. */
export interface DescribedSite extends ListedSite {
  readonly figures: KnownFigures | undefined;
}

/** A program that could not be searched for calls. */
export interface UnreadProgram {
  readonly file: string;
  readonly why: string;
}

export interface ListedPrograms {
  readonly sites: readonly DescribedSite[];
  /** The number of programs, including those that could not be read. */
  readonly programs: number;
  readonly unread: readonly UnreadProgram[];
}

const SIZES = [60, 40, 25, 15, 8];
const MAX_UNREAD = 5;
const MAX_NAME = 200;

/** JSON. */
export function listAnswer({ sites, programs, unread }: ListedPrograms, workspace: AgentWorkspace): string {
  return fitted(SIZES, (most) => {
    const { shown, leftOut } = firstOf(sites, most);
    return {
      notice: DATA_NOTICE,
      programsRead: programs - unread.length,
      ...(unread.length > 0
        ? {
            programsNotRead: unread.length,
            notRead: unread
              .slice(0, MAX_UNREAD)
              .map(({ file, why }) => ({ file: short(file, MAX_NAME), why: short(why, 160) })),
          }
        : {}),
      sites: shown.map((site) => describe(site, workspace)),
      ...(leftOut > 0 ? { sitesLeftOut: leftOut, hint: 'Name a file to see its calls alone.' } : {}),
    };
  });
}

function describe({ file, line, cell, site, figures }: DescribedSite, workspace: AgentWorkspace): object {
  const { library, callee, within, k, held } = site;
  return {
    file: short(file, MAX_NAME),
    ...(cell === undefined ? {} : { cell }),
    line,
    library,
    callee: short(callee, MAX_NAME),
    ...(within === '' ? {} : { within: short(within, MAX_NAME) }),
    k: fieldView(k),
    binding: bindingOf({ file, site }, workspace),
    ...(figures
      ? {
          figures: Object.fromEntries(
            Object.entries(figures.measures).map(([name, { value }]) => [name, rounded(value)]),
          ),
          ...judgedView(figures),
          ...(figures.stale ? { stale: true } : {}),
        }
      : {}),
    ...(held ? { note: 'The code around it does not parse at the moment.' } : {}),
  };
}

function fieldView(field: Field<number>): object {
  return field.value === undefined
    ? { unknown: short(field.why, 120) }
    : { value: field.value, from: field.provenance };
}

function bindingOf({ file, site }: Pick<ListedSite, 'file' | 'site'>, workspace: AgentWorkspace): object {
  const rebuilt = rebuild(site, file, workspace.config);
  if (!isRebuilt(rebuilt)) return { none: short(rebuilt.message, 160) };
  const { origin, boundTo } = rebuilt;
  return { origin, ...(boundTo === undefined ? {} : { pipeline: boundTo }) };
}
