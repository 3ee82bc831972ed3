/** The version that the package tells others of itself. */
export const version = "0.2.0"
