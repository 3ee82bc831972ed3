/**
 * The program that runs in the sandbox: a prelude, then the model's source. The prelude fits on the first line, so that line
 * numbers are those of the source.
 */

/** The sources of a run's time and randomness: the same if the run is restarted. */
export interface Determinism {
  /** Epoch milliseconds. */
  readonly at: number
  /** A 32-bit integer. */
  readonly seed: number
}

/** Ends a log that is cut. */
export const leftOut = "\n[the rest of the log is left out]\n"

/** `$host` is the group of host functions. Only JSON strings cross, in both directions. */
const given = String.raw`
const { tools, console, Date, Math, ToolDenied, ToolFailed, $end } = (() => {
  const NativeDate = globalThis.Date, NativeMath = globalThis.Math, { stringify, parse } = JSON;
  class ToolFailed extends Error {
    constructor(tool, message, reason) { super(message); this.name = new.target.name; this.tool = tool; this.reason = reason; }
  }
  class ToolDenied extends ToolFailed {}
  let clock = AT;
  const next = () => clock++;
  function Date(...parts) {
    if (!new.target) return new NativeDate(next()).toString();
    return Reflect.construct(NativeDate, parts.length === 0 ? [next()] : parts, new.target === Date ? NativeDate : new.target);
  }
  Date.prototype = NativeDate.prototype;
  Object.assign(Date, { now: next, parse: NativeDate.parse, UTC: NativeDate.UTC });
  let seed = SEED;
  const random = () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let bits = NativeMath.imul(seed ^ (seed >>> 15), 1 | seed);
    bits = (bits + NativeMath.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 4294967296;
  };
  const Math = Object.create(NativeMath, { random: { value: random } });
  let text = "", left = LOG, sending;
  const send = () => {
    if (sending !== undefined || text === "") return;
    const lines = text;
    text = "";
    sending = $host.log(lines).then(() => { sending = undefined; send(); });
  };
  const show = (value) => {
    if (typeof value === "string") return value;
    try {
      try { if (!(value instanceof Error)) return stringify(value) ?? String(value); } catch {}
      return String(value);
    } catch { return "[" + typeof value + "]"; }
  };
  const log = (...values) => {
    if (left <= 0) return;
    const line = values.map(show).join(" ") + "\n";
    text += line.length <= left ? line : line.slice(0, left) + LEFT_OUT;
    left -= line.length;
    send();
  };
  const console = Object.freeze({ log, info: log, warn: log, error: log, debug: log });
  const ask = async (kind, name, params) => {
    const answer = parse(await $host[kind](name, stringify(params === undefined ? {} : params) ?? "null"));
    if (answer.ok) return answer.value;
    throw new (answer.denied ? ToolDenied : ToolFailed)(name, answer.message, answer.reason);
  };
  const tools = new Proxy(Object.freeze({}), {
    get: (_, name) => {
      if (typeof name !== "string" || name === "then" || name === "toJSON") return undefined;
      const about = name === "describe" || name === "search";
      return (params) => about && typeof params === "string" ? ask(name, params) : ask("call", name, params);
    },
  });
  const $end = async () => { while (sending !== undefined) await sending; };
  return { tools, console, Date, Math, ToolDenied, ToolFailed, $end };
})();
try { return JSON.stringify(await (async () => {`

const ending = "\n})()); } finally { await $end(); }"

const flat = given.trim().replace(/\n\s*/g, " ")

/** Returns the program, and the column of its first line at which the source begins. */
export const guestProgram = (
  source: string,
  { at, seed }: Determinism,
  log: number,
): { readonly program: string; readonly column: number } => {
  const start = flat
    .replace("clock = AT", `clock = ${at}`)
    .replace("seed = SEED", `seed = ${seed}`)
    .replace("left = LOG", `left = ${log}`)
    .replace("LEFT_OUT", JSON.stringify(leftOut))
  return { program: `${start}${source}${ending}`, column: start.length }
}
