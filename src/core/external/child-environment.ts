/**
 * The environment of programs that parallax.json names: the user's without secrets, so that a pull request that adds a
 * command cannot read the job's keys.
 */

/** Tokens of CI services, which may allow writing to a repository or publishing a package. */
const TOKENS: ReadonlySet<string> = new Set([
  'GITHUB_TOKEN',
  'GH_TOKEN',
  'GITLAB_TOKEN',
  'CI_JOB_TOKEN',
  'CI_JOB_JWT',
  'ACTIONS_RUNTIME_TOKEN',
  'ACTIONS_ID_TOKEN_REQUEST_TOKEN',
  'NPM_TOKEN',
  'NODE_AUTH_TOKEN',
]);

/** @param inherit names of secrets that the program gets */
export function childEnvironment(
  env: Readonly<NodeJS.ProcessEnv>,
  inherit: readonly string[] = [],
): NodeJS.ProcessEnv {
  // Windows ignores the case of names.
  const given = new Set(inherit.map((name) => name.toUpperCase()));
  const entries = Object.entries(env).filter(([name]) => {
    const upper = name.toUpperCase();
    return given.has(upper) || !(TOKENS.has(upper) || upper.endsWith('_API_KEY'));
  });
  return Object.fromEntries(entries);
}
