/** Page URLs that may be fetched, before resolving them. */
import ipaddr from 'ipaddr.js';

/** Azure's control plane of virtual machines. Its address is in a public range, but the service is private. */
const WIRE_SERVER = '168.63.129.16';
/** Addresses allocated to the public internet (RFC 4291, 2.4). The rest of IPv6 is special or unallocated. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address is public. Loopback, private, link-local, shared, multicast, documentation and reserved ranges are
 * not (IANA's special-purpose registries), and neither are IPv6 addresses that embed an IPv4 one: mapped, compatible,
 * NAT64, 6to4, Teredo.
 *
 * @param address IPv4 or IPv6, without brackets; anything else is not public
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv6 ? parsed.match(GLOBAL_UNICAST) : parsed.toString() !== WIRE_SERVER;
}

/** Longer URLs break servers and are not those of pages. */
export const MAX_URL_LENGTH = 2048;

/** Addresses and ports that a fetcher may connect to. */
export interface Reach {
  /** @param address IPv4 or IPv6, without brackets */
  allowsAddress(address: string): boolean;
  allowsPort(port: number): boolean;
}

/** Web servers on the public internet. Other ports belong to mail servers, databases and so on. */
export const PUBLIC_WEB: Reach = {
  allowsAddress: isPublicAddress,
  allowsPort: (port) => port === 80 || port === 443,
};

/** A URL to fetch, without its fragment, or a sentence on why it is refused. */
export type PageUrl = { readonly url: URL } | { readonly refused: string };

/**
 * @param text absolute, or relative to `base`
 * @param base the page with the link
 */
export function readPageUrl(text: string, reach: Reach = PUBLIC_WEB, base?: URL): PageUrl {
  if (text.length > MAX_URL_LENGTH)
    return { refused: `Its URL is longer than ${MAX_URL_LENGTH} characters.` };
  if (!URL.canParse(text, base?.href)) return { refused: 'It is not a URL.' };
  const url = new URL(text, base?.href);
  url.hash = '';
  const refused = whyRefused(url, reach);
  return refused === undefined ? { url } : { refused };
}

function whyRefused(url: URL, reach: Reach): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'Only http and https are fetched.';
  if (url.username !== '' || url.password !== '') return 'URLs with a user name or password are not fetched.';
  if (!reach.allowsPort(portOf(url))) return `Port ${portOf(url)} is not one of a public web server.`;
  const address = addressIn(url);
  return address === undefined || reach.allowsAddress(address)
    ? undefined
    : `${address} is not an address of the public internet.`;
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

/** The IP address in a URL's host, in its usual form. `undefined` for host names. */
export function addressIn({ hostname }: URL): string | undefined {
  const host = hostname.replace(/[[\]]/g, '');
  return ipaddr.isValid(host) ? host : undefined;
}
