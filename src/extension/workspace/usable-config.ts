/**
 * Refuses requests in a workspace that is not trusted, and those that would fall back on defaults while `parallax.json`
 * cannot be used. Without the editor.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { EngineMethod } from '../../shared/rpc.ts';
import { requireTrust } from '../../shared/untrusted.ts';

/**
 * Requests that read or fetch a corpus, evaluate on it or build from it. By default the corpus is the whole folder:
 * hardly what the file was to say, and maybe nothing that a model on another machine may see.
 */
const NEED_CONFIG: ReadonlySet<EngineMethod> = new Set<EngineMethod>([
  'index',
  'compare',
  'figuresCost',
  'judgeFigures',
  'pool',
  'answers',
  'answersCost',
  'evaluate',
  'acceptBaseline',
  'acceptEvaluation',
  'unreached',
  'buildEffort',
  'build',
  'labelSet',
  'fetchWeb',
  'validateJudge',
]);

/**
 * @param problem why `parallax.json` cannot be used, as a sentence; nothing where it can be, and where there is none
 * @throws ParallaxError `bad-config`
 */
export function requireUsableConfig(problem: string | undefined): void {
  if (problem === undefined) return;
  throw new ParallaxError(
    'bad-config',
    l10n.t`${problem} Until that is mended, nothing is indexed or evaluated.`,
  );
}

/**
 * With a parallax.json that cannot be used, looking at what is there goes on by defaults.
 *
 * @param workspace `configProblem` as in {@link requireUsableConfig}
 * @throws ParallaxError `untrusted` for any request, `bad-config` for one that does not
 */
export function admitRequest(
  method: EngineMethod,
  { trusted, configProblem: problem }: { trusted: boolean; configProblem?: string | undefined },
): void {
  requireTrust(trusted);
  if (NEED_CONFIG.has(method)) requireUsableConfig(problem);
}
