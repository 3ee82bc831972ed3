/** The command line that runs a program over an overlay of a folder, in its own namespaces, which end with it. */

export interface OverlayCommand {
  /** Contains `upper`, `work`, `tmp`, `seen`. */
  readonly stage: string
  /** The lower layer, which is also the mount point. */
  readonly folder: string
  /** Inside `folder`. */
  readonly cwd: string
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** Whether the command is already in a sandbox, which protects the rest of the machine. */
  readonly isBoxed: boolean
}

const isRoot = process.getuid?.() === 0

/** As root, the overlay can preserve hard links. `volatile`, because nothing has to reach the disk before it ends. */
const overlayOptions = isRoot ? "index=on,redirect_dir=off,metacopy=off,volatile" : "userxattr,volatile"

/** Whether the overlay preserves hard links, for layers on one file system. */
export const canKeepLinks = isRoot

/** The capabilities of root's commands: those for files, none for mounts. */
const capabilities = [
  "CHOWN",
  "DAC_OVERRIDE",
  "DAC_READ_SEARCH",
  "FOWNER",
  "FSETID",
  "KILL",
  "SETGID",
  "SETUID",
  "SETFCAP",
]

/** Everything except the folder and a temporary one is read-only, and background processes end with the command. */
const boxOf = ({ stage, folder, cwd }: OverlayCommand): Array<string> => [
  "bwrap",
  "--die-with-parent",
  "--new-session",
  "--unshare-pid",
  ...(isRoot
    ? ["--cap-drop", "ALL", ...capabilities.flatMap((name) => ["--cap-add", `CAP_${name}`])]
    : ["--unshare-user", "--uid", String(process.getuid?.()), "--gid", String(process.getgid?.())]),
  ...["--ro-bind", "/", "/"],
  ...["--dev", "/dev"],
  ...["--proc", "/proc"],
  ...["--bind", folder, folder],
  ...["--bind", `${stage}/tmp`, `${stage}/tmp`],
  ...["--setenv", "TMPDIR", `${stage}/tmp`],
  ...["--chdir", cwd, "--"],
]

/**
 * A folder whose name contains mount option characters is bound to another name first. The entries that the command saw in
 * the folders that it wrote to are listed while the overlay is mounted. Every program started here costs milliseconds.
 */
const script = `
stage=$1 folder=$2 cwd=$3 options=$4
shift 4
cd -- "$stage" || exit 125
lower=$folder
case $folder in
  *[,:\\\\]*) mount --rbind -- "$folder" lower || exit 125; lower=lower ;;
esac
mount -t overlay stepline -o "lowerdir=$lower,upperdir=upper,workdir=work,$options" -- "$folder" || exit 125
: > mounted
cd -- "$cwd" || exit 125
"$@"
code=$?
shopt -s globstar dotglob nullglob
cd -- "$stage/upper" || exit 125
folders=(.)
for path in ./**/; do [ -L "\${path%/}" ] || folders+=("\${path%/}"); done
cd -- "$folder" || exit 125
if [ "\${#folders[@]}" -lt 500 ]; then
  find "\${folders[@]}" -mindepth 1 -maxdepth 1 -printf '%i %p\\0' > "$stage/seen" || exit 125
else
  printf '%s\\0' "\${folders[@]}" |
    xargs -0 sh -c 'exec find "$@" -mindepth 1 -maxdepth 1 -printf "%i %p\\0"' sh > "$stage/seen" || exit 125
fi
printf 'end' >> "$stage/seen"
exit "$code"`

/** Returns a program and its arguments. */
export const overlayCommand = (
  options: OverlayCommand,
): { readonly command: string; readonly args: Array<string> } => {
  const { stage, folder, cwd, command, args, isBoxed } = options
  const box = isBoxed ? [] : boxOf(options)
  const namespaces = isRoot ? ["-m"] : ["-U", "-r", "-m"]
  return {
    command: "unshare",
    args: [
      ...[...namespaces, "--propagation", "private", "--"],
      ...["bash", "-c", script, "stepline", stage, folder, cwd, overlayOptions],
      ...[...box, command, ...args],
    ],
  }
}
