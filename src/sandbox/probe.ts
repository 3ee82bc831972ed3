/** Checks whether this machine can sandbox a command, by running the real programs: a version check does not detect a refusal. */
import { execFile } from "node:child_process"
import { access, constants } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { SandboxError } from "./sandbox-error.ts"

/** The programs that the sandbox starts, and the Debian packages that contain them. */
const programs = {
  linux: { bwrap: "bubblewrap", socat: "socat", rg: "ripgrep" },
  darwin: { "sandbox-exec": "macOS", rg: "ripgrep" },
} as const

const isOnPath = async (name: string, path: string): Promise<boolean> => {
  for (const folder of path.split(delimiter).filter(Boolean)) {
    const found = await access(join(folder, name), constants.X_OK).then(
      () => true,
      () => false,
    )
    if (found) return true
  }
  return false
}

/** Resolves with bubblewrap's error if it is not permitted, otherwise with undefined. */
const refusalOf = (args: ReadonlyArray<string>): Promise<string | undefined> =>
  new Promise((resolve) => {
    execFile("bwrap", [...args, "true"], { timeout: 10_000 }, (error, _stdout, stderr) => {
      resolve(error === null ? undefined : (stderr.trim().split("\n")[0] ?? "") || error.message)
    })
  })

const probeLinux = async (): Promise<void> => {
  const user = ["--unshare-user", "--dev-bind", "/", "/"]
  const refusal =
    (await refusalOf(user)) ??
    (await refusalOf([...user, "--unshare-pid", "--unshare-net", "--proc", "/proc"]))
  if (refusal === undefined) return
  throw new SandboxError(
    `There is no sandbox: this system refuses the user namespaces that it stands on (${refusal}). Allow them (user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns, a container's seccomp profile), or work without a sandbox.`,
  )
}

/** Rejects with a SandboxError that names what is missing. */
export const probeSandbox = async (platform: string = process.platform): Promise<void> => {
  if (platform !== "linux" && platform !== "darwin") {
    throw new SandboxError(`There is no sandbox for ${platform}: it needs Linux or macOS.`)
  }
  const needed = Object.entries(programs[platform])
  const isThere = await Promise.all(needed.map(([name]) => isOnPath(name, process.env.PATH ?? "")))
  const missing = needed.filter((_, index) => !isThere[index])
  if (missing.length > 0) {
    const names = missing.map(([name]) => name).join(", ")
    const packages = missing.map(([, name]) => name).join(" ")
    throw new SandboxError(
      `There is no sandbox: ${names} ${missing.length === 1 ? "is" : "are"} not on the PATH. Install ${packages}, or work without a sandbox.`,
    )
  }
  if (platform === "linux") await probeLinux()
}
