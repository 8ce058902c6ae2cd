/** Proxies between this machine and endpoints, from the environment or the editor. */

export type Environment = Readonly<Record<string, string | undefined>>;

/** From the editor's settings. */
export interface EditorProxies {
  readonly proxy?: string | undefined;
  readonly noProxy?: readonly string[] | undefined;
}

/** Makes Node's `fetch` use the proxies of its environment. Node only reads it at startup. */
const SWITCH = 'NODE_USE_ENV_PROXY';
const NAMES: readonly string[] = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', SWITCH];
/** Models on this machine are reached directly. */
const LOOPBACK = ['localhost', '127.0.0.1', '::1', '[::1]'];

/**
 * The environment of a process that sends its requests through the configured proxies. Unchanged if there are no valid
 * ones.
 */
export function proxyEnvironment(
  env: Environment,
  { proxy, noProxy = [] }: EditorProxies = {},
): Record<string, string | undefined> {
  const http = proxyUrl(proxy) ?? proxyUrl(valueOf(env, 'HTTP_PROXY'));
  const https = proxyUrl(proxy) ?? proxyUrl(valueOf(env, 'HTTPS_PROXY'));
  const direct = [...noProxy, valueOf(env, 'NO_PROXY') ?? ''].filter((host) => host !== '');
  if ((http === undefined && https === undefined) || direct.includes('*')) return { ...env };
  // In one spelling only, as Node and the system may choose differently between two.
  const otherEntries = Object.entries(env).filter(([name]) => !NAMES.includes(name.toUpperCase()));
  return {
    ...Object.fromEntries(otherEntries),
    ...(http === undefined ? {} : { HTTP_PROXY: http }),
    ...(https === undefined ? {} : { HTTPS_PROXY: https }),
    NO_PROXY: [...LOOPBACK, ...direct].join(','),
    [SWITCH]: '1',
  };
}

/** Whether a process was started with {@link proxyEnvironment}. */
export const asksProxies = (env: Environment): boolean => env[SWITCH] === '1';

/** Ignores the case of the name. */
function valueOf(env: Environment, name: string): string | undefined {
  return Object.entries(env).find(([key, value]) => key.toUpperCase() === name && value)?.[1];
}

/** Node does not start with an invalid proxy. */
function proxyUrl(value: string | undefined): string | undefined {
  if (value === undefined || !URL.canParse(value)) return undefined;
  return ['http:', 'https:'].includes(new URL(value).protocol) ? value : undefined;
}
