/** `parallax eval`: shows one view of an evaluation. */
import { parseArgs } from 'node:util';
import type { Command } from './command.ts';
import { VIEW_OPTION, viewNamed, type ViewName } from './views/names.ts';

const VIEWS: Readonly<Record<ViewName, () => Promise<Command>>> = {
  figures: async () => (await import('./views/figures.ts')).figuresView,
  analyses: async () => (await import('./views/analyses.ts')).analysesView,
  tuning: async () => (await import('../../features/papers/cli/door.ts')).paperCommands.tuning(),
  pool: async () => (await import('../../features/papers/cli/door.ts')).paperCommands.pool(),
  answers: async () => (await import('../../features/papers/cli/door.ts')).paperCommands.answers(),
};

/** @throws UsageError for an unknown view, and as the view does */
export const evalCommand: Command = async (argv, io) => {
  const view = await VIEWS[viewNamed(viewsGiven(argv))]();
  return view(argv, io);
};

function viewsGiven(argv: readonly string[]): string[] | undefined {
  const { values } = parseArgs({ args: [...argv], options: { view: VIEW_OPTION }, strict: false });
  return values.view?.filter((name) => typeof name === 'string');
}
