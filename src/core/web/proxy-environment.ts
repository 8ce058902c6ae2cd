/** Proxies between this machine and the endpoints: named in the environment, or in the editor. */

export type Environment = Readonly<Record<string, string | undefined>>;

/** As the editor's settings have them. */
export interface EditorProxies {
  readonly proxy?: string | undefined;
  readonly noProxy?: readonly string[] | undefined;
}

/** Makes Node's `fetch` ask the proxies of its environment. It is read while Node starts, and not later. */
const SWITCH = 'NODE_USE_ENV_PROXY';
const NAMES: readonly string[] = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', SWITCH];
/** Models on this machine are not reached by way of another. */
const LOOPBACK = ['localhost', '127.0.0.1', '::1', '[::1]'];

/**
 * The environment of a process that sends its requests through the proxies that are named; the same where none is, or
 * none that can be understood.
 */
export function proxyEnvironment(
  env: Environment,
  { proxy, noProxy = [] }: EditorProxies = {},
): Record<string, string | undefined> {
  const http = proxyUrl(proxy) ?? proxyUrl(valueOf(env, 'HTTP_PROXY'));
  const https = proxyUrl(proxy) ?? proxyUrl(valueOf(env, 'HTTPS_PROXY'));
  const direct = [...noProxy, valueOf(env, 'NO_PROXY') ?? ''].filter((host) => host !== '');
  if ((http === undefined && https === undefined) || direct.includes('*')) return { ...env };
  // In one spelling: of two, Node and the system would choose differently.
  const others = Object.entries(env).filter(([name]) => !NAMES.includes(name.toUpperCase()));
  return {
    ...Object.fromEntries(others),
    ...(http === undefined ? {} : { HTTP_PROXY: http }),
    ...(https === undefined ? {} : { HTTPS_PROXY: https }),
    NO_PROXY: [...LOOPBACK, ...direct].join(','),
    [SWITCH]: '1',
  };
}

/** Whether a process was started with what {@link proxyEnvironment} says. */
export const asksProxies = (env: Environment): boolean => env[SWITCH] === '1';

/** By any spelling of its name. */
function valueOf(env: Environment, name: string): string | undefined {
  return Object.entries(env).find(([key, value]) => key.toUpperCase() === name && value)?.[1];
}

/** Node does not start with one that it does not understand. */
function proxyUrl(value: string | undefined): string | undefined {
  if (value === undefined || !URL.canParse(value)) return undefined;
  return ['http:', 'https:'].includes(new URL(value).protocol) ? value : undefined;
}
