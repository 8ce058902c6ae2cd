/** Which addresses belong to the public internet, and which to machines and networks that no page may reach. */
import ipaddr from 'ipaddr.js';

/** The control plane of virtual machines at Azure: public by its range, private by what answers there. */
const WIRE_SERVER = '168.63.129.16';
/** Addresses allocated to the public internet (RFC 4291, 2.4); the rest of IPv6 is special or unallocated. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address is one of the public internet. Loopback, private, link-local, shared, multicast,
 * documentation and reserved ranges are not (IANA's special-purpose registries), and neither is an IPv6 address
 * that leads to an IPv4 one: mapped, compatible, NAT64, 6to4, Teredo.
 *
 * @param address IPv4 or IPv6, without brackets; anything else is not public
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv6 ? parsed.match(GLOBAL_UNICAST) : parsed.toString() !== WIRE_SERVER;
}
