/** The parser of bash in a bundle, which holds all that its modules name. */
import * as unbash from "unbash"

/** The parser. */
export const bashParser = (): typeof unbash => unbash
