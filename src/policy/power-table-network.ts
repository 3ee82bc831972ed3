/** Programs that fetch, copy and scan over networks. */
import { names } from "./names.ts"
import { gtfobins, type PowerTable } from "./power-table.ts"

/** Every prefix of each name. */
const beginnings = (text: string): string =>
  names(text)
    .flatMap((name) => [...name].map((_, at) => name.slice(0, at + 1)))
    .join(" ")

export const networkOptions: PowerTable = {
  curl: {
    source: `curl(1); ${gtfobins}/gtfobins/curl`,
    options: `
      -o -O -J -K -c -D -T --output --output-dir --remote-name --remote-name-all --remote-header-name
      --config --cookie-jar --dump-header --trace --trace-ascii --stderr --libcurl --etag-save --hsts
      --alt-svc --engine --metalink --upload-file --unix-socket --abstract-unix-socket --ssl-sessions
      --expand-*
    `,
    valued: "-A -b -C -d -e -E -F -H -m -P -Q -r -t -u -U -w -x -X -y -Y -z",
    harmless: "--cookie",
    discards: "-o -D -c --output --dump-header --cookie-jar --stderr",
    // Since 8.3 the format of -w may name a file, and @ reads the format from one.
    scripts: { options: "-w --write-out", dangers: /%output\{|^@/ },
  },
  wget: {
    source: `wget(1); ${gtfobins}/gtfobins/wget`,
    options: `
      -O -o -a -P -e --output-document --output-file --append-output --directory-prefix --execute --config
      --use-askpass --rejected-log --save-cookies --hsts-file --warc-file --warc-tempdir --post-file
      --body-file --backups --content-disposition --trust-server-names --input-metalink --default-page
    `,
    valued: "-i -B -t -T -w -Q -U -l -A -R -D -I -X",
    discards: "-O -o -a --output-document --output-file --append-output",
  },
  rsync: {
    spelling: "whole",
    source: `rsync(1); ${gtfobins}/gtfobins/rsync`,
    options: `
      -e -T -M --rsh --rsync-path --log-file --write-batch --only-write-batch --partial-dir --temp-dir
      --backup-dir --remote-option --delete --delete-before --delete-during --delete-delay --delete-after
      --delete-excluded --delete-missing-args --del --remove-source-files --daemon --config
    `,
    valued: "-B -f -@",
    harmless: "--partial --backup",
  },
  ssh: {
    source: `ssh(1), ssh_config(5): ProxyCommand, LocalCommand; ${gtfobins}/gtfobins/ssh`,
    options: "-o -F -E -I -S -O",
    valued: "-B -b -c -D -e -i -l -L -m -p -Q -R -w -W -J",
    behind: "another's",
  },
  scp: {
    source: `scp(1): -S, -D; ${gtfobins}/gtfobins/scp`,
    options: "-S -o -F -D",
    valued: "-c -i -l -J -P -X",
  },
  sftp: {
    source: `sftp(1): -S, -D, -b; ${gtfobins}/gtfobins/sftp`,
    options: "-S -o -F -D -b -s",
    valued: "-B -c -i -l -J -P -R -X",
    // sftp reads commands; some of them run a shell, and others write.
    scripts: { input: true, dangers: /\S/ },
  },
  "ssh-keygen": {
    source: `ssh-keygen(1): actions but for -l, -F, -B, -y, -L, -i and -e; ${gtfobins}/gtfobins/ssh-keygen`,
    options: "-A -c -D -H -K -k -M -N -p -R -s -S -T -U -u -w -Y -Z",
    valued: "-a -b -C -E -F -f -I -m -n -O -P -t -V -z",
  },
  "ssh-add": {
    source: `ssh-add(1); ${gtfobins}/gtfobins/ssh-add`,
    options: "-D -d -e -K -S -s -X -x",
    valued: "-E -H -h -t",
  },
  "nc|ncat|netcat": {
    source: `${gtfobins}/gtfobins/nc; ncat(1)`,
    options: "-e -c -o --exec --sh-exec --lua-exec --output --hex-dump",
    valued: "-i -I -O -P -p -q -s -T -V -w -W -X -x",
  },
  tcpdump: {
    source: `tcpdump(1): -z, -w; ${gtfobins}/gtfobins/tcpdump`,
    options: "-w -z -F -V",
    valued: "-B -c -C -E -G -i -j -m -M -Q -r -s -T -W -y",
  },
  openssl: {
    source: `openssl(1); ${gtfobins}/gtfobins/openssl`,
    spelling: "one dash",
    options: `
      -out -outdir -certsout -respout -reqout -rspout -certout -chainout -cacertsout -extracertsout -crlout -signer -pre
      -post -module -keyout -writerand -engine -config -provider -provider-path -CAserial -CAcreateserial -sess_out
      -keylogfile -msgfile
    `,
  },
  gpg: {
    source: "gpg(1)",
    options: `
      -o --output --options --photo-viewer --exec-path --agent-program --dirmngr-program --logger-file
      --log-file --status-file --attribute-file --keyring --homedir --pinentry-program --primary-keyring
      --secret-keyring --multifile --decrypt-files --trustdb-name --use-embedded-filename --enable-special-filenames --command-file
    `,
    valued: "-r -u -N -z",
  },
  "gh|glab": {
    source: "gh(1), glab(1): the verb api, aliases and extensions",
    spelling: "whole",
    options: "-X -f -F --method --field --raw-field --input alias extension extensions ext",
    valued: `
      -H -q -t -R -B -b -L --body --title --repo --base --head --jq --template --label --assignee
    `,
  },
  "gh config|glab config": {
    source: "gh(1): pagers and editors are commands",
    options: "set edit clear-cache",
  },
  "gh repo": {
    source: "gh(1): what follows -- is git's",
    options: "-c -u --config --upload-pack --template",
    spelling: "whole",
    passes: "git-clone",
  },
  ss: { source: "ss(8)", options: "-K -D --kill --diag", valued: "-f -A -F -N" },
  ip: { source: "ip(8)", words: /^--?b(a|at|atc|atch)?$|^--?force$/ },
  "ip *": {
    source: `ip(8): any beginning of a verb stands for it, behind the object; ${gtfobins}/gtfobins/ip`,
    options: beginnings(
      "add delete set change chg replace append prepend flush execute save restore attach pids",
    ),
  },
}
