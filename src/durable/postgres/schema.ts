/** The tables of a Postgres store. All their names begin with `stepline_`, so that the database may have other tables. */

import { receiptsMark } from "../poisoned.ts"

/** The version that this stepline writes. A store of version 1 has the same tables, with snapshots of version 1. */
export const storeVersion = 2

/**
 * `runners`: the processes that run calls, while their leases last. `agents`: all agents with calls, tasks or actions, and the
 * runner of each. `calls.fresh`: not taken in by any runner yet. `events.source`: the runner and its number for the event, so
 * that no event is stored twice; the same for `requests.key`.
 */
export const schema = `
CREATE TABLE stepline_meta (key text PRIMARY KEY, value bigint NOT NULL);
CREATE TABLE stepline_runners (id bigserial PRIMARY KEY, expires_at timestamptz NOT NULL);
CREATE TABLE stepline_agents (
  agent_id text PRIMARY KEY,
  runner bigint REFERENCES stepline_runners ON DELETE SET NULL
);
CREATE INDEX stepline_agents_runner ON stepline_agents (runner);
CREATE INDEX stepline_agents_free ON stepline_agents (agent_id) WHERE runner IS NULL;
CREATE TABLE stepline_calls (
  seq bigserial PRIMARY KEY,
  call_id text NOT NULL UNIQUE,
  agent_id text NOT NULL,
  name text NOT NULL,
  fresh boolean NOT NULL DEFAULT false,
  asks boolean NOT NULL DEFAULT false,
  background boolean NOT NULL DEFAULT false,
  snapshot text,
  deadline bigint,
  result text,
  ended_at bigint
);
CREATE INDEX stepline_calls_open ON stepline_calls (agent_id, seq) WHERE ended_at IS NULL;
CREATE INDEX stepline_calls_fresh ON stepline_calls (seq) WHERE fresh;
CREATE INDEX stepline_calls_asking ON stepline_calls (seq) WHERE asks;
CREATE INDEX stepline_calls_background ON stepline_calls (seq) WHERE background AND ended_at IS NULL;
CREATE INDEX stepline_calls_ended ON stepline_calls (ended_at) WHERE ended_at IS NOT NULL;
CREATE TABLE stepline_events (
  seq bigint PRIMARY KEY,
  source text NOT NULL UNIQUE,
  agent_id text NOT NULL,
  at bigint NOT NULL,
  event text NOT NULL
);
CREATE INDEX stepline_events_at ON stepline_events (at);
CREATE INDEX stepline_events_agent ON stepline_events (agent_id, seq);
CREATE TABLE stepline_tasks (
  task_id text PRIMARY KEY,
  agent_id text NOT NULL,
  ended_at bigint NOT NULL,
  task text NOT NULL
);
CREATE INDEX stepline_tasks_agent ON stepline_tasks (agent_id);
CREATE TABLE stepline_actions (
  action_id text PRIMARY KEY,
  agent_id text NOT NULL,
  place integer NOT NULL,
  dropping boolean NOT NULL,
  label text NOT NULL,
  source text NOT NULL,
  snapshot text
);
CREATE INDEX stepline_actions_agent ON stepline_actions (agent_id);
CREATE TABLE stepline_rules (
  id bigserial PRIMARY KEY,
  cwd text NOT NULL,
  tool text NOT NULL,
  params text NOT NULL,
  choice text NOT NULL
);
CREATE TABLE stepline_requests (
  id bigserial PRIMARY KEY,
  key uuid NOT NULL UNIQUE,
  agent_id text NOT NULL,
  call_id text NOT NULL,
  request text NOT NULL,
  answer text,
  at bigint NOT NULL
);
CREATE INDEX stepline_requests_open ON stepline_requests (id) WHERE answer IS NULL;
INSERT INTO stepline_meta VALUES ('version', ${storeVersion}), ('events', 0);
`

/**
 * Since 0.3: added to a store of version 1 when it is opened.
 * `runners.tools`: the names of its tools. `calls.queued_at`: when a client queued it.
 * `keys`: the call that has an idempotency key, and its runner; once the call has ended, its output.
 * `uses`: the uses that calls count at limits. `slot`: for concurrency, the id of the running call; for a rate, a part of its time.
 * `until`: for a rate. With the key `counted`, calls that were counted and have not ended.
 */
export const newTables = `
ALTER TABLE stepline_runners ADD COLUMN IF NOT EXISTS tools text[] NOT NULL DEFAULT '{}';
ALTER TABLE stepline_calls ADD COLUMN IF NOT EXISTS queued_at bigint;
CREATE TABLE IF NOT EXISTS stepline_keys (
  key text PRIMARY KEY,
  call_id text NOT NULL,
  runner bigint,
  at bigint NOT NULL,
  output text,
  expires_at bigint
);
CREATE INDEX IF NOT EXISTS stepline_keys_expiring ON stepline_keys (expires_at);
CREATE TABLE IF NOT EXISTS stepline_uses (
  key text NOT NULL,
  slot text NOT NULL,
  used double precision NOT NULL,
  until bigint,
  at bigint NOT NULL,
  PRIMARY KEY (key, slot)
);
CREATE INDEX IF NOT EXISTS stepline_uses_slot ON stepline_uses (slot) WHERE until IS NULL AND slot <> '';
CREATE INDEX IF NOT EXISTS stepline_calls_receipts ON stepline_calls (ended_at) WHERE strpos(result, '${receiptsMark}') > 0;
`

/**
 * A message in the channel of a store. `work`: agents may have no runner; with a number: that runner has new calls or requests.
 * `free`: that runner is to claim one more agent. `news`: there are new events or answers.
 */
export type Notice = "work" | `work ${number}` | `free ${number}` | "news"

/** The notice that a runner, or an agent without one, has work. */
export const workNotice = (runner: number | null): Notice => (runner === null ? "work" : `work ${runner}`)

/** Sent with some heartbeats: a process that receives it need not prove by itself that notices arrive. */
export const beat = "beat"

/** The channel in which the processes of a store notify each other. */
export const channel = "stepline"
