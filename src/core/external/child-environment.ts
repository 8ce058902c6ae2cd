/**
 * The environment of programs that parallax.json names: the user's without secrets, so that a pull request that adds a
 * command cannot read the job's keys.
 */

/** Tokens of CI services, which may allow writing to a repository or publishing a package. */
const TOKENS: ReadonlySet<string> = new Set([
  'GITHUB_TOKEN',
  'GH_TOKEN',
  'GITHUB_ENTERPRISE_TOKEN',
  'GH_ENTERPRISE_TOKEN',
  'GITLAB_TOKEN',
  'CI_JOB_TOKEN',
  'CI_JOB_JWT',
  'CI_DEPLOY_PASSWORD',
  'SYSTEM_ACCESSTOKEN',
  'ACTIONS_RUNTIME_TOKEN',
  'ACTIONS_ID_TOKEN_REQUEST_TOKEN',
  'NPM_TOKEN',
  'NODE_AUTH_TOKEN',
]);

/** Shorter values, such as `1`, occur in others by chance. */
const MIN_SECRET = 8;

/**
 * Also leaves out variables that contain the value of a secret, as CI services give one token under several names and in
 * addresses.
 *
 * @param inherit names of secrets that the program gets
 */
export function childEnvironment(
  env: Readonly<NodeJS.ProcessEnv>,
  inherit: readonly string[] = [],
): NodeJS.ProcessEnv {
  // Windows ignores the case of names.
  const inheritedNames = new Set(inherit.map((name) => name.toUpperCase()));
  const isGiven = (name: string): boolean => inheritedNames.has(name.toUpperCase());
  const secrets = Object.entries(env).flatMap(([name, value = '']) =>
    isSecret(name) && !isGiven(name) && value.length >= MIN_SECRET ? [value] : [],
  );
  const entries = Object.entries(env).filter(
    ([name, value = '']) =>
      isGiven(name) || !(isSecret(name) || secrets.some((secret) => value.includes(secret))),
  );
  return Object.fromEntries(entries);
}

function isSecret(name: string): boolean {
  const upper = name.toUpperCase();
  return TOKENS.has(upper) || upper.endsWith('_API_KEY');
}
