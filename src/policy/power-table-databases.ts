/** Programs that query data, and can write files and run commands beside it. */
import { names } from "./names.ts"
import type { PowerTable } from "./power-options.ts"

const gtfobins = "https://gtfobins.github.io"

export const databaseOptions: PowerTable = {
  yq: {
    source: "yq(1): --inplace, --split-exp",
    short: "is",
    valued: "opIw",
    long: names("inplace in-place split-exp split-exp-file"),
  },
  xmllint: { source: "xmllint(1)", words: /^(--?output|-o|--shell)$/ },
  xsltproc: { source: "xsltproc(1)", words: /^--?(output|o|writesubtree)$/ },
  "xmlstarlet|xml": { source: "xmlstarlet(1): ed -L", short: "L", long: ["inplace"] },
  sqlite3: {
    source: `sqlite3(1): dot-commands, of which any beginning stands for the whole; ${gtfobins}/gtfobins/sqlite3`,
    // Of the dot-commands only those that show something.
    words:
      /^--?(cmd|init|ar|A|unsafe-testing)|(^|[\n;])\s*\.(?!(tables|schema|dump|mode|headers?|indexes|indices|databases|explain|eqp|width|nullvalue|separator|timeout|timer|stats|changes|echo|show|help|quit|exit)\b)|\b(load_extension|writefile|edit)\s*\(|\battach\b|\binto\b/i,
    scriptOperand: 1,
    readsScript: true,
  },
  psql: {
    source: `psql(1); ${gtfobins}/gtfobins/psql`,
    short: "oLfv",
    valued: "hpUdFPRT",
    long: names("output log-file file set variable"),
    words: /\\|\bcopy\b/i,
    script: /^(-\w*c|--c)/,
    readsScript: true,
  },
  "mysql|mariadb": {
    source: `mysql(1); ${gtfobins}/gtfobins/mysql`,
    long: names(
      "tee pager init-command plugin-dir default-auth defaults-file defaults-extra-file load-data-local-dir",
    ),
    words: /\\[!PTe.]|\b(system|tee|pager|source|outfile|dumpfile)\b/i,
    script: /^(-\w*e|--e)/,
    readsScript: true,
  },
}
