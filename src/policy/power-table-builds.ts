/** Build tools, compilers and version control, apart from those in power-table-development.ts and -git.ts. */
import type { PowerTable } from "./power-table.ts"

/** A variable of any name: rake also finds one after a newline. */
const variable = /^[^-][\s\S]*=/

export const buildOptions: PowerTable = {
  "pkg-config|pkgconf": { source: "pkgconf(1)", spelling: "whole", options: "--log-file" },
  deno: {
    source: "deno --help: without -A and --allow-… a program does not run others",
    spelling: "whole",
    options: `
      -A -P -c -o -r --allow-* --config --import-map --preload --require --output --fix --coverage --junit-path --cpu-prof
      --cpu-prof-* --env-file --env --v8-flags --inspect --inspect-* --reload --lock --unsafely-* --permission-set
    `,
  },
  "tsx|ts-node": {
    source: "ts-node --help, tsx --help",
    spelling: "whole",
    options: `
      -e -p -r -C -P -O -i --eval --print --require --import --loader --tsconfig --project --compiler --compilerOptions
      --cwd --transpiler --env-file --experimental-loader --interactive
    `,
    behind: "another's",
  },
  // These options load or run the file that they name even if php only prints something. The words after a script belong to the
  // script.
  php: {
    source: "php(1): -d extension=FILE and -z load a library, also where nothing is run",
    spelling: "whole",
    promises: "-l -v -m -i --syntax-check --version --modules --info --ini --rf --rc --re --ri",
    options: "-d -c -z --define --php-ini --zend-extension",
    valued: "-c -d -f -r -z -B -R -F -E -S -t --define --php-ini --zend-extension",
    behind: "operands",
  },
  perl: {
    source: "perlrun(1): -c runs BEGIN blocks and modules",
    spelling: "whole",
    promises: "-c",
    options: "-e -E -M -m -I -x -d -S",
    valued: "-e -E -I -F -l? -0? -i? -C? -D? -T? -V?",
    behind: "operands",
  },
  ruby: {
    source: "ruby(1): with -v alone it shows its version, and else runs what it is told",
    spelling: "whole",
    promises: "-v",
    options: "-e -r -I -x -S -C",
    valued: "-e -r -I -C",
    output: 0,
    behind: "operands",
  },
  dotnet: {
    source: "dotnet --help: -p sets properties of the build, loggers are code, @FILE holds options",
    spelling: "one dash",
    options: `
      -o -l -d -s -p -a --output --logger --diag --settings --results-directory --test-adapter-path --artifacts-path
      --configfile --property* -property* -p:* /p:* /property* -bl* /bl* -logger* /l* -dl* /dl* -fl* /fl* --collect @*
    `,
  },
  just: {
    source: "just --help",
    spelling: "whole",
    options: `
      -f -d -c -e -g --justfile --working-directory --shell --shell-arg --shell-command --set --dotenv-path --dotenv-filename
      --chooser --command --edit --fmt --init --global-justfile --cygpath
    `,
    words: variable,
  },
  task: {
    source: "task --help; task(1) of Taskwarrior: execute",
    spelling: "whole",
    options: "-t -d -g -i --taskfile --dir --global --init --trust --temp-dir execute",
    words: variable,
  },
  rake: {
    source: "rake --help: -e and -E are Ruby",
    options: `
      -f -e -E -p -r -I -R -N -C -g --rakefile --execute --execute-print --execute-continue --libdir --rakelibdir --require
      --directory --system
    `,
    words: variable,
  },
  "rspec|cucumber": {
    source: "rspec --help",
    options: `
      -r -I -f -o -P -O --require --format --out --options --default-path --pattern --init --publish
    `,
    valued: "-e -t",
  },
  "ava|tap|cypress": {
    source: "ava --help, tap --help, cypress run --help",
    spelling: "whole",
    options: `
      -u -c -C -P -r -o --config --config-file --node-arguments --node-arg --update-snapshots --before --after --plugin
      --reporter --reporter-options --reporter-file --output-file --output-dir --project --browser --import --require
      --loader
    `,
  },
}
