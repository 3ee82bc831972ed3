/** Build tools, compilers and version control beyond the most used, which power-table-development.ts and -git.ts have. */
import { gtfobins, type PowerTable } from "./power-table.ts"

const variable = /^[A-Za-z_][\w-]*=/

export const buildOptions: PowerTable = {
  protoc: {
    source: "protoc --help: --plugin names a program, and --NAME_out runs protoc-gen-NAME",
    spelling: "one dash",
    options: "-o* --plugin* --descriptor_set_out* --dependency_out* @*",
    words: /^--?\w+_(out|opt)(=|$)/,
  },
  buf: {
    source: "buf --help",
    spelling: "whole",
    options: "-o -w --output --write --template --config --fix",
    discards: "-o --output",
  },
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
  // That they show something else is no reason for them not to run what these name. Behind a script stand its own arguments.
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
  "lua|lua5.1|lua5.2|lua5.3|lua5.4|luajit": {
    source: "lua(1): -v shows the version and goes on",
    spelling: "whole",
    promises: "-v",
    options: "-e -l -i",
    valued: "-e -l",
    output: 0,
    behind: "operands",
  },
  "babel|swc|postcss|tailwindcss": {
    source: "babel --help, swc --help, postcss --help: plugins and configurations are code",
    spelling: "whole",
    options: `
      -o -d -r -u -c -C --out-file --out-dir --output --dir --replace --use --plugins --presets --config --config-file
      --parser --syntax --stringifier --postcss
    `,
  },
  lessc: { source: "lessc --help", spelling: "whole", options: "--plugin --js --source-map", output: 1 },
  sass: {
    source: "sass --help: in:out, or the second operand",
    spelling: "whole",
    options: "--update --pkg-importer",
    words: /:/,
    output: 1,
  },
  dotnet: {
    source: "dotnet --help: -p sets properties of the build, loggers are code, @FILE holds options",
    spelling: "one dash",
    options: `
      -o -l -d -s -p -a --output --logger --diag --settings --results-directory --test-adapter-path --artifacts-path
      --configfile --property* -property* -p:* /p:* /property* -bl* /bl* -logger* /l* -dl* /dl* -fl* /fl* --collect @*
    `,
  },
  swift: {
    source: "swift build --help",
    spelling: "one dash",
    options: `
      -o --package-path --build-path --scratch-path --cache-path --config-path -Xcc -Xlinker -Xswiftc -Xcxx --disable-sandbox
      --allow-* --xunit-output -load-plugin* -plugin-path* -emit-*
    `,
  },
  "bazel|bazelisk": {
    source: "bazel help",
    spelling: "one dash",
    options: `
      --output_base --output_user_root --output_file --bazelrc --host_jvm_args --override_* --run_under --action_env
      --repo_env --test_env --profile --build_event_* --explain --workspace_status_command --extra_toolchains --sandbox_*
      --spawn_strategy --strategy --credential_helper --symlink_prefix --disk_cache --repository_cache --experimental_*
      --config
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
  scons: {
    source: "scons(1)",
    options: "-f -C -I -Y --file --makefile --sconstruct --directory --include-dir --site-dir --repository",
    words: variable,
  },
  ant: {
    source: "ant -help",
    spelling: "one dash",
    options: `
      -f -file -buildfile -find -s -lib -listener -logger -logfile -l -inputhandler -propertyfile -main -D*
    `,
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
  "hg|chg": {
    source: `${gtfobins}/gtfobins/hg; hg(1): --config alias.x=!sh`,
    options: `
      -R --repository --cwd --config --config-file --debugger --ssh --remotecmd --tool --program --output --profile
    `,
    valued: "-r -m -u -d -I -X -b -k -l -T -c",
  },
  "hg bisect": { source: "hg help bisect", options: "-c --command" },
  "hg extdiff": { source: "hg help extdiff", options: "-p -o --program --option" },
  "hg export|hg cat": { source: "hg help export", options: "-o --output" },
  svn: {
    source: "svn help",
    options: "--diff-cmd --diff3-cmd --merge-cmd --editor-cmd --config-dir --config-option",
    valued: "-r -c -m -F",
  },
  jj: {
    source: "jj help",
    spelling: "whole",
    options: "-R --repository --config --config-toml --config-file --tool --diff-editor --editor",
    valued: "-r -m -T",
  },
  "jj util": { source: "jj help util: exec runs a command", options: "exec" },
  "jj config": { source: "jj help config", options: "set unset edit" },
}
