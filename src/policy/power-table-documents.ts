/** Programs that read, search, compare and set texts, tables and pictures. */
import { gtfobins, type PowerTable } from "./power-table.ts"

const tex = {
  source: `web2c manual; ${gtfobins}/gtfobins/pdflatex. A line of TeX may stand for the file`,
  spelling: "any dashes",
  options: `
    -shell-escape -shell-restricted -enable-write18 -enable-pipes -etex-extensions -output-directory -jobname -fmt -ini
    -progname -cnf-line -recorder -mktex -parse-first-line -translate-file -default-translate-file -lua -luaonly
    -luaconfonly -output-comment
  `,
  words: /^[\\&*]/,
} as const

export const documentOptions: PowerTable = {
  "info|pinfo": {
    source: "info(1): --output, --dribble; --restore and --init-file hold keys that are pressed",
    options: "-o -v --output --dribble --restore --init-file --variable",
    valued: "-d -f -k -n --directory --file --node --apropos --index-search",
    discards: "-o --output",
  },
  "whatis|apropos": { source: "apropos(1)", options: "-C --config-file", valued: "-m -M -s -L" },
  "fzf|fzf-tmux": {
    source: "fzf(1): --preview, and the actions execute, become, reload of --bind",
    spelling: "whole",
    options: `
      --preview --bind --history --with-shell --listen --listen-unsafe --tmux --popup --input-border-cmd --info-command
      --profile-cpu --profile-mem --profile-block --profile-mutex
    `,
    valued: "-d -f -n -q --delimiter --filter --nth --with-nth --query --prompt --header",
  },
  sk: {
    source: "sk(1)",
    spelling: "whole",
    options:
      "-c -i --preview --bind --cmd --interactive --history --cmd-history --listen --tmux --man --shell",
    valued: "-d -n -q -t",
  },
  groff: {
    source: "groff(1): -U lets documents run programs, -L and -P pass options to them",
    options: "-U -L -P -l -X -F -M -I",
    valued: "-d -f -K -m -n -o -r -T -w -W -D",
  },
  "troff|nroff|pic|gpic|grap": { source: "troff(1), pic(1): -U", options: "-U -F -M" },
  "tex|latex|pdftex|pdflatex|xetex|xelatex|luatex|lualatex|etex|lualatex-dev|platex|uplatex": tex,
  "bibtex|biber": { source: "biber --help", options: "-O --output-* --configfile -g --logfile --tool" },
  latexmk: {
    source: "latexmk(1): -e is Perl, -r a file of it, and -latex=… a command",
    spelling: "one dash",
    options: `
      -e -r -C -c -p -pvc* -out* -aux* -emulate* -latex* -pdf* -xelatex* -lualatex* -usepretex* -pretex* -jobname* -cd
      -print* -shell-escape* -view* -logfilewarninglist* -output-directory* --out* --aux* --latex* --pdf* --xelatex*
      --lualatex* --usepretex* --pretex* --jobname* --shell-escape* --output-directory* --print*
    `,
  },
  asciidoctor: {
    source: "asciidoctor(1)",
    options: `
      -r -I -o -D -T -E -b --require --load-path --out-file --destination-dir --template-dir --template-engine --backend
    `,
    valued: "-a -B -R -S -d",
    discards: "-o --out-file",
  },
  "sphinx-build": { source: "sphinx-build(1)", options: "-c -C -D -d -w --conf-dir --define --doctree-dir" },
  pygmentize: {
    source: `${gtfobins}/gtfobins/pygmentize: -x takes a lexer from a file; cssfile of -O is written`,
    options: "-x -o -O -P",
    valued: "-l -f -F -S -a",
  },
  highlight: {
    source: "highlight(1): plug-ins and themes are Lua",
    options: "-o -O -d -D -s -p --output --outdir --style-outfile --plug-in --data-dir --config-file --style",
  },
  enscript: {
    source: "enscript(1): -I is a command",
    options: "-o -p -I -d -P --output --filter --printer --option --slice",
    discards: "-o -p --output",
  },
  a2ps: { source: "a2ps(1)", options: "-o -P -d -E --output --printer --delegate --user-option --define" },
  "cowsay|cowthink": {
    source: `${gtfobins}/gtfobins/cowsay: a cow is Perl`,
    options: "-f",
    valued: "-e -T -W",
  },
  aspell: {
    source: "aspell(1)",
    options: `
      -c -p check create merge --conf --conf-dir --per-conf --add-filter-path --home-dir --personal --repl --save-repl
      --backup --data-dir
    `,
    valued: "-d -l -x",
  },
  w3m: {
    source: "w3m(1): -o sets which programs are run",
    spelling: "one dash",
    options: "-o -config -bookmark -cookie-jar -ppc* -post -show-option",
  },
  lynx: {
    source: "lynx(1)",
    spelling: "one dash",
    options: `
      -editor -cfg -lss -cmd_script -cmd_log -cookie_save_file -cookie_file -crawl -traversal -error_file -exec -locexec
      -trace -tlog -session -sessionout -sessionin -homepage -download -fork -mime_header -validate
    `,
    words: /^lynx(exec|prog|cgi):/i,
  },
  "links|elinks": {
    source: "links(1), elinks(1)",
    spelling: "one dash",
    options: `
      -config-dir -config-file -eval -remote -session-ring -download-dir -default-fg -mailto-prog -telnet-prog -tn3270-prog
      -mms-prog -magnet-prog -gopher-prog
    `,
  },
  delta: { source: "delta --help", spelling: "whole", options: "--pager --config --navigate" },
  diffstat: { source: "diffstat(1)", options: "-o -k", valued: "-D -f -n -N -p -r -w" },
  wdiff: { source: "wdiff(1): -a runs a pager", options: "-a --auto-pager" },
  "filterdiff|grepdiff|lsdiff|rediff|flipdiff": { source: "filterdiff(1)", options: "--in-place" },
  ptx: { source: "ptx(1): of -G, the second operand is written to", options: "-G --traditional" },
  mlr: {
    source: "Miller: --prepipe is a command, and so are system and exec, and what print | writes to",
    spelling: "one dash",
    options: "-I -s --prepipe* --load --mload tee split",
    scripts: {
      operands: 0,
      dangers: /\b(system|exec)\s*\(|\b(tee|emit\w*|e?print\w*|dump)\b[^;]*[>|]/,
    },
  },
  "xsv|qsv": {
    source: "xsv --help, qsv --help: foreach runs commands, luau and py are code",
    spelling: "whole",
    options: "-o --output foreach luau py index split partition fetch fetchpost",
    valued: "-d -s -n -c",
  },
  dasel: { source: "dasel --help", spelling: "whole", options: "-o --out --output put delete --in-place" },
  "htmlq|pup": { source: "htmlq --help", spelling: "whole", options: "-o --output" },
  "xq|tomlq": { source: "xq(1)", options: "-i --in-place --inplace" },
  "in2csv|csvsql|csvclean": {
    source: "csvkit manual",
    options: `
      --write-sheets --use-sheet-names --insert --db --before-insert --after-insert --overwrite --engine-option --query
    `,
  },
  jc: { source: "jc --help: jc COMMAND runs the command", words: /^[^-]/ },
  "identify|magick|convert|compare|montage|composite|mogrify|stream": {
    source: "ImageMagick manual; some formats of operands run, read or write others",
    spelling: "one dash",
    options: "-write +write -process -script -path -log -define -authenticate",
    words:
      /^(msl|mvg|ephemeral|inline|text|win|x|show|print|scan|screenshot|plasma|url|https?|ftp|file):|^[|@]/i,
  },
  ffprobe: {
    source: "ffprobe(1): of -f lavfi the operand is a graph of filters, of which some write files",
    spelling: "one dash",
    options: "-o -f -report -dump_attachment*",
  },
  mediainfo: { source: "mediainfo --help", spelling: "one dash", options: "--LogFile --Inform" },
  qpdf: {
    source: "qpdf(1): @FILE holds options",
    spelling: "whole",
    options: "--replace-input --job-json-file --split-pages @*",
    output: 1,
  },
  "gs|ghostscript": {
    source: "gs(1): -c is PostScript",
    spelling: "one dash",
    options: "-c -f -o* -s* -dNOSAFER -dDELAYSAFER -dALLOWPSTRANSPARENCY --permit-* -I* -B* @*",
  },
  brotli: { source: "brotli(1)", options: "-o -j -D --output --rm --dictionary", discards: "-o --output" },
}
