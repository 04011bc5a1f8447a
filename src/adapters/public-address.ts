import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Whether anybody on the internet may own this address: global unicast, and in none of the special ranges. False for
 * what is no address as the system writes them: octal and hexadecimal forms are read differently by different readers.
 *
 * An IPv4 address inside an IPv6 one is judged by itself where it stands for that host: mapped addresses, and those of
 * NAT64, under which an IPv6-only network sees every IPv4 host. 6to4 and Teredo are refused whatever they hold: no
 * receiver lives there, and their relays are free to reach inwards.
 */
export function isPublicAddress(ip: string): boolean {
  // A zone names one of this machine's own interfaces.
  if (isIP(ip) === 0 || ip.includes('%')) return false;
  const address = ipaddr.parse(ip);
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast';
  const inside = embedded(address);
  if (inside !== undefined) return inside.range() === 'unicast';
  return isGlobal(address) && address.range() === 'unicast';
}

/** 2000::/3. The library calls all the rest that it knows no use for unicast, `::127.0.0.1` in its old form included. */
function isGlobal({ parts: [first = 0] }: ipaddr.IPv6): boolean {
  return first >>> 13 === 1;
}

const nat64 = ipaddr.IPv6.parse('64:ff9b::');

function embedded(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  if (!address.isIPv4MappedAddress() && !address.match(nat64, 96)) return undefined;
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}
