/** The answer of list_retrieval_sites. Pure. */
import type { Field } from '../sites/model.ts';
import { isPlanned, planSite } from '../sites/plan.ts';
import { fitted, firstOf, judgedView, rounded, short } from './answer.ts';
import type { AgentWorkspace, KnownFigures } from './host.ts';
import type { ListedSite } from './sites.ts';

/** A call with what is known of its figures. */
export interface DescribedSite extends ListedSite {
  readonly figures: KnownFigures | undefined;
}

const SIZES = [60, 40, 25, 15, 8];

/** JSON. */
export function listAnswer(
  sites: readonly DescribedSite[],
  programs: number,
  workspace: AgentWorkspace,
): string {
  return fitted(SIZES, (most) => {
    const { shown, leftOut } = firstOf(sites, most);
    return {
      programsRead: programs,
      sites: shown.map((site) => describe(site, workspace)),
      ...(leftOut > 0 ? { sitesLeftOut: leftOut, hint: 'Name a file to see its calls alone.' } : {}),
    };
  });
}

function describe({ file, line, cell, site, figures }: DescribedSite, workspace: AgentWorkspace): object {
  const { library, callee, within, k, held } = site;
  return {
    file,
    ...(cell === undefined ? {} : { cell }),
    line,
    library,
    callee,
    ...(within === '' ? {} : { within }),
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
  const planned = planSite(site, file, workspace);
  if (!isPlanned(planned)) return { none: short(planned.message, 160) };
  const { origin, boundTo } = planned;
  return { origin, ...(boundTo === undefined ? {} : { pipeline: boundTo }) };
}
