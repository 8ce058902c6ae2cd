/** The names of the views that `parallax eval` shows. */
import { VIEWS as ANALYSES, type View as Analysis } from '../../../shared/experiment.ts';
import { UsageError } from '../../presentation/terminal.ts';

/** The views. `analyses` is a group, and its members are views, too. */
const VIEWS = ['figures', 'analyses', 'tuning', 'pool', 'answers'] as const;
export type ViewName = (typeof VIEWS)[number];

export const VIEW_OPTION = {
  type: 'string',
  multiple: true,
  help: `${VIEWS.join(', ')}, or some of the analyses by name, separated by commas\n(default figures); parallax eval --view <name> --help explains a view`,
} as const;

export const VIEWS_HELP = `Views of the same evaluation, by --view:
  figures   scores of pipelines, and differences with intervals
  analyses  where coverage is lost, how far retrieval leans, what pipelines cover together; or by name
            ${ANALYSES.join(', ')}
  tuning    a λ or a projection weight, chosen on one part of the queries and reported on the other
  pool      holes in the judgements, and whether one more pipeline would find others
  answers   answers written from what pipelines retrieve, and whether retrieval helps them
`;

/** @throws UsageError for an unknown view, or for several views that cannot be combined */
export function viewNamed(options: readonly string[] = []): ViewName {
  const names = split(options);
  const unknown = names.find((name) => !isAnalysis(name) && !isView(name));
  if (unknown !== undefined)
    throw new UsageError(`--view is one of ${[...VIEWS, ...ANALYSES].join(', ')}, not "${unknown}".`);
  const [first = 'figures', second] = new Set(names.map((name) => (isAnalysis(name) ? 'analyses' : name)));
  if (second === undefined) return first as ViewName;
  throw new UsageError(`--view ${first} and --view ${second} are shown one at a time.`);
}

/** @returns all analyses if none is named */
export function analysesIn(options: readonly string[] = []): Analysis[] {
  const named = ANALYSES.filter((name) => split(options).includes(name));
  return named.length > 0 ? named : [...ANALYSES];
}

const split = (options: readonly string[]): string[] =>
  options.flatMap((text) => text.split(',')).map((name) => name.trim());
const isView = (name: string): name is ViewName => VIEWS.some((view) => view === name);
const isAnalysis = (name: string): name is Analysis => ANALYSES.some((analysis) => analysis === name);
