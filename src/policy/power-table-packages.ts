/** Package managers. For a subcommand that reads by default, a rule has to name the word that changes something. */
import { gtfobins, type PowerOptions, type PowerTable } from "./power-table.ts"

const uv = {
  source: "uv help: another folder, configuration or index is another program, and so is --python FILE",
  spelling: "whole",
  options: `
    -o --directory --project --config-file --cache-dir --env-file --index --default-index --index-url --extra-index-url
    --find-links --target --prefix --output-file
  `,
  valued:
    "-m -w --module --with --with-requirements --with-editable --extra --group --only-group --no-group --from",
  // A version is not a file.
  words: /^-p(?!\d+(\.\d+)*$)|^--python(?==(?!\d+(\.\d+)*$)|$)/,
  pairs: /^(-p|--python) \d+(\.\d+)*$/,
} as const satisfies PowerOptions

const poetry = {
  source: "poetry help",
  spelling: "whole",
  options: "-C -P --directory --project",
} as const satisfies PowerOptions

const awsOutput = {
  source: "aws help: what they get is written to their operand",
  spelling: "whole",
  output: 0,
} as const satisfies PowerOptions

const configuration = "set delete rm edit fix unset"

export const packageOptions: PowerTable = {
  "npm|pnpm": {
    source: `npm-config(7); ${gtfobins}/gtfobins/npm`,
    spelling: "any dashes",
    options: `
      -C -g -c --prefix --script-shell --node-options --userconfig --globalconfig --git --editor --shell --viewer
      --browser --init-module --cache --logs-dir --registry --call --package --dir --global-dir --modules-dir
      --store-dir --shell-emulator --node-gyp --pack-destination --config. --global --location --@* -@*
    `,
  },
  pnpm: {
    source: "pnpm settings: a pnpmfile is code, which all commands load",
    spelling: "any dashes",
    options: `
      --pnpmfile --global-pnpmfile --virtual-store-dir --lockfile-dir --state-dir --global-bin-dir --npm-path
      --use-node-version
    `,
  },
  "npx|pnpx|bunx": {
    source: "npx(1)",
    spelling: "any dashes",
    options: `
      -c -p --call --package --prefix --script-shell --shell --node-options --userconfig --globalconfig --registry
      --cache --bun
    `,
    behind: "another's",
  },
  "npm config|npm c|pnpm config|pnpm c|yarn config": { source: "npm-config(1)", options: configuration },
  "npm version|npm verison|pnpm version": {
    source: "npm-version(1): an operand is the version to set",
    spelling: "any dashes",
    output: 0,
  },
  "npm pkg|pnpm pkg": { source: "npm-pkg(1)", options: "set delete fix" },
  "npm audit": { source: "npm-audit(1)", options: "fix" },
  "pnpm audit": { source: "pnpm audit", spelling: "whole", options: "--fix fix" },
  "npm dist-tag|npm dist-tags": { source: "npm-dist-tag(1)", options: "add set rm remove" },
  "npm owner|npm author": { source: "npm-owner(1)", options: "add rm remove" },
  "npm token": { source: "npm-token(1)", options: "create revoke delete remove rm" },
  "npm profile": { source: "npm-profile(1)", options: "set enable-2fa disable-2fa enable-tfa disable-tfa" },
  "npm access": { source: "npm-access(1)", options: "set grant revoke" },
  "npm cache": { source: "npm-cache(1)", options: "add clean clear rm npx" },
  yarn: {
    source: "yarn(1)",
    spelling: "whole",
    options: "--cwd --modules-folder --use-yarnrc --global-folder --prefix --registry",
  },
  bun: {
    source: `${gtfobins}/gtfobins/bun; bun --help`,
    spelling: "whole",
    options: "-r -c -e --cwd --preload --config --eval --print --reporter-outfile",
  },
  "pip|pip3": {
    source: `pip(1); ${gtfobins}/gtfobins/pip`,
    options: `
      -t -d -i -r -e -w --wheel-dir --log --log-file --python --cache-dir --target --prefix --root --src --index-url
      --extra-index-url --find-links --report --config-settings --editable --requirement --dest
    `,
    harmless: "--pre",
  },
  "uv|uv run|uvx|uv tool run": { ...uv, behind: "another's" },
  "uv add|uv build|uv cache|uv export|uv format|uv init|uv lock|uv pip|uv publish|uv python|uv remove|uv sync|uv tree":
    uv,
  "uv venv|uv version|uv tool list|uv tool install|uv tool upgrade": uv,
  poetry: { ...poetry, behind: "another's" },
  "poetry about|poetry add|poetry build|poetry cache|poetry check|poetry env|poetry export|poetry install|poetry list":
    poetry,
  "poetry lock|poetry remove|poetry search|poetry self|poetry show|poetry source|poetry update|poetry version":
    poetry,
  "poetry config": { source: "poetry config", options: "--unset --migrate", output: 1, reads: "--list" },
  gem: {
    source: "gem help: --config-file; exec, open and build run programs",
    options: "exec open build --config-file --editor",
    valued: "-v -s",
  },
  brew: {
    source: "brew(1): a formula that is given by its file or address is Ruby",
    options: "sh ruby irb bundle",
    words: /\.rb$|:\/\//i,
  },
  "aws configure": {
    source: "aws configure help: credential_process is a command",
    options: "set import sso add-model",
  },
  "aws s3api get-object|aws s3api select-object-content|aws lambda invoke|aws glacier get-job-output":
    awsOutput,
  "aws ebs get-snapshot-block|aws apigateway get-export|aws apigateway get-sdk": awsOutput,
  "aws codeartifact get-package-version-asset|aws bedrock-runtime invoke-model": awsOutput,
  "gcloud config": { source: "gcloud config --help", options: "set unset configurations" },
  "az config": { source: "az config --help", options: "set unset" },
  "bundle|bundler": {
    source: "bundle(1): another Gemfile is another program",
    options: "-r --gemfile --require",
  },
  "bundle config": { source: "bundle-config(1)", options: "set unset", output: 1, reads: "get list" },
  "composer config": { source: "composer config", options: "-e --unset --editor", output: 1 },
  composer: { source: `${gtfobins}/gtfobins/composer`, options: "-d --working-dir", spelling: "whole" },
  "pip config|pip3 config": { source: "pip config", options: configuration },
  "pip cache|pip3 cache": { source: "pip cache", options: "remove purge" },
}
