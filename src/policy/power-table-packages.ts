/** Package managers. Of a subcommand that reads where nothing else is said, what changes something has to be named. */
import { gtfobins, type PowerTable } from "./power-table.ts"

const configuration = "set delete rm edit fix unset"

export const packageOptions: PowerTable = {
  "npm|pnpm": {
    source: `npm-config(7); ${gtfobins}/gtfobins/npm`,
    spelling: "any dashes",
    options: `
      -C -g -c --prefix --script-shell --node-options --userconfig --globalconfig --git --editor --shell --viewer
      --browser --init-module --cache --logs-dir --registry --call --package --dir --global-dir --modules-dir
      --store-dir --shell-emulator --node-gyp --pack-destination --config.
    `,
    harmless: "--global",
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
  gem: {
    source: "gem help: --config-file; exec, open and build run programs",
    options: "exec open build --config-file --editor",
    valued: "-v -s",
  },
  brew: { source: "brew(1): a formula that is given by its file or address is Ruby", words: /\.rb$|:\/\//i },
  "aws configure": {
    source: "aws configure help: credential_process is a command",
    options: "set import sso add-model",
  },
  "gcloud config": { source: "gcloud config --help", options: "set unset configurations" },
  "az config": { source: "az config --help", options: "set unset" },
  "bundle|bundler": {
    source: "bundle(1): another Gemfile is another program",
    options: "-r --gemfile --require",
  },
  composer: { source: `${gtfobins}/gtfobins/composer`, options: "-d --working-dir", spelling: "whole" },
  "pip config|pip3 config": { source: "pip config", options: configuration },
  "pip cache|pip3 cache": { source: "pip cache", options: "remove purge" },
}
