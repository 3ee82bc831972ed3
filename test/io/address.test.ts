import { describe, expect, it } from "vitest"
import { isPublicAddress } from "../../src/io/address.ts"

describe("isPublicAddress", () => {
  it.each([
    [
      "of documented public hosts",
      ["1.1.1.1", "8.8.8.8", "192.0.1.1", "172.32.0.1", "100.128.0.1", "223.255.255.255"],
    ],
    ["in IPv6", ["2606:4700:4700::1111", "2a00:1450::1", "2001:4860:4860::8888"]],
    ["in IPv6 that stand for public IPv4 ones", ["::ffff:8.8.8.8", "::ffff:808:808", "64:ff9b::808:808"]],
  ])("holds for addresses %s", (_, addresses) => {
    for (const address of addresses) expect([address, isPublicAddress(address)]).toEqual([address, true])
  })

  it.each([
    ["this host", ["0.0.0.0", "0.1.2.3", "::"]],
    ["loopback", ["127.0.0.1", "127.255.255.254", "::1"]],
    [
      "private networks",
      ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "fc00::1", "fd12::1"],
    ],
    ["link-local", ["169.254.169.254", "fe80::1", "fe80::1%eth0", "febf::1", "fec0::1"]],
    ["multicast and broadcast", ["224.0.0.1", "239.1.1.1", "255.255.255.255", "ff02::1"]],
    [
      "documentation and tests",
      ["192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "2001:db8::1", "3fff::1"],
    ],
    ["reserved", ["240.0.0.1", "192.0.0.1", "192.88.99.1", "4000::1", "100::1"]],
    [
      "private IPv4 written as mapped IPv6",
      ["::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:0:1", "::ffff:10.0.0.1"],
    ],
    ["private IPv4 behind NAT64", ["64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b::", "64:ff9b:1::808:808"]],
    ["other ways to IPv4", ["2002:7f00:1::", "2001:0:1::1", "::127.0.0.1", "::8.8.8.8"]],
    ["what is no address", ["", "localhost", "127.1", "0x7f000001", "2130706433", "[::1]"]],
  ])("does not hold for %s", (_, addresses) => {
    for (const address of addresses) expect([address, isPublicAddress(address)]).toEqual([address, false])
  })
})
