/**
 * Refuses requests in an untrusted workspace, and requests that would fall back to defaults while `parallax.json`
 * cannot be used. Independent of the editor.
 */
import * as l10n from '@vscode/l10n';
import { ParallaxError } from '../../core/errors.ts';
import type { EngineMethod } from '../../shared/rpc.ts';
import { requireTrust } from '../../shared/untrusted.ts';

/**
 * Requests that read or fetch a corpus, evaluate on it or build from it. The default corpus is the whole folder:
 * probably not what the file was meant to say, and possibly text that a model on another machine must not see.
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
 * @param problem why `parallax.json` cannot be used, as a sentence; `undefined` if it can be, or does not exist
 * @throws ParallaxError `bad-config`
 */
export function requireUsableConfig(problem: string | undefined): void {
  if (problem === undefined) return;
  throw new ParallaxError(
    'bad-config',
    l10n.t`${problem} Until this is fixed, nothing is indexed or evaluated.`,
  );
}

/**
 * While parallax.json cannot be used, requests that only read existing data use defaults.
 *
 * @param workspace `configProblem` as in {@link requireUsableConfig}
 * @throws ParallaxError `untrusted` for any request, `bad-config` for requests that need the configuration
 */
export function admitRequest(
  method: EngineMethod,
  { trusted, configProblem: problem }: { trusted: boolean; configProblem?: string | undefined },
): void {
  requireTrust(trusted);
  if (NEED_CONFIG.has(method)) requireUsableConfig(problem);
}
