/** Distinguishes public internet addresses from those of machines and networks that pages must not reach. */
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
