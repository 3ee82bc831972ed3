/** Programs that show the state of the system, and can change it. */
import { gtfobins, type PowerTable } from "./power-table.ts"

export const systemOptions: PowerTable = {
  sudo: {
    source: "sudo(8): --chdir, --chroot; another folder means another command",
    options: "-D -R --chdir --chroot",
    valued: "-C -g -h -p -T -U -u -r -t",
    behind: "another's",
  },
  journalctl: {
    source: "journalctl(1)",
    options: `
      --vacuum-size --vacuum-time --vacuum-files --rotate --flush --relinquish-var --smart-relinquish-var
      --sync --cursor-file --setup-keys --update-catalog
    `,
  },
  systemctl: {
    source: "systemctl(1)",
    options: "-H -M --host --machine --root --image",
    valued: "-t -p -n -o -s",
  },
  "systemd-analyze|busctl|loginctl|networkctl|hostnamectl|timedatectl|localectl|machinectl|coredumpctl": {
    source:
      "systemd-analyze(1) and the pages of the others: -H runs ssh; verbs that set, end, write or run something",
    options: `
      -H -M --host --machine --root --image --generators --debugger --output --adjust-system-clock
      log-level log-target set-log-level set-log-target service-watchdogs
      call emit set-property capture
      terminate-session terminate-user terminate-seat kill-session kill-user lock-session unlock-session lock-sessions
      unlock-sessions activate attach flush-devices enable-linger disable-linger
      up down renew forcerenew reconfigure reload edit delete mask unmask
      set-hostname hostname icon-name set-icon-name chassis set-chassis deployment set-deployment location set-location
      set-time set-timezone set-local-rtc set-ntp ntp-servers revert
      set-locale set-keymap set-x11-keymap
      login shell start enable disable poweroff reboot terminate kill bind copy-to copy-from clone rename read-only remove
      set-limit clean import-tar import-raw import-fs export-tar export-raw pull-tar pull-raw
      debug gdb
    `,
    valued: "-p -n -s",
  },
  udevadm: {
    source: "udevadm(8)",
    options: "trigger control hwdb lock test-builtin --exit --reload --update",
  },
  fuser: { source: "fuser(1)", options: "-k --kill", valued: "-n -N" },
  pmap: { source: "pmap(1)", options: "-n -N --create-rc --create-rc-to" },
  blkid: {
    source: "blkid(8): -c names the cache that it writes",
    options: "-c -g --cache-file --garbage-collect",
    valued: "-L -n -o -O -s -S -t -u -U",
    discards: "-c --cache-file",
  },
  "lastlog|faillog": {
    source: "lastlog(8), faillog(8)",
    options: "-C -S -r -m -l -R -P --clear --set --reset --maximum --lock-secs --root --prefix",
    valued: "-b -t -u",
  },
  dmesg: {
    source: "dmesg(1)",
    options: "-C -c -D -E -n --clear --read-clear --console-off --console-on --console-level",
    valued: "-l -f -F -s",
  },
  pidstat: { source: "pidstat(1): -e runs a program", options: "-e" },
  sar: { source: "sar(1): -o", options: "-o" },
  lsof: { source: "lsof(8): -D", options: "-D" },
  "apt|apt-get|apt-cache|apt-mark|apt-config|apt-file|aptitude": {
    source: `${gtfobins}/gtfobins/apt-get: APT::Update::Pre-Invoke`,
    options: "-o -c --option --config-file",
    valued: "-t",
    // It takes back an option such as -s.
    words: /^-[A-Za-z]+=(no|false|without|off|disable|0)$/i,
  },
  dpkg: {
    source: `dpkg(1); ${gtfobins}/gtfobins/dpkg`,
    options: "--pre-invoke --post-invoke --root --instdir --admindir --log --command-fd",
  },
  "dpkg-query": { source: "dpkg-query(1)", options: "--root --admindir", valued: "-f" },
  "dnf|yum|microdnf": {
    source: `${gtfobins}/gtfobins/dnf: plug-ins are Python`,
    options: "-c --config --setopt --installroot --repofrompath --downloaddir --destdir --enableplugin",
  },
  zypper: {
    source: "zypper(8)",
    options:
      "-R -c -p --root --installroot --config --plus-repo --reposd-dir --cache-dir --solv-cache-dir --pkg-cache-dir",
  },
  pacman: {
    source: "pacman(8): hooks are commands",
    options: "-b -r --hookdir --config --root --sysroot --dbpath --cachedir --gpgdir --logfile",
    valued: "-o -s",
  },
  apk: { source: "apk(8)", options: "-p -X --root --repository --repositories-file --keys-dir --cache-dir" },
  "rpm|rpmquery|rpmverify|rpmdb": {
    source: `rpm(8); ${gtfobins}/gtfobins/rpm`,
    options: "-E -D --eval --pipe --define --root --dbpath --predefine --rcfile --macros --load",
  },
  crontab: { source: "crontab(1): an operand is installed", options: "-e -r -u", output: 0 },
  "hostname|domainname|nisdomainname|ypdomainname": {
    source: "hostname(1): an operand is the name to set",
    options: "-F -b --file --boot",
    output: 0,
  },
  hwclock: { source: "hwclock(8)", options: "-w -s --set --systohc --hctosys --adjust --systz" },
  sysctl: {
    source: "sysctl(8)",
    options: "-w -p -f --write --load --system",
    words: /^[\w./-]+=/,
  },
}
