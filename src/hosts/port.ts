import { got } from "../model/got.ts"

/** Throws a TypeError for anything but a port: Node interprets other strings as the path of a socket. */
export const expectPort = (port: unknown): void => {
  if (port === undefined || port === null) return
  if (Number.isInteger(port) && (port as number) >= 0 && (port as number) <= 65_535) return
  throw new TypeError(`Expected \`port\` to be a number from 0 to 65535, ${got(port)}`)
}
