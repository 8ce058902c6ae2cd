/** The environment of programs that parallax.json names. */

/**
 * Tokens of the services that run a job: they may write to a repository or publish a package, and no retriever needs them.
 * `env` of the retriever gives them all the same.
 */
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

/** That of the user, with the keys that a program of the user's own may need. */
export function programEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return without(env, (name) => TOKENS.has(name));
}

/** The same for the client of a store, which is handed the one key that it needs. */
export function clientEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return without(env, (name) => TOKENS.has(name) || name.endsWith('_API_KEY'));
}

function without(env: NodeJS.ProcessEnv, isLeftOut: (name: string) => boolean): NodeJS.ProcessEnv {
  // The names of variables are in any case on Windows.
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isLeftOut(name.toUpperCase())));
}
