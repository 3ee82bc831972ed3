/** Build tools and languages. A rule that allows a script of the project allows everything that the script does. */
import { gtfobins, type PowerTable } from "./power-table.ts"

/** The tools that may receive the arguments of a project's script. */
const scriptTools = "tsc eslint prettier biome stylelint jest vitest mocha playwright node esbuild vite"

/**
 * Options of make that neither name a file to read or write nor run anything, in both GNU make and bmake: not `-d` and `-v`,
 * which take a value in bmake. Every other word with `=`, even with blanks around it, sets a variable such as SHELL, and make may
 * run its value; bmake also expands a `$` in targets.
 */
const makeFlags = [
  "-[BehikLnpqrRsStw]*(?:[jl][\\d.]*|O(?:none|line|target|recurse)?|[oW])?",
  "--(?:always-make|check-symlink-times|debug|dry-run|environment-overrides|help|ignore-errors|jobs|just-print|keep-going)",
  "--(?:load-average|max-load|no-builtin-rules|no-builtin-variables|no-keep-going|no-print-directory|no-silent|output-sync)",
  "--(?:print-data-base|print-directory|question|quiet|recon|shuffle|silent|stop|touch|trace|version)",
  "--(?:warn-undefined-variables|assume-new|assume-old|new-file|old-file|what-if)",
  "--(?:jobs|load-average|max-load)=[\\d.]+",
  "--(?:debug|output-sync|shuffle)=[\\w,]+",
  "--(?:assume-new|assume-old|new-file|old-file|what-if)=[\\w./-]+",
].join("|")

