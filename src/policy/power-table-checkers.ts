/** Linters, formatters and test runners: their plugins, formatters and set-ups are code. */
import type { PowerTable } from "./power-table.ts"

export const checkerOptions: PowerTable = {
  eslint: {
    source: "eslint command line reference",
    spelling: "whole",
    pairs: /^(-f|--format) (stylish|json)$/,
    options: `
      -o -c -f --fix --fix-type --output-file --config --rulesdir --plugin --resolve-plugins-relative-to --parser
      --format --cache-location --cache-file --flag --init --inspect-config --suppress-all --suppress-rule
      --suppressions-location --prune-suppressions --mcp
    `,
  },
  prettier: {
    source: "prettier CLI reference",
    spelling: "whole",
    options: "-w --write --plugin --plugin-search-dir --parser --config --cache-location",
  },
  biome: {
    source: "biome CLI reference",
    spelling: "whole",
    options:
      "--write --fix --apply --apply-unsafe --unsafe --config-path --suppress --reporter-file --log-file --log-path",
  },
  stylelint: {
    source: "stylelint CLI reference",
    spelling: "whole",
    options: `
      -f -o --fix --config --config-basedir --custom-formatter --custom-syntax --formatter --output-file
      --cache-location
    `,
  },
  jest: {
    source: "jest CLI reference",
    spelling: "whole",
    pairs: /^--reporters (default|summary|github-actions)$/,
    options: `
      -c -u --config --rootDir --roots --projects --preset --outputFile --reporters --globalSetup --globalTeardown
      --globals --setupFiles --setupFilesAfterEnv --setupTestFrameworkScriptFile --env --testEnvironment
      --testEnvironmentOptions --runner --testRunner --testSequencer --testResultsProcessor --transform --resolver
      --filter --haste --dependencyExtractor --snapshotResolver --snapshotSerializers --snapshotFormat
      --moduleNameMapper --modulePaths --moduleDirectories --moduleLoader --prettierPath --updateSnapshot
      --coverageDirectory --coverageReporters --cacheDirectory --clearCache --init --watchPlugins
    `,
  },
  vitest: {
    source: "vitest CLI reference; what is written with dots is configuration",
    spelling: "whole",
    pairs: /^--reporter (default|basic|verbose|dot|tap|tap-flat|json|junit|hanging-process|github-actions)$/,
    options: `
      -c -u -r --config --root --dir --outputFile --outputJson --json --reporter --reporters --environment
      --globalSetup --setupFiles --runner --update --api --ui --open --diff --pool --execArgv --attachmentsDir
      --configLoader --mergeReports --clearCache --snapshotSerializers --inspect --inspectBrk
      --coverage. --poolOptions. --browser --typecheck. --sequence. --server. --deps. --cache. --benchmark.
      --experimental. --alias --environmentOptions --workspace
    `,
    harmless: `
      --coverage.enabled --coverage.provider --coverage.include --coverage.exclude --coverage.all
      --coverage.thresholds --coverage.skipFull --typecheck.enabled --typecheck.only --sequence.shuffle
      --sequence.seed
    `,
  },
  mocha: {
    source: "mocha CLI reference",
    spelling: "whole",
    pairs: /^(-R|--reporter) (dot|doc|json|json-stream|landing|list|min|nyan|progress|spec|tap)$/,
    options: `
      -r -R -O -u -n --require --import --loader --experimental-loader --config --package --reporter --reporter-option
      --reporter-options --ui --file --node-option
    `,
  },
  playwright: {
    source: "playwright test --help",
    spelling: "whole",
    pairs: /^--reporter (list|line|dot|json|junit|github)$/,
    options: "-c -u --config --output --reporter --update-snapshots --ui --ui-host --tsconfig",
  },
  "pytest|py.test": {
    source: "pytest command-line flags; @FILE holds options, --tx of pytest-xdist runs a Python",
    options: `
      -p -c -o -d --rootdir --confcutdir --basetemp --junit-xml --junitxml --log-file --pdbcls --override-ini
      --report-log --pastebin --config-file --debug --cov-report --cov-config --tx --rsyncdir --html --css
      --json-report-file --benchmark-json --benchmark-save --benchmark-storage --snapshot-update @*
    `,
    valued: "-k -m -r -n -W",
    harmless: "--co --cov --pdb",
  },
  ruff: {
    source: "ruff CLI reference; @FILE holds options",
    spelling: "whole",
    options:
      "-o --fix --fix-only --unsafe-fixes --output-file --config --cache-dir --add-noqa --add-ignore @*",
  },
  black: { source: "black --help", spelling: "whole", options: "-c --code --config" },
  pylint: {
    source: "pylint --help: --init-hook is code",
    options:
      "-f --init-hook --load-plugins --rcfile --output --output-format --import-graph --ext-import-graph @*",
    valued: "-d -e -j",
  },
  flake8: { source: "flake8 --help", options: "--output-file --tee --config --append-config --format" },
  isort: {
    source: "isort --help",
    options: "--settings-path --settings-file --settings --sp --config-root --overwrite-in-place",
  },
  "autopep8|yapf": { source: "autopep8 --help, yapf --help", options: "-i --in-place" },
  shfmt: { source: "shfmt -h", spelling: "any dashes", options: "-w --write" },
  pyright: {
    source: "pyright --help",
    spelling: "whole",
    options:
      "-p -t -v --project --createstub --pythonpath --typeshedpath --typeshed-path --venvpath --venv-path",
  },
  rubocop: {
    source: "rubocop --help",
    options: `
      -a -A -x -o -r -c -f --autocorrect --auto-correct --autocorrect-all --auto-correct-all --fix-layout --out --require
      --plugin --config --format --auto-gen-config --init --cache-root --regenerate-todo
    `,
  },
  "golangci-lint": {
    source: "golangci-lint run --help",
    spelling: "whole",
    options: "-c --fix --config --out-format --output. --cpu-profile-path --mem-profile-path --trace-path",
  },
  "clang-tidy|clang-format": {
    source: "clang-tidy --help, clang-format --help",
    spelling: "one dash",
    options:
      "-i -p -fix* --fix* --export-fixes* --config* --extra-arg* --load* --vfsoverlay* --store-check-profile* @*",
  },
  mypy: {
    source: "mypy CLI reference; @FILE holds options",
    options: `
      -c --command --install-types --config-file --python-executable --shadow-file --cache-dir --cache-map
      --custom-typeshed-dir --custom-typing-module --junit-xml --any-exprs-report --cobertura-xml-report
      --html-report --linecount-report --linecoverage-report --lineprecision-report --memory-xml-report
      --txt-report --xml-report --xslt-html-report --xslt-txt-report --timing-stats --line-checking-stats
      --quickstart-file @*
    `,
  },
  codespell: {
    source: "codespell --help",
    options: "-w -i --write-changes --interactive --config --toml --uri-ignore-words-list",
    valued: "-D -I -L -S -x",
  },
  knip: {
    source: "knip --help: configurations, reporters and preprocessors are code",
    spelling: "whole",
    options:
      "-c -f --fix --fix-type --allow-remove-files --format --config --reporter --preprocessor --tsConfig",
  },
  oxlint: {
    source: "oxlint --help",
    spelling: "whole",
    options: "-c --fix --fix-suggestions --fix-dangerously --config --init",
  },
  phpunit: {
    source: "phpunit --help",
    spelling: "whole",
    options: `
      -c -d --configuration --bootstrap --prepend --log-* --coverage-* --testdox-* --printer --extension --extensions
      --cache-directory --cache-result-file --include-path --generate-* --migrate-configuration --manifest --whitelist --loader
    `,
  },
  "phpstan|psalm": {
    source: "phpstan --help, psalm --help",
    spelling: "whole",
    options: `
      -a -b -c -r --configuration --autoload-file --generate-baseline --config --root --alter --plugin --report --init
      --set-baseline --update-baseline --generate-json-map --generate-stubs --fix
    `,
  },
}
