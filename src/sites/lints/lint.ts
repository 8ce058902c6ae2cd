/** All checks of call sites: things that a call says and that have no effect. */
import type { Composed } from '../match/compose.ts';
import type { SiteProblem } from '../model.ts';
import type { Program } from '../resolve/program.ts';
import { ignoredArguments, unknownK, unknownSearchKwargs, ignoredLlamaIndexArguments } from './ignored.ts';
import { fetchKNotAboveK, mmrArgumentWithoutMmr, mmrPool, rerankerWithoutChoice } from './mmr.ts';

type Check = (program: Program, site: Composed) => readonly SiteProblem[];

const CHECKS: readonly Check[] = [
  mmrPool,
  fetchKNotAboveK,
  mmrArgumentWithoutMmr,
  ignoredArguments,
  unknownK,
  rerankerWithoutChoice,
  unknownSearchKwargs,
  ignoredLlamaIndexArguments,
];

export function lint(program: Program, site: Composed): SiteProblem[] {
  // A call that is not finished may still say what seems to be missing, and one that runs a retriever has
  // arguments of its own.
  if (!site.call.complete || site.call !== site.match.call) return [];
  return CHECKS.flatMap((check) => check(program, site));
}
