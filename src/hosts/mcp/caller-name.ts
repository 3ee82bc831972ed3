/** The person of a request, from the handler that has identified it to the calls that it makes. */
import type { AuthInfo, ServerContext } from "@modelcontextprotocol/server"

const key = "stepline/by"

/** The authorization of a request whose person is known. Tasks and sessions belong to that person. */
export const identifiedBy = (by: string): AuthInfo => ({
  token: "",
  clientId: by,
  scopes: [],
  extra: { [key]: by },
})

/** The person's name; undefined if no handler has identified anybody. */
export const callerName = ({ http }: ServerContext): string | undefined =>
  http?.authInfo?.extra?.[key] as string | undefined
