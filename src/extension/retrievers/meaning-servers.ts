/** Servers on this machine that may have models for search by meaning. Pure. */
import type { ParallaxConfig } from '../../shared/config.ts';
import { isLoopback } from '../../shared/capture/listening.ts';
import { providerDetails, PROVIDERS } from '../judging/model-providers.ts';

export interface LocalServer {
  readonly label: string;
  readonly baseUrl: string;
  /** The name of its key, which no other server has: none of theirs is sent to it. */
  readonly key: string;
}

/** Those that are known by their ports, and those of `parallax.json`; never one on another machine. */
export function localServers({
  embedders,
  judges,
}: Pick<ParallaxConfig, 'embedders' | 'judges'>): LocalServer[] {
  const known = PROVIDERS.flatMap((provider): LocalServer[] => {
    const { label, baseUrl, local } = providerDetails(provider);
    return local && baseUrl !== undefined ? [{ label, baseUrl, key: provider }] : [];
  });
  const configured = [...Object.values(embedders), ...Object.values(judges)].flatMap(
    (entry): LocalServer[] => {
      if (entry.type !== 'openai') return [];
      const { baseUrl, key } = entry;
      return isOnThisMachine(baseUrl) ? [{ label: new URL(baseUrl).host, baseUrl, key }] : [];
    },
  );
  const addresses = new Set<string>();
  return [...known, ...configured].filter(({ baseUrl }) => {
    const address = baseUrl.replace('//localhost', '//127.0.0.1').replace(/\/$/u, '');
    return !addresses.has(address) && addresses.add(address);
  });
}

/** Parts of names that encoders have and chat models have not. */
const OF_ENCODERS =
  /embed|minilm|mpnet|(?:^|[-_/])(?:bge|gte|e5|gtr|jina|arctic|contriever|sbert|labse|stella|qwen\d*-emb)/iu;

/** Whether a model is one for vectors, by its name: servers list all their models alike. */
export function soundsLikeEncoder(model: string): boolean {
  return OF_ENCODERS.test(model);
}

export function isOnThisMachine(baseUrl: string): boolean {
  return isLoopback(new URL(baseUrl).hostname.replace(/^\[|\]$/gu, ''));
}
