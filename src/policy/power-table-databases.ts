/** Programs that query data, and can write files and run commands beside it. */
import { gtfobins, type PowerTable } from "./power-table.ts"

export const databaseOptions: PowerTable = {
  yq: {
    source: "yq(1): --inplace, --split-exp",
    options: "-i -s --inplace --in-place --split-exp --split-exp-file",
    valued: "-o -p -I -w",
  },
  xmllint: { source: "xmllint(1)", spelling: "one dash", options: "-o --output --shell" },
  xsltproc: { source: "xsltproc(1)", spelling: "one dash", options: "-o --output --writesubtree" },
  "xmlstarlet|xml": { source: "xmlstarlet(1): ed -L", options: "-L --inplace" },
  sqlite3: {
    source: `sqlite3(1): dot-commands, of which any beginning stands for the whole; ${gtfobins}/gtfobins/sqlite3`,
    spelling: "one dash",
    options: "-cmd -init -ar -A* -archive --unsafe-testing",
    scripts: {
      operands: 1,
      input: true,
      // Of the dot-commands only those that show something.
      dangers:
        /(^|[\n;])\s*\.(?!(tables|schema|dump|mode|headers?|indexes|indices|databases|explain|eqp|width|nullvalue|separator|timeout|timer|stats|changes|echo|show|help|quit|exit)\b)|\b(load_extension|writefile|edit)\s*\(|\battach\b|\binto\b/i,
    },
  },
  psql: {
    source: `psql(1); ${gtfobins}/gtfobins/psql`,
    options: "-o -L -f -v --output --log-file --file --set --variable",
    valued: "-h -p -U -d -F -P -R -T",
    scripts: { options: "-c --command", input: true, dangers: /\\|\bcopy\b/i },
  },
  "mysql|mariadb": {
    source: `mysql(1); ${gtfobins}/gtfobins/mysql`,
    options: `
      --tee --pager --init-command --plugin-dir --default-auth --defaults-file --defaults-extra-file
      --load-data-local-dir --loose*
    `,
    scripts: {
      options: "-e --execute",
      input: true,
      dangers: /\\[!PTe.]|\b(system|tee|pager|source|outfile|dumpfile)\b/i,
    },
  },
}
