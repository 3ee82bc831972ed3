/** Programs that read, pack and page files. */
import { names } from "./names.ts"
import type { PowerTable } from "./power-options.ts"

const coreutils = "GNU coreutils manual"
const gtfobins = "https://gtfobins.github.io"

const vim = {
  source: `${gtfobins}/gtfobins/vim; vim(1)`,
  short: "cSuUwWi",
  long: names("cmd startuptime luamod-dev listen remote remote-send remote-expr headless embed"),
  words: /^\+/,
}

const fd = {
  source: "fd(1)",
  short: "xX",
  valued: "dEteSojc",
  long: names("exec exec-batch"),
  harmless: ["e"],
}

const pager = { source: `${gtfobins}/gtfobins/less; less(1)`, short: "oOkT", words: /^\+/ }

export const fileOptions: PowerTable = {
  sort: {
    source: `${coreutils}: sort; ${gtfobins}/gtfobins/sort`,
    short: "oT",
    valued: "kSt",
    long: names("output compress-program temporary-directory"),
  },
  shuf: { source: `${coreutils}: shuf`, short: "o", valued: "in", long: ["output"] },
  split: { source: `${coreutils}: split; ${gtfobins}/gtfobins/split`, long: ["filter"] },
  uniq: {
    source: `${coreutils}: uniq`,
    output: 1,
    takesNext: /^-[cdDiuz]*[fsw]$|^--(skip-fields|skip-chars|check-chars)$/,
  },
  find: {
    source: `find(1); ${gtfobins}/gtfobins/find. What -exec runs needs a rule of its own`,
    words: /^-(delete|fprint0?|fprintf|fls)$/,
  },
  dc: {
    source: "dc(1): ! runs a command",
    short: "f",
    long: ["file"],
    words: /!/,
    script: /^(-\w*e|--e)/,
    readsScript: true,
  },
  date: {
    source: `${coreutils}: date. An operand without + is a time to set`,
    short: "s",
    valued: "dfrI",
    long: ["set"],
    output: 0,
    takesNext: /^(-[uR]*[dfr]|--(date|file|reference))$/,
    spares: /^\+/,
  },
  xxd: {
    source: `xxd(1); ${gtfobins}/gtfobins/xxd`,
    output: 1,
    optionsFirst: true,
    takesNext: /^-{1,2}(c(ols)?|g(roup(size)?)?|l(en)?|n(ame)?|o(ffset)?|s(eek|kip)?|R)$/,
  },
  file: { source: "file(1)", short: "C", valued: "meFfP", long: ["compile"], harmless: ["c"] },
  iconv: { source: "iconv(1)", short: "o", valued: "ft", long: ["output"] },
  sdiff: { source: "GNU diffutils manual", short: "o", valued: "IwW", long: names("output diff-program") },
  diff3: { source: "GNU diffutils manual", long: ["diff-program"] },
  patch: {
    source: "patch(1); the ed scripts of a patch run commands",
    short: "oredB",
    valued: "pFiDVYzg",
    long: names("output reject-file ed directory prefix"),
  },
  tree: { source: "tree(1)", short: "oR", valued: "LPIHT" },
  rg: { source: "rg(1): --pre, --hostname-bin", long: names("pre hostname-bin") },
  ag: { source: "ag(1)", long: ["pager"] },
  ack: { source: "ack(1)", long: names("pager ackrc create-ackrc") },
  ugrep: { source: "ugrep(1)", long: names("filter pager view save-config config") },
  fd,
  fdfind: fd,
  "bat|batcat": {
    source: `${gtfobins}/gtfobins/batcat; bat(1)`,
    long: names("pager config-file config-dir cache-dir build clear"),
  },
  less: { ...pager, long: names("log-file LOG-FILE lesskey-file lesskey-src lesskey-content") },
  "more|most|pg": { source: `${gtfobins}/gtfobins/more`, words: /^\+/ },
  man: {
    source: `man(1); ${gtfobins}/gtfobins/man`,
    short: "PHCXp",
    valued: "LmMRSsEer",
    long: names("pager html config-file gxditview preprocessor"),
  },
  "vim|vi|view|ex|nvim|rview|rvim|vimdiff": vim,
  "emacs|emacsclient": {
    source: `${gtfobins}/gtfobins/emacs`,
    short: "fleu",
    long: names("eval execute funcall load script visit batch"),
    words: /^-(eval|execute|funcall|load|script|batch|f|l)$/,
  },
  "tar|bsdtar|gtar": {
    source: `GNU tar manual; ${gtfobins}/gtfobins/tar`,
    short: "IFgPC",
    valued: "bfHKLNTVX",
    long: names(`
      checkpoint-action to-command use-compress-program rsh-command rmt-command info-script new-volume-script
      index-file volno-file listed-incremental remove-files absolute-names directory recursive-unlink unlink-first
      transform xform
    `),
    harmless: names("checkpoint list"),
    bundle: true,
  },
  cpio: {
    source: `${gtfobins}/gtfobins/cpio`,
    short: "FODpi",
    long: names("file rsh-command directory pass-through extract"),
  },
  zip: {
    source: `zip(1): -TT, -lf, -O, -m, -b; ${gtfobins}/gtfobins/zip`,
    long: names("unzip-command logfile-path output-file out move temp-path"),
    words: /^-(?!-)\w*(TT|lf|O|m|b)/,
  },
  unzip: { source: "unzip(1)", short: "d:", valued: "P" },
  "7z|7za|7zr": { source: `${gtfobins}/gtfobins/7z`, words: /^-(o|w|sdel)/ },
  zstd: {
    source: "zstd(1)",
    short: "oD",
    long: names("output-dir-flat output-dir-mirror rm trace patch-from"),
  },
  "ar|nm|ranlib|strip|objcopy|ld": {
    source: "GNU binutils manual: --plugin",
    short: "o",
    long: names("plugin output"),
  },
  "ctags|etags": { source: "ctags(1)", short: "of", long: names("options output etags-include") },
  pandoc: {
    source: `${gtfobins}/gtfobins/pandoc`,
    short: "oFLd",
    valued: "frtTVMHBAcD",
    long: names(
      "output filter lua-filter defaults extract-media pdf-engine log data-dir print-highlight-style",
    ),
  },
  "dot|neato|fdp|circo|twopi": { source: "dot(1)", short: "oOl", valued: "TKGNEns" },
  env: {
    source: `${coreutils}: env: --chdir, --split-string`,
    short: "CS",
    valued: "u",
    long: names("chdir split-string"),
    leading: true,
  },
  printf: { source: "bash(1): printf -v", short: "v" },
  wait: { source: "bash(1): wait -p", short: "p" },
  jobs: { source: "bash(1): jobs -x", short: "x" },
  history: { source: "bash(1): history", short: "acdnrpsw" },
  fc: { source: "bash(1): fc", short: "es" },
}
