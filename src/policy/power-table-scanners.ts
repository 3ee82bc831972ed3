/** Programs that count, check and scan sources, packages and systems, and report what they find. */
import type { PowerTable } from "./power-table.ts"

export const scannerOptions: PowerTable = {
  cloc: {
    source: "cloc --help: --vcs and --extract-with are commands",
    spelling: "any dashes",
    options: `
      --out --report-file --sum-reports --extract-with --vcs --config --write-lang-def --write-lang-def-incl-dup
      --sql --categorized --counted --found --ignored --strip-comments --strip-code --sdir --original-dir
    `,
  },
  scc: { source: "scc --help", spelling: "whole", options: "-o --output --format-multi --mcp" },
  codespell: {
    source: "codespell --help",
    options: "-w -i --write-changes --interactive --config --toml --uri-ignore-words-list",
    valued: "-D -I -L -S -x",
  },
  typos: { source: "typos --help", spelling: "whole", options: "-w -c --write-changes --config" },
  cspell: {
    source: "cspell --help: configurations and reporters are code",
    spelling: "whole",
    options: "-c --config --reporter --cache-location --plugin --issue-template --report",
  },
  textlint: {
    source: "textlint --help",
    spelling: "whole",
    options: `
      -c -f -o --fix --config --plugin --preset --rule --rulesdir --rules-base-directory --format --output-file
      --cache-location --init
    `,
  },
  vale: { source: "vale --help", spelling: "whole", options: "--config --output --built sync" },
  sqlfluff: {
    source: "sqlfluff --help: templaters import what they are given",
    spelling: "whole",
    options: "fix format -f --config --write-output --templater --library-path --force",
  },
  djlint: { source: "djlint --help", options: "--reformat --configuration", spelling: "whole" },
  bandit: {
    source: "bandit --help",
    options: "-o -c -p --output --configfile --ini",
    valued: "-f -b -x -t -s -n",
  },
  "pip-audit": {
    source: "pip-audit --help: it installs what a file requires",
    options: "-o -r --output --requirement --fix --cache-dir --path",
    valued: "-f -s",
  },
  "osv-scanner": {
    source: "osv-scanner --help",
    spelling: "whole",
    options: "--output --output-file --config fix",
  },
  semgrep: {
    source: "semgrep --help",
    spelling: "whole",
    options: `
      -o -a --output --autofix --replacement --json-output --sarif-output --text-output --junit-xml-output
      --gitlab-sast-output --gitlab-secrets-output --emacs-output --vim-output --allow-local-builds --log-file
      --dangerously-*
    `,
    valued: "-c -e -f -j -l",
  },
  trivy: {
    source: "trivy --help: modules and plugins are code",
    spelling: "whole",
    options: `
      -o -c -t --output --config --template --cache-dir --module-dir --enable-modules --config-policy --config-check
      --ignore-policy --output-plugin-arg --generate-default-config plugin module
    `,
  },
  "grype|syft": {
    source: "syft --help: -o json=FILE writes",
    spelling: "whole",
    options: "-c -t --file --config --template",
    words: /^(-o|--output=)?[\w@.-]*=./,
    valued: "--exclude --from --source-name",
  },
  gitleaks: {
    source: "gitleaks --help",
    spelling: "whole",
    options: "-r -c --report-path --report-template --config --diagnostics --diagnostics-dir --log-opts",
    valued: "-b -f -l -i -s",
  },
  checkov: {
    source: "checkov --help: external checks are Python",
    options: `
      --output-file-path --external-checks-dir --external-checks-git --config-file --create-config --create-baseline
      --custom-tool-name --repo-root-for-plan-enrichment
    `,
  },
  tflint: { source: "tflint --help", spelling: "whole", options: "-c --fix --init --config --chdir" },
  tfsec: {
    source: "tfsec --help",
    spelling: "whole",
    options: "-O --out --custom-check-dir --config-file --rego-policy-dir",
  },
  "ansible-lint": {
    source: "ansible-lint --help: rules are Python",
    options: "-c -r -R -w --fix --write --config-file --rules-dir --project-dir --generate-ignore",
  },
  "ansible-inventory|ansible-doc|ansible-config": {
    source: "ansible-inventory(1): an inventory may be a program",
    options: `
      -i -M -c init --inventory --output --module-path --playbook-dir --vault-id --vault-password-file --config
    `,
  },
  swiftlint: {
    source: "swiftlint --help",
    spelling: "whole",
    options: "--fix --autocorrect --format --config --output --write-baseline --cache-path",
  },
  ktlint: {
    source: "ktlint --help",
    spelling: "whole",
    options: "-F -R --format --ruleset --reporter --baseline",
  },
  detekt: {
    source: "detekt --help",
    spelling: "one dash",
    options: "-c -p -r -ac --config --plugins --report --auto-correct --generate-config --create-baseline",
  },
  cppcheck: {
    source: "cppcheck --help: an addon is a program",
    spelling: "whole",
    options: `
      --addon --addon-python --dump --output-file --plist-output --cppcheck-build-dir --checkers-report --clang
      --premium --executor --project
    `,
  },
  lychee: {
    source: "lychee --help: --preprocess is a command",
    spelling: "whole",
    options: "-o -c -p --output --config --preprocess --cookie-jar --dump-inputs",
  },
  linkchecker: { source: "linkchecker(1)", options: "-F -f --file-output --config" },
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
  "standard|xo|tslint": {
    source: "standard --help, xo --help, tslint --help",
    spelling: "whole",
    options: `
      -c -r -o -t --fix --config --plugin --parser --reporter --rules-dir --out --formatters-dir --format --init
    `,
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
  "php-cs-fixer": { source: "php-cs-fixer help fix", spelling: "whole", options: "--config --cache-file" },
  actionlint: {
    source: "actionlint -h: -shellcheck and -pyflakes are programs",
    spelling: "one dash",
    options: "-shellcheck -pyflakes -config-file -init-config",
  },
  "nvidia-smi": {
    source: "nvidia-smi(1): -f writes, and most options set something",
    spelling: "one dash",
    options: `
      -f --filename --debug -pm --persistence-mode -e --ecc-config -p --reset-ecc-errors -c --compute-mode -gom --gom -r
      --gpu-reset -vm -lgc --lock-gpu-clocks -lmc --lock-memory-clocks -rgc -rmc -ac --applications-clocks -rac -pl
      --power-limit -cc --cuda-clocks -am --accounting-mode -caa --clear-accounted-apps -mig --multi-instance-gpu -gtt
    `,
  },
  hwinfo: { source: "hwinfo(8)", spelling: "whole", options: "--log --save-config" },
  dmidecode: { source: "dmidecode(8)", options: "--dump-bin" },
  "dstat|pcp": { source: "dstat(1)", options: "--output --profile" },
  atop: { source: "atop(1)", options: "-w" },
  glances: {
    source: "glances --help",
    options: "-C -s -w --config --export --export-* --webserver --server --plugins --fetch-template",
  },
  ncdu: { source: "ncdu(1)", options: "-o -O --enable-shell --enable-delete", discards: "-o -O" },
  gdu: {
    source: "gdu --help",
    spelling: "whole",
    options: "-o -l --output-file --log-file --config-file --write-config",
  },
}
