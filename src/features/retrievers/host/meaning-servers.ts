/** Local servers that may have models for search by meaning. Pure. */
import type { ParallaxConfig } from '../../../shared/config.ts';
import { isLoopback } from '../../capture/contract/listening.ts';
import { providerDetails, PROVIDERS } from '../../../extension/judging/model-providers.ts';

export interface LocalServer {
  readonly label: string;
  readonly baseUrl: string;
  /** A key name that no other server uses, so that keys of other servers are never sent to it. */
  readonly key: string;
}

/** Servers on well-known ports and those of `parallax.json`; never on another machine. */
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

/** Substrings that occur in names of encoders but not of chat models. */
const OF_ENCODERS =
  /embed|minilm|mpnet|(?:^|[-_/])(?:bge|gte|e5|gtr|jina|arctic|contriever|sbert|labse|stella|qwen\d*-emb)/iu;

/** Whether the name looks like an embedding model. Servers list all their models alike. */
export function soundsLikeEncoder(model: string): boolean {
  return OF_ENCODERS.test(model);
}

export function isOnThisMachine(baseUrl: string): boolean {
  return isLoopback(new URL(baseUrl).hostname.replace(/^\[|\]$/gu, ''));
}
