/**
 * Harmless assignments: variables that only the line reads, and settings that change only the amount or the language of the
 * output. Other variables may decide which program is found, run or configured: only a rule for the whole line approves them.
 */
import type { Assignment, Command } from "unbash"
import { names } from "./names.ts"
import { shellWord } from "./shell-word.ts"

/** Variables that many programs read, and that do no more than their names suggest. */
const settings = new Set(
  names(`
    CI NODE_ENV RAILS_ENV RACK_ENV MIX_ENV FORCE_COLOR NO_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM TERM COLUMNS LINES
    TZ LANG LANGUAGE LC_ALL LC_CTYPE LC_MESSAGES LC_COLLATE LC_NUMERIC LC_TIME DEBUG VERBOSE LOG_LEVEL LOGLEVEL RUST_LOG
    RUST_BACKTRACE PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED GOOS GOARCH CGO_ENABLED PORT DEBIAN_FRONTEND
  `),
)

/** Prefixes of names by which bash or programs find, run, load or configure something. */
const beginnings = names(String.raw`
  BASH LD DYLD GIT GH NPM PNPM YARN NODE BUN DENO PYTHON PYTEST PIP UV PERL RUBY GEM BUNDLE JAVA JDK MAVEN GRADLE CARGO RUST GO
  GCC CC CXX CPP AR MAKE CMAKE DOCKER COMPOSE KUBE HELM TF AWS AZURE GOOGLE CLOUDSDK GPG GNUPG CURL WGET RSYNC TAR GREP LESS VIM
  PG MYSQL SQLITE XDG SUDO TS VITEST JEST PLAYWRIGHT POSIX PS\d IFS ENV PWD OLDPWD TMP TEMP USER LOGNAME TAPE DISPLAY UID EUID
  PPID RANDOM SECONDS HIST REPLY DIRSTACK FUNCNEST GLOB PROMPT TIMEFORMAT TIMEOUT TMOUT COMP EPOCH SRANDOM GROUPS FUNCNAME
  PIPESTATUS MACHTYPE OSTYPE READLINE MAIL FIGNORE LINENO SHLVL VIRTUAL CONDA PYENV DBUS NIX MIX RM AS FC LEX YACC HARNESS ANSIBLE
  R_
`)

/** Parts of such names, at any position. */
const parts = names(`
  PATH OPT ARGS FLAGS HOME DIR ROOT CMD COMMAND EDITOR SSH DIFF MERGE VISUAL PAGER BROWSER SHELL PROXY CONF RC$ FILE LOAD HOOK EXEC
  PROGRAM SCRIPT PLUGIN MODULE REQUIRE IMPORT WRAPPER RUN URL HOST TOKEN KEY PASS SECRET REGISTRY PREFIX INIT SETUP RSH FORCE UPDATE
  PUBLISH DEPLOY DELETE UNSAFE INSECURE SKIP DISABLE ALLOW
`)

const steering = new RegExp(`^(${beginnings.join("|")})|${parts.join("|")}`)

/** A word that names no file. */
const isPlainWord = (value: string): boolean => /^([\w.:@%+*][\w.,:@%+*-]*)?$/.test(value)
/** A locale in which bash reads the same letters as this parser. */
const isKnownLocale = (value: string): boolean =>
  /^(C|POSIX|(C|[a-z]{2}_[A-Z]{2})\.(UTF-8|utf8))?$/.test(value)

const isHarmlessValue = (name: string, value: string): boolean => {
  if (/^(LANG|LC_)/.test(name)) return isKnownLocale(value)
  // These run the same command on different data.
  if (/_ENV$/.test(name) && name !== "NODE_ENV") return /^(test|development)$/.test(value)
  return isPlainWord(value)
}
/** On, off, or a number. */
const isSwitch = (value: string): boolean => /^(\d{0,9}|true|false|yes|no|on|off)$/.test(value)

/** Whether only the line uses a name. Other names may be in the environment of the programs that it runs. */
export const isOwnName = (name: string): boolean => /^[a-z][a-z0-9]*$/.test(name) && name !== "histchars"

/** Whether a program behaves the same with and without this variable in its environment. */
export const isHarmlessSetting = (name: string, value: string): boolean =>
  settings.has(name)
    ? isHarmlessValue(name, value)
    : isSwitch(value) && /^[A-Z]/.test(name) && !steering.test(name)

/** Whether only the line reads a variable. Programs inherit the environment, and a locale affects bash. */
const isReadByLine = (name: string): boolean =>
  isOwnName(name) || !(steering.test(name.toUpperCase()) || /^(LANG|LC_)/.test(name) || name in process.env)

const isHarmless = ({ name, value, append, index }: Assignment, isAlone: boolean): boolean => {
  if (value.type === "ArrayValue" || append === true || index !== undefined) return false
  if (isAlone && isReadByLine(name)) return true
  // Bash expands no pattern in an assignment.
  const isLiteral = value.parts?.every(({ type }) => type === "Literal" || type === "Glob") ?? true
  return (isLiteral || shellWord(value).literal) && isHarmlessSetting(name, value.value)
}

/** `IFS= read -r x`: affects only how `read` splits. */
const splitsRead = ({ name, value, append }: Assignment, command: string | undefined): boolean =>
  name === "IFS" && command === "read" && append !== true && value.type === "Word" && shellWord(value).literal

/** Whether all assignments before a command, or on their own, are harmless. */
export const assignsHarmlessly = ({ prefix, name }: Command): boolean =>
  prefix.every(
    (part) =>
      part.type !== "Assignment" || splitsRead(part, name?.text) || isHarmless(part, name === undefined),
  )
