/** Programs that show the state of the system, and can change it. */
import { names } from "./names.ts"
import type { PowerTable } from "./power-options.ts"

const gtfobins = "https://gtfobins.github.io"

export const systemOptions: PowerTable = {
  sudo: {
    source: "sudo(8): --chdir, --chroot; another folder means another command",
    short: "DR",
    valued: "CghpTUurt",
    long: names("chdir chroot"),
    leading: true,
  },
  journalctl: {
    source: "journalctl(1)",
    long: names(`
      vacuum-size vacuum-time vacuum-files rotate flush relinquish-var smart-relinquish-var sync cursor-file
      setup-keys update-catalog
    `),
  },
  systemctl: { source: "systemctl(1)", short: "HM", valued: "tpnos", long: names("host machine root image") },
  dmesg: {
    source: "dmesg(1)",
    short: "CcDEn",
    valued: "lfFs",
    long: names("clear read-clear console-off console-on console-level"),
  },
  lsof: { source: "lsof(8): -D", short: "D" },
  "apt|apt-get|apt-cache": {
    source: `${gtfobins}/gtfobins/apt-get: APT::Update::Pre-Invoke`,
    short: "oc",
    valued: "t",
    long: names("option config-file"),
  },
  dpkg: {
    source: `dpkg(1); ${gtfobins}/gtfobins/dpkg`,
    long: names("pre-invoke post-invoke root instdir admindir log command-fd"),
  },
  rpm: {
    source: `rpm(8); ${gtfobins}/gtfobins/rpm`,
    short: "ED",
    long: names("eval pipe define root dbpath predefine rcfile macros load"),
  },
  crontab: { source: "crontab(1): an operand is installed", short: "eru", output: 0 },
  "hostname|domainname|nisdomainname|ypdomainname": {
    source: "hostname(1): an operand is the name to set",
    short: "Fb",
    long: names("file boot"),
    output: 0,
  },
  hwclock: { source: "hwclock(8)", short: "ws", long: names("set systohc hctosys adjust systz") },
  sysctl: {
    source: "sysctl(8)",
    short: "wp",
    long: names("write load system"),
    words: /^[\w./-]+=/,
  },
}
