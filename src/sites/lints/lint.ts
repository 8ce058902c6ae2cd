/** Checks call sites for code without effect. */
import { isHandedOn } from '../match/call-of-token.ts';
import type { Composed } from '../match/compose.ts';
import type { SiteProblem } from '../model.ts';
import type { Program } from '../resolve/program.ts';
import { isComplete } from '../syntax/expression.ts';
import { kAboveBound } from './bound.ts';
import { candidatesBelowK } from './candidates.ts';
import { ignoredArguments, unknownK, unknownSearchKwargs, ignoredLlamaIndexArguments } from './ignored.ts';
import {
  fetchKNotAboveK,
  invertedWeight,
  mmrArgumentWithoutMmr,
  mmrPool,
  rerankerWithoutChoice,
} from './mmr.ts';
import { replacedCalls } from './replaced.ts';
import { filterAfterFetching, thresholdMissing, thresholdWithoutType } from './threshold.ts';

type Check = (program: Program, site: Composed) => readonly SiteProblem[];

const CHECKS: readonly Check[] = [
  mmrPool,
  fetchKNotAboveK,
  mmrArgumentWithoutMmr,
  invertedWeight,
  thresholdMissing,
  thresholdWithoutType,
  filterAfterFetching,
  ignoredArguments,
  unknownK,
  rerankerWithoutChoice,
  kAboveBound,
  candidatesBelowK,
  unknownSearchKwargs,
  ignoredLlamaIndexArguments,
  replacedCalls,
];

export function lint(program: Program, site: Composed): SiteProblem[] {
  // An unfinished call may still get the missing part, and a call that runs a retriever has other arguments.
  if (!isComplete(site.call) || site.call !== site.match.call) return [];
  // The arguments to fix are in the call that makes it.
  if (site.match.isOwnClass || isHandedOn(site.call)) return [];
  return CHECKS.flatMap((check) => check(program, site));
}
