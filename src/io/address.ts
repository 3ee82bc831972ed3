/**
 * Which IP addresses belong to the public internet. Everything else (this machine, its networks, multicast, reserved ranges,
 * IPv4 addresses written as IPv6) is private, following IANA's registries of special-purpose addresses.
 */
import { BlockList, isIPv4, isIPv6 } from "node:net"

const blockListOf = (
  family: "ipv4" | "ipv6",
  ranges: ReadonlyArray<readonly [string, number]>,
): BlockList => {
  const list = new BlockList()
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family)
  return list
}

const specialIpv4 = blockListOf("ipv4", [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
])

/** Global unicast; it does not contain loopback, link-local, unique local and multicast addresses. */
const globalIpv6 = blockListOf("ipv6", [["2000::", 3]])

/** Ranges inside `globalIpv6`: protocol assignments with Teredo, documentation, and 6to4, which leads to an IPv4 address. */
const specialIpv6 = blockListOf("ipv6", [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
])

/** IPv6 addresses that represent the IPv4 address in their last four bytes: IPv4-mapped, and NAT64. */
const embeddingIpv4 = blockListOf("ipv6", [
  ["::ffff:0:0", 96],
  ["64:ff9b::", 96],
])

const embeddedIpv4 = (address: string): string => {
  // A URL's host has one canonical form: hexadecimal groups, where the last two can be omitted if they are zero.
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const groups = canonical.split("::").at(-1)!.split(":")
  const [high, low] = groups.length === 1 ? ["0", groups[0]!] : groups.slice(-2)
  const value = (Number.parseInt(high!, 16) << 16) | Number.parseInt(low || "0", 16)
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join(".")
}

/** Returns false also for anything that is not an IP address in its usual form. */
export const isPublicAddress = (address: string): boolean => {
  if (isIPv4(address)) return !specialIpv4.check(address, "ipv4")
  const [unscoped] = address.split("%")
  if (unscoped === undefined || !isIPv6(unscoped)) return false
  if (embeddingIpv4.check(unscoped, "ipv6")) return isPublicAddress(embeddedIpv4(unscoped))
  return globalIpv6.check(unscoped, "ipv6") && !specialIpv6.check(unscoped, "ipv6")
}
