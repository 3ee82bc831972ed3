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
  dmesg: {
    source: "dmesg(1)",
    options: "-C -c -D -E -n --clear --read-clear --console-off --console-on --console-level",
    valued: "-l -f -F -s",
  },
  lsof: { source: "lsof(8): -D", options: "-D" },
  "apt|apt-get|apt-cache|apt-mark|apt-config|apt-file|aptitude": {
    source: `${gtfobins}/gtfobins/apt-get: APT::Update::Pre-Invoke`,
    options: "-o -c --option --config-file",
    valued: "-t",
    // Such an option revokes one such as -s.
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
  pacman: {
    source: "pacman(8): hooks are commands",
    options: "-b -r --hookdir --config --root --sysroot --dbpath --cachedir --gpgdir --logfile",
    valued: "-o -s",
  },
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
  sysctl: {
    source: "sysctl(8)",
    options: "-w -p -f --write --load --system",
    words: /^[\w./-]+=/,
  },
}
