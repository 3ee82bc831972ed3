/** Programs that read, pack and page files. */
import { gtfobins, type PowerTable } from "./power-table.ts"

const coreutils = "GNU coreutils manual"
const vim = {
  source: `${gtfobins}/gtfobins/vim; vim(1)`,
  options: `
      -c -S -u -U -w -W -i --cmd --startuptime --luamod-dev --listen --remote --remote-send --remote-expr
      --headless --embed +*
    `,
}

const fd = {
  source: "fd(1)",
  options: "-x -X --exec --exec-batch",
  valued: "-d -E -t -e -S -o -j -c",
  spelling: "whole",
} as const

export const fileOptions: PowerTable = {
  sort: {
    source: `${coreutils}: sort; ${gtfobins}/gtfobins/sort`,
    options: "-o -T --output --compress-program --temporary-directory",
    valued: "-k -S -t",
  },
  shuf: { source: `${coreutils}: shuf`, options: "-o --output", valued: "-i -n" },
  split: { source: `${coreutils}: split; ${gtfobins}/gtfobins/split`, options: "--filter" },
  uniq: {
    source: `${coreutils}: uniq`,
    output: 1,
    valued: "-f -s -w --skip-fields --skip-chars --check-chars",
  },
  find: {
    source: `find(1); ${gtfobins}/gtfobins/find. What -exec runs needs a rule of its own`,
    spelling: "one dash",
    options: "-delete -fprint -fprint0 -fprintf -fls",
  },
  dc: {
    source: "dc(1): ! runs a command",
    options: "-f --file",
    scripts: { options: "-e --expression", input: true, dangers: /!/ },
  },
  date: {
    source: `${coreutils}: date. An operand of digits is a time to set`,
    options: "-s --set",
    valued: "-d -f -r -I? --date --file --reference",
    words: /^\d/,
  },
  xxd: {
    source: `xxd(1); ${gtfobins}/gtfobins/xxd`,
    output: 1,
    behind: "operands",
    spelling: "one dash",
    valued: "-c -cols -g -group -groupsize -l -len -n -name -o -offset -s -seek -skip -R",
  },
  file: { source: "file(1)", options: "-C --compile", valued: "-m -e -F -f -P" },
  iconv: { source: "iconv(1)", options: "-o --output", valued: "-f -t" },
  patch: {
    source: "patch(1); the ed scripts of a patch run commands",
    options: "-o -r -e -d -B --output --reject-file --ed --directory --prefix",
    valued: "-p -F -i -D -V -Y -z -g",
  },
  tree: { source: "tree(1): -Lo 2 FILE takes the values from the next words", options: "-o -R" },
  rg: { source: "rg(1)", spelling: "whole", options: "--pre --hostname-bin" },
  ag: { source: "ag(1)", options: "--pager" },
  ack: {
    source: "ack(1): older ones take --output for Perl",
    spelling: "any dashes",
    options: "--pager --ackrc --create-ackrc --output",
  },
  fd,
  fdfind: fd,
  "bat|batcat": {
    source: `${gtfobins}/gtfobins/batcat; bat(1)`,
    options: "--pager --config-file --config-dir --cache-dir --build --clear",
    spelling: "whole",
  },
  "less|zless|bzless|xzless|lzless|zstdless": {
    source: `${gtfobins}/gtfobins/less; less(1), of which the others are a name`,
    options: "-o -O -k -T --log-file --lesskey-file --lesskey-src --lesskey-content --tag-file --cmd +*",
  },
  "more|most|pg": { source: `${gtfobins}/gtfobins/more`, options: "+*" },
  man: {
    source: `man(1); ${gtfobins}/gtfobins/man`,
    options: "-P -H -C -X -p --pager --html --config-file --gxditview --preprocessor",
    valued: "-L -m -M -R -S -s -E -e -r",
  },
  "vim|vi|view|ex|nvim|rview|rvim|vimdiff": vim,
  "tar|bsdtar|gtar": {
    source: `GNU tar manual; ${gtfobins}/gtfobins/tar`,
    // With -M, tar asks for the next volume and runs a shell for `!`; the files that -T names may contain options such as -C.
    options: `
      -I -F -g -P -C -M -T --multi-volume --files-from --one-top-level --keep-directory-symlink --checkpoint-action --to-command --use-compress-program --rsh-command --rmt-command
      --info-script --new-volume-script --index-file --volno-file --listed-incremental --remove-files
      --absolute-names --directory --recursive-unlink --unlink-first --transform --xform
    `,
    valued: "-b -f -H -K -L -N -V -X",
    harmless: "--checkpoint --list --keep-old-files --keep-newer-files",
    spelling: "tar",
  },
  zip: {
    source: `zip(1): -TT, -lf, -O, -m, -b; ${gtfobins}/gtfobins/zip`,
    options: "--unzip-command --logfile-path --output-file --out --move --temp-path",
    words: /^-(?!-)\w*(TT|lf|O|m|b)/,
  },
  unzip: {
    source: "unzip(1): a second dash takes an option back, as in unzip -l --l",
    options: "-d",
    valued: "-P",
    words: /^-.*-/,
  },
  "json.tool": {
    source: "python -m json.tool: the second operand is written",
    valued: "--indent",
    output: 1,
  },
  "cProfile|profile": { source: "python -m cProfile", options: "-o --outfile", behind: "another's" },
  sed: {
    source: "sed(1); its scripts are read in script-sed.ts",
    options: "-i --in-place",
    valued: "-e --expression",
  },
  env: {
    source: `${coreutils}: env: --chdir, --split-string`,
    options: "-C -S --chdir --split-string",
    valued: "-u",
    behind: "another's",
  },
  printf: { source: "bash(1): printf -v", options: "-v", behind: "operands" },
  wait: { source: "bash(1): wait -p", options: "-p" },
  jobs: { source: "bash(1): jobs -x", options: "-x" },
  history: { source: "bash(1): history", options: "-a -c -d -n -r -p -s -w" },
  fc: { source: "bash(1): fc", options: "-e -s" },
}
