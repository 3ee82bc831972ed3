/** Where Chromium, or a browser of its family, is installed. */
import { constants } from "node:fs"
import { access, stat } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { FetchError } from "./fetch-error.ts"

const names = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "microsoft-edge",
  "brave-browser",
]

const places: Readonly<Partial<Record<NodeJS.Platform, ReadonlyArray<string>>>> = {
  darwin: [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  ],
}

const isExecutable = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}

/**
 * Returns the given path or the environment's `CHROME_PATH`, else the first browser on the PATH or in the system's usual
 * places. Rejects with a FetchError that explains how to install one.
 */
export const findChromium = async (given = process.env.CHROME_PATH): Promise<string> => {
  if (given !== undefined && given !== "") {
    if (await isExecutable(given)) return given
    throw new FetchError(
      `There is no browser at ${given}. Let CHROME_PATH name the executable file of a Chromium, or leave it unset.`,
    )
  }
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "")
  const candidates = [
    ...names.flatMap((name) => folders.map((folder) => join(folder, name))),
    ...(places[process.platform] ?? []),
  ]
  for (const candidate of candidates) {
    if (await isExecutable(candidate)) return candidate
  }
  throw new FetchError(
    "No Chromium was found to read web pages with. Install one, on Debian and Ubuntu with: apt-get install chromium. Or let CHROME_PATH name the browser's executable file.",
  )
}
