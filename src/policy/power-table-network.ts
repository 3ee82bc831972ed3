/** Programs that fetch, copy and look over networks. */
import { names } from "./names.ts"
import type { PowerTable } from "./power-options.ts"

const gtfobins = "https://gtfobins.github.io"

export const networkOptions: PowerTable = {
  curl: {
    source: `curl(1); ${gtfobins}/gtfobins/curl`,
    short: "oOJKcDT",
    valued: "AbCdeEFHmPQrtuUwxXyYz",
    long: names(`
      output output-dir remote-name remote-name-all remote-header-name config cookie-jar dump-header trace trace-ascii
      stderr libcurl etag-save hsts alt-svc engine metalink upload-file unix-socket abstract-unix-socket ssl-sessions
    `),
    harmless: names("cookie"),
    // Since 8.3 the format of -w may name a file, @ reads the format from one, and --expand-… stands for other options.
    words: /%output\{|^(-\w*w|--wr[a-z-]*=)@|^--expand-/,
    taken: /^(-\w*w|--wr[a-z-]*)\0@/,
    script: /^(-\w*w|--wr)/,
    discards: /^(-[fgikLnNqsSv#]*o|--output)$/,
  },
  wget: {
    source: `wget(1); ${gtfobins}/gtfobins/wget`,
    short: "OoaPe",
    valued: "iBtTwQUlARDIX",
    long: names(`
      output-document output-file append-output directory-prefix execute config use-askpass rejected-log save-cookies
      hsts-file warc-file warc-tempdir post-file body-file backups
    `),
    discards: /^(-[cNqSv]*[Oo]|--output-(document|file))$/,
  },
  aria2c: {
    source: `${gtfobins}/gtfobins/aria2c`,
    short: "odlij",
    long: names(`
      on-download-complete on-download-start on-download-error on-download-pause on-download-stop on-bt-download-complete
      out dir log conf-path save-session input-file save-cookies
    `),
  },
  rsync: {
    source: `rsync(1); ${gtfobins}/gtfobins/rsync`,
    short: "eTM",
    valued: "Bf@",
    long: names(`
      rsh rsync-path log-file write-batch only-write-batch partial-dir temp-dir backup-dir remote-option
      delete delete-before delete-during delete-delay delete-after delete-excluded delete-missing-args del
      remove-source-files daemon config
    `),
    harmless: names("partial backup"),
  },
  ssh: {
    source: `ssh(1), ssh_config(5): ProxyCommand, LocalCommand; ${gtfobins}/gtfobins/ssh`,
    short: "oFEISO",
    valued: "BbcDeilLmpQRwWJ",
    leading: true,
  },
  scp: {
    source: `scp(1): -S, -D; ${gtfobins}/gtfobins/scp`,
    short: "SoFD",
    valued: "cilJPX",
  },
  sftp: {
    source: `sftp(1): -S, -D, -b; ${gtfobins}/gtfobins/sftp`,
    short: "SoFDbs",
    valued: "BcilJPRX",
  },
  "ssh-keygen|ssh-add": { source: `${gtfobins}/gtfobins/ssh-keygen; ssh-add(1)`, short: "DwsS" },
  "nc|ncat|netcat": {
    source: `${gtfobins}/gtfobins/nc; ncat(1)`,
    short: "eco",
    valued: "iIOPpqsTVwWXx",
    long: names("exec sh-exec lua-exec output hex-dump"),
  },
  nmap: {
    source: `nmap(1); ${gtfobins}/gtfobins/nmap`,
    words: /^(-o|-sC|-A|--(script|datadir|servicedb|resume|interactive|append-output|stylesheet))/,
  },
  tcpdump: {
    source: `tcpdump(1): -z, -w; ${gtfobins}/gtfobins/tcpdump`,
    short: "wzFV",
    valued: "BcCEGijmMQrsTWy",
  },
  openssl: {
    source: `openssl(1); ${gtfobins}/gtfobins/openssl`,
    words:
      /^--?(out|keyout|writerand|engine|config|provider|provider-path|CAserial|CAcreateserial|sess_out|keylogfile|msgfile)(=|$)/,
  },
  gpg: {
    source: "gpg(1)",
    short: "o",
    valued: "ruNKzi",
    long: names(`
      output options photo-viewer exec-path agent-program dirmngr-program logger-file log-file status-file
      attribute-file keyring homedir pinentry-program
    `),
  },
  gh: {
    source: "gh(1): gh api",
    short: "XfF",
    valued: "HqtRBbL",
    long: names("method field raw-field input"),
    words: /^(alias|extension)$/,
  },
  ss: { source: "ss(8)", short: "KD", valued: "fAFN", long: names("kill diag") },
  ip: {
    source: `ip(8): any beginning of a verb stands for it, behind the object; ${gtfobins}/gtfobins/ip`,
    words:
      /^(ad|add|de|del|dele|delet|delete|se|set|ch|cha|chan|chang|change|chg|re|rep|repl|repla|replac|replace|ap|app|appe|appen|append|pr|pre|prep|prepe|prepen|prepend|fl|flu|flus|flush|ex|exe|exec|sa|sav|save|res|rest|resto|restor|restore|att|attach|pids?)$|^-b(a|at|atc|atch)?$|^-force$/,
    verb: /^[adscrepf]$/,
  },
}