export const developmentOptions: PowerTable = {
  "make|gmake|bmake": {
    source: `GNU make manual, bmake(1); ${gtfobins}/gtfobins/make`,
    words: new RegExp(`^(?!(?:${makeFlags})$)(?:-|[\\s\\S]*[=$])`),
  },
  ninja: { source: "ninja manual", options: "-C -f -t" },
  cmake: {
    source: `${gtfobins}/gtfobins/cmake`,
    spelling: "one dash",
    options: `
      -E* -P* -D* -C* -S* -B* --install* --build* --open* --graphviz* --trace-redirect* --profiling-output* --toolchain*
      --preset* --workflow* --help-* --debugger*
    `,
    writes: "--version /V",
  },
  cpack: {
    source: "cpack(1)",
    spelling: "one dash",
    options: "-D* -B* -P* -R* --config* --preset* --trace-redirect* --help-*",
    writes: "--version /V",
  },
  ctest: {
    source: "ctest(1): -S is a script, and --build-and-test configures and builds",
    spelling: "one dash",
    options: `
      -S* -D* -O -A -T* -M* --output-log --output-junit --script --script-new-process --dashboard --add-notes --extra-submit
      --test-dir --build-and-test --build-makeprogram --test-command --overwrite --resource-spec-file --preset --help-*
    `,
    writes: "--version /V",
  },
  node: {
    source: `node(1), node --v8-options; ${gtfobins}/gtfobins/node`,
    spelling: "whole",
    pairs: /^--test-reporter (spec|tap|dot|junit)$/,
    options: `
      -e -p -r -C -i --eval --print --require --import --loader --experimental-loader --env-file
      --env-file-if-exists --openssl-config --openssl-shared-config --experimental-config-file
      --experimental-default-config-file --diagnostic-dir --report-directory --report-dir --report-filename
      --report-on-signal --report-on-fatalerror --report-uncaught-exception --redirect-warnings --heap-prof
      --heap-prof-dir --heap-prof-name --cpu-prof --cpu-prof-dir --cpu-prof-name --trace-event-file-pattern
      --trace-event-categories --trace-events-enabled --heapsnapshot-signal --heapsnapshot-near-heap-limit
      --inspect --inspect-brk --inspect-wait --inspect-port --inspect-publish-uid --debug-port
      --test-reporter --test-reporter-destination --test-global-setup --test-update-snapshots
      --test-rerun-failures --icu-data-dir --build-snapshot --build-snapshot-config --snapshot-blob
      --experimental-sea-config --build-sea --localstorage-file --experimental-policy --tls-keylog
      --watch-path --experimental-storage-inspection --conditions --interactive
      --prof --logfile --log* --perf-basic-prof --perf-prof --perf-basic-prof-path --perf-prof-path
      --redirect-code-traces --redirect-code-traces-to --trace-turbo* --trace_turbo* --turbo-profiling*
      --turbo_profiling* --trace-zap-use-count
      --gdbjit --vtune-prof-annotate-wasm --dump-wasm-module-path --experimental-entry-url --entry-url
    `,
    behind: "another's",
  },
  tsc: {
    source: "tsc --help --all: any case, one dash or two, @FILE holds options",
    spelling: "one dash",
    options: `
      -p -P -b -B --project --build --init --out --outDir --outFile --declarationDir --tsBuildInfoFile
      --generateTrace --generateCpuProfile --pprofDir @*
    `,
  },
  esbuild: {
    source: "esbuild --help",
    spelling: "whole",
    options: `
      --outfile --outdir --outbase --metafile --inject --serve --servedir --mangle-cache --analyze-out
      --certfile --keyfile --allow-overwrite
    `,
  },
  "vite|rollup|webpack": {
    source: "vite, rollup and webpack CLI references",
    spelling: "whole",
    options: `
      -c -o -d -p --config --outDir --dir --file --output-path --output-file --plugin --configPlugin --profile
      --manifest --ssrManifest --watch.exec --watch.onStart --env --require --entry --mode --root
    `,
  },
  "java|javaw": {
    source: "java(1)",
    spelling: "one dash",
    options: `
      -javaagent* -agentlib* -agentpath* -Xbootclasspath* -XX:On* -XX:Flags* -XX:VMOptionsFile* -XX:ErrorFile* -XX:HeapDump*
      -XX:LogFile* -XX:StartFlightRecording* -XX:ArchiveClasses* -XX:SharedArchive* -Xlog* -Xdebug -Xrun*
      -cp -classpath --class-path -p --module-path --patch-module* --upgrade-module-path -jar @*
    `,
    behind: "another's",
  },
  javac: {
    source: "javac(1)",
    spelling: "one dash",
    options: "-d -h -s -J* -processor -processorpath --processor-path -Xplugin* @*",
  },
  "gcc|g++|cc|c++|clang|clang++": {
    source: `GCC manual, Clang command line reference; ${gtfobins}/gtfobins/gcc`,
    spelling: "one dash",
    options: `
      -o* -wrapper* -B* -fplugin* -specs* --specs* -iplugindir* -MF* -MD* -MMD* -MJ* -save-temps* -dumpdir* -dumpbase* @*
      -Xclang* -load* -x* --output* --prefix* --save-temps* --dump* --write-* -fdump-* -aux-info* --aux-info* -Wp,* -Wl,*
      -Wa,* -Xlinker* -Xassembler* -Xpreprocessor* -fpass-plugin* --ld-path* --config* --gcc-toolchain* -mllvm*
      -serialize-diagnostics* --serialize-diagnostics* -ftime-trace=* -foptimization-record-file* -fcrash-diagnostics-dir*
    `,
    // Matches a path; a bare name is one of the compiler's own linkers.
    words: /^-fuse-ld=.*[/.]/,
  },
  "ar|nm|ranlib|strip|objcopy|objdump|ld|as": {
    source: "GNU binutils manual: --plugin, @FILE holds options",
    options: "-o --plugin --output @*",
  },
  go: {
    source: "go help build, go help testflag, go help env",
    spelling: "one dash",
    options: `
      -o -C -w -u -exec -toolexec -overlay -modfile -vettool -fix -ldflags -gcflags -asmflags -gccgoflags -compiler
      -pkgdir -debug-actiongraph -debug-trace -debug-runtime-trace -outputdir -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace -test.
    `,
  },
  "go test": { source: "go help test: -c writes the program", spelling: "one dash", options: "-c" },
  "gofmt|goimports|gofumpt": {
    source: "gofmt -h, goimports -h, gofumpt -h",
    spelling: "one dash",
    options: "-w -r -cpuprofile -memprofile -trace",
  },
  cargo: {
    source: "cargo(1)",
    spelling: "whole",
    options: `
      -C -Z --config --manifest-path --target-dir --out-dir --artifact-dir --lockfile-path --index --registry
      --root --path --fix +*
    `,
    valued: "-p -j -F",
  },
  "cargo test|cargo t|cargo bench": { source: "what follows -- is libtest's", passes: "libtest" },
  "cargo clippy|cargo rustc|cargo rustdoc": { source: "what follows -- is rustc's", passes: "rustc" },
  "cargo fmt": { source: "what follows -- is rustfmt's", passes: "rustfmt" },
  "cargo nextest": {
    source: "cargo nextest run --help: a configuration may name programs",
    spelling: "whole",
    options:
      "--config-file --tool-config-file --user-config-file --archive-file --extract-to --extract-overwrite",
  },
  rustfmt: {
    source: "rustfmt --help: --print-config writes a configuration, beside --check too",
    spelling: "whole",
    options: "--print-config",
  },
  libtest: {
    source: "The rustc book: tests",
    spelling: "whole",
    options: "--logfile",
    valued: "--test-threads --skip --format --color",
  },
  "rustc|clippy-driver|rustdoc": {
    source: "rustc --help -v: -C linker and -Z run programs, @FILE holds options",
    spelling: "whole",
    options: "-o -C -Z --codegen --out-dir --emit --sysroot --extern --output @*",
    valued: "-A -D -F -W -L -l",
  },
  "mvn|mvnw": {
    source: "mvn(1)",
    spelling: "any dashes",
    options: `
      -f -s -l -t -gs -gt -D --file --settings --global-settings --toolchains --global-toolchains --log-file
      --define
    `,
    valued: "-P -T -b -pl -rf",
    pairs: /^-(pl|rf) /,
  },
  "gradle|gradlew": {
    source: "gradle command-line reference",
    options: `
      -b -c -p -I -g -D -P --build-file --init-script --project-dir --settings-file --gradle-user-home
      --system-prop --project-prop --include-build --write-locks --write-verification-metadata
    `,
  },
  "npm test|npm t|npm tst|npm run|npm run-script|npm start|npm stop|npm restart": {
    source: "npm-run-script(1): what follows -- is the script's",
    passes: scriptTools,
  },
  "pnpm test|pnpm t|pnpm run|pnpm start|pnpm lint|pnpm build|pnpm check|pnpm format|pnpm typecheck|pnpm dev":
    {
      source: "pnpm run: what follows is the script's",
      passes: scriptTools,
    },
  "yarn test|yarn run|yarn start|yarn lint|yarn build|yarn check|yarn format|yarn typecheck|yarn dev": {
    source: "yarn run: what follows is the script's",
    passes: scriptTools,
  },
  "bun test|bun run": { source: "bun run: what follows is the script's", passes: scriptTools },
  coverage: { source: "coverage --help", options: "-o -d --rcfile --data-file --directory", valued: "-i -m" },
  tox: {
    source: "tox --help",
    options: "-c -x --conf --override --workdir --root --result-json --installpkg --discover --runner",
  },
  nox: { source: "nox --help", options: "-f --noxfile --report --envdir" },
  "pre-commit": {
    source: "pre-commit --help",
    options: "-c --config try-repo install migrate-config autoupdate",
  },
}
