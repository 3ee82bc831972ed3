/** Programs that query data, and can also write files and run commands. */
import { gtfobins, type PowerTable } from "./power-table.ts"

const redisPowers =
  "acl|bgrewriteaof|bgsave|config|debug|eval\\w*|failover|fcall\\w*|function|migrate|module|replicaof|save|script|shutdown|slaveof"

export const databaseOptions: PowerTable = {
  yq: {
    source: "yq(1): --inplace, --split-exp; its operator `system` runs a command",
    options: "-i -s --inplace --in-place --split-exp --split-exp-file --security-enable-system-operator",
    valued: "-o -p -I -w",
  },
  sqlite3: {
    source: `sqlite3(1): dot-commands, of which any beginning stands for the whole; ${gtfobins}/gtfobins/sqlite3`,
    spelling: "one dash",
    options: "-cmd -init -ar -A* -archive --unsafe-testing",
    scripts: {
      operands: 1,
      input: true,
      // All dot-commands except those that only show something.
      dangers:
        /(^|[\n;])\s*\.(?!(tables|schema|dump|mode|headers?|indexes|indices|databases|explain|eqp|width|nullvalue|separator|timeout|timer|stats|changes|echo|show|help|quit|exit)\b)|\b(load_extension|writefile|edit)\s*\(|\battach\b|\binto\b/i,
    },
  },
  psql: {
    source: `psql(1); ${gtfobins}/gtfobins/psql`,
    options: "-o -L -f -v --output --log-file --file --set --variable",
    valued: "-h -p -U -d -F -P -R -T",
    scripts: { options: "-c --command", input: true, dangers: /\\|\bcopy\b|\blo_export\b/i },
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
  "mysqldump|mariadb-dump|mysqlpump": {
    source: "mysqldump(1)",
    options:
      "-r -T --result-file --tab --log-error --plugin-dir --default-auth --defaults-file --defaults-extra-file",
    valued: "-h -u -P -S -w",
  },
  "pg_dump|pg_dumpall|pg_restore": { source: "pg_dump(1)", options: "-f --file", discards: "-f --file" },
  "redis-cli|valkey-cli": {
    source: "redis-cli --help: --rdb writes; of commands, what loads code or says where the server writes",
    spelling: "whole",
    options: "-x -X --rdb --functions-rdb --eval --pipe --cluster --replica --slave --ldb --ldb-sync-mode",
    valued: "-h -p -s -a -u -r -i -n -d -D -t --user --pass",
    words: new RegExp(`^(${redisPowers})$`, "i"),
    scripts: { input: true, dangers: new RegExp(`\\b(${redisPowers})\\b`, "i") },
    pairs:
      /^(config (get|help)|acl (cat|getuser|help|list|users|whoami)|(function|module) (help|list)|script (exists|help))$/i,
  },
}
