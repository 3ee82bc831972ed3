/**
 * Decides which addresses a connection may go to. A name is resolved once, every address is checked, and the connection uses
 * one of those addresses, so a name that resolves differently the next time (DNS rebinding) gains nothing.
 */
import { type LookupAddress, lookup as systemLookup } from "node:dns"
import { isIP, type LookupFunction } from "node:net"
import { isPublicAddress } from "./address.ts"
import { FetchError } from "./fetch-error.ts"

/** Which addresses connections may go to. */
export interface AddressGuardOptions {
  /** Whether connections may go to loopback, link-local, private and reserved addresses. Default false. */
  readonly allowPrivate?: boolean
  /** The addresses of a name. Default: the system's resolver. */
  readonly resolve?: (hostname: string) => Promise<ReadonlyArray<LookupAddress>>
  /** Which addresses are allowed if `allowPrivate` is not set. Default: `isPublicAddress`. */
  readonly isAllowed?: (address: string) => boolean
}

/** A refused connection. The message names the address and the option that would allow it. */
export class PrivateAddressError extends FetchError {
  override readonly name = "PrivateAddressError"

  constructor(hostname: string, address: string) {
    const what = hostname === address ? `${address} is` : `${hostname} leads to ${address}, which is`
    super(
      `Refused to connect: ${what} a loopback, link-local, private or reserved address. Such addresses are open only where the host of this tool set its option allowPrivate.`,
    )
  }
}

const resolveBySystem = (hostname: string): Promise<ReadonlyArray<LookupAddress>> =>
  new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true, verbatim: true }, (error, addresses) => {
      if (error) reject(error)
      else resolve(addresses)
    })
  })

const loopback = "127.0.0.1"

const isLoopbackName = (hostname: string): boolean => /(^|\.)localhost\.?$/i.test(hostname)

/** The host of a URL without the brackets around an IPv6 address. */
export const hostnameOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, "$1")

export class AddressGuard {
  readonly allowPrivate: boolean
  private readonly resolve: NonNullable<AddressGuardOptions["resolve"]>
  private readonly isAllowed: NonNullable<AddressGuardOptions["isAllowed"]>

  constructor(options: AddressGuardOptions = {}) {
    const { allowPrivate = false, resolve = resolveBySystem, isAllowed = isPublicAddress } = options
    this.allowPrivate = allowPrivate
    this.resolve = resolve
    this.isAllowed = allowPrivate ? () => true : isAllowed
  }

  /** Checks a host written as an address, which Node connects to without a lookup. Throws a PrivateAddressError. */
  checkLiteral(hostname: string): void {
    if (isIP(hostname) !== 0 && !this.isAllowed(hostname)) throw new PrivateAddressError(hostname, hostname)
  }

  /**
   * Resolves with at least one address. Rejects with a PrivateAddressError if any of them is refused, or with the resolver's
   * error.
   */
  async addressesOf(hostname: string): Promise<ReadonlyArray<LookupAddress>> {
    this.checkLiteral(hostname)
    const family = isIP(hostname)
    if (family !== 0) return [{ address: hostname, family }]
    // Not every resolver knows these names, and some ask a server for them.
    if (isLoopbackName(hostname) && !this.isAllowed(loopback))
      throw new PrivateAddressError(hostname, loopback)
    const addresses = await this.resolve(hostname)
    const refused = addresses.find(({ address }) => !this.isAllowed(address))
    if (refused !== undefined) throw new PrivateAddressError(hostname, refused.address)
    if (addresses.length === 0) {
      throw Object.assign(new Error(`${hostname} has no address`), { code: "ENOTFOUND" })
    }
    return addresses
  }

  /** The `lookup` option of node:net, node:http and node:https. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.addressesOf(hostname).then(
      (addresses) => {
        if (options.all === true) callback(null, [...addresses])
        else callback(null, addresses[0]!.address, addresses[0]!.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, [], 0),
    )
  }
}
