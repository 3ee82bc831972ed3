/** Build tools, linters and package managers. What a project's own scripts do, a rule that allows them allows. */
import { names } from "./names.ts"
import type { PowerTable } from "./power-options.ts"

const gtfobins = "https://gtfobins.github.io"

const npm = {
  source: `npm-config(7); ${gtfobins}/gtfobins/npm`,
  short: "Cgc",
  long: names(`
    prefix script-shell node-options userconfig globalconfig git editor shell viewer browser init-module cache
    logs-dir registry call package dir global-dir modules-dir store-dir shell-emulator
  `),
  harmless: ["global"],
}

export const developmentOptions: PowerTable = {
  "make|gmake": {
    source: `GNU make manual; ${gtfobins}/gtfobins/make`,
    short: "CfE",
    valued: "jlIoW",
    long: names("directory file makefile eval include-dir"),
    // A variable such as SHELL or CC is a command.
    words: /^[A-Za-z_]\w*[:+?!]*=/,
  },
  ninja: { source: "ninja manual", short: "Cft" },
  cmake: { source: `${gtfobins}/gtfobins/cmake`, words: /^-(E|P|D|C|S|B)|^--(install|build|open)$/ },
  "npm|pnpm": npm,
  yarn: { source: "yarn(1)", long: names("cwd modules-folder use-yarnrc global-folder prefix registry") },
  bun: {
    source: `${gtfobins}/gtfobins/bun; bun --help`,
    short: "rce",
    long: names("cwd preload config eval print"),
  },
  node: {
    source: `node(1); ${gtfobins}/gtfobins/node`,
    short: "eprC",
    long: names(`
      eval print require import loader experimental-loader env-file env-file-if-exists openssl-config
      experimental-config-file diagnostic-dir report-directory report-filename redirect-warnings
      heap-prof-dir cpu-prof-dir trace-event-file-pattern inspect inspect-brk inspect-wait
      test-reporter test-reporter-destination icu-data-dir run build-snapshot experimental-sea-config
    `),
    harmless: ["test"],
    leading: true,
  },
  tsc: {
    source: "tsc --help --all",
    short: "pb",
    long: names(
      "project build outDir outFile declarationDir tsBuildInfoFile generateTrace generateCpuProfile",
    ),
    words: /^--(out[dD]ir|out[fF]ile)$/,
  },
  eslint: {
    source: "eslint command line reference: rules, parsers, plugins and formatters are code",
    short: "ocf",
    long: names(`
      fix fix-type output-file config rulesdir plugin resolve-plugins-relative-to parser format cache-location
      cache-file flag
    `),
    harmless: names("cache rule"),
  },
  prettier: {
    source: "prettier CLI reference",
    short: "w",
    long: names("write plugin config cache-location"),
    harmless: ["cache"],
  },
  biome: { source: "biome CLI reference", long: names("write fix apply unsafe config-path suppress") },
  "jest|vitest": {
    source: "jest and vitest CLI references",
    short: "cur",
    long: names(`
      config rootDir root dir outputFile reporters reporter globalSetup globalTeardown setupFiles setupFilesAfterEnv
      testEnvironment environment runner testRunner transform resolver update updateSnapshot coverageDirectory
      cacheDirectory api ui
    `),
    harmless: names("run coverage cache"),
  },
  "pytest|py.test": {
    source: "pytest command-line flags",
    short: "pco",
    valued: "kmrnW",
    long: names(`
      rootdir confcutdir basetemp junit-xml junitxml log-file pdbcls override-ini report-log pastebin
      config-file debug cov-report cov-config
    `),
    harmless: names("co cov pdb"),
  },
  ruff: {
    source: "ruff CLI reference",
    short: "o",
    long: names("fix unsafe-fixes output-file config cache-dir add-noqa"),
  },
  mypy: {
    source: "mypy CLI reference",
    long: names(`
      install-types config-file python-executable shadow-file cache-dir custom-typeshed-dir junit-xml
      any-exprs-report cobertura-xml-report html-report linecount-report txt-report xml-report xslt-html-report
    `),
  },
  "pip|pip3": {
    source: `pip(1); ${gtfobins}/gtfobins/pip`,
    short: "tdire",
    long: names(`
      log log-file python cache-dir target prefix root src index-url extra-index-url find-links report
      config-settings editable requirement dest
    `),
    harmless: ["pre"],
  },
  "gcc|g++|cc|c++|clang|clang++": {
    source: `GCC manual; ${gtfobins}/gtfobins/gcc`,
    words:
      /^(-o|-wrapper|-B|-fplugin|-specs|--specs|-iplugindir|-M[FD]|-save-temps|-dumpdir|@|-Xclang|-load|-x)/,
  },
  go: {
    source: "go help build, go help testflag, go help env",
    words:
      /^--?(o|C|w|u|exec|toolexec|overlay|modfile|vettool|ldflags|gcflags|asmflags|gccgoflags|compiler|pkgdir|outputdir|coverprofile|cpuprofile|memprofile|blockprofile|mutexprofile|trace|test\.\w+)(=|$)/,
  },
  cargo: {
    source: "cargo(1)",
    short: "CZ",
    valued: "pjF",
    long: names(
      "config manifest-path target-dir out-dir artifact-dir lockfile-path index registry root path",
    ),
    harmless: ["target"],
    words: /^\+/,
  },
  "mvn|mvnw": {
    source: "mvn(1)",
    long: names("file settings global-settings toolchains log-file define"),
    words: /^-(f|s|gs|t|gt|l)$|^-D/,
  },
  "gradle|gradlew": {
    source: "gradle command-line reference",
    short: "bcpIgDP",
    long: names(
      "build-file init-script project-dir settings-file gradle-user-home system-prop include-build",
    ),
  },
  docker: {
    source: `docker(1); ${gtfobins}/gtfobins/docker`,
    long: names("host context config output iidfile metadata-file cidfile"),
    words: /^-H/,
  },
  kubectl: {
    source: "kubectl options",
    long: names("kubeconfig server as token cache-dir raw"),
  },
}
