// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are those of bmake
import { describe, expect, it } from "vitest"
import { ToolFilters } from "../../src/policy/index.ts"

const shell = { name: "shell", primaryParam: "command", primaryKind: "command" } as const

const decide = (command: string, allow: string) =>
  ToolFilters.compile({ shell: { allow: [allow] } }).evaluate(shell, { command })

const rules = ["^g?make (test|lint)\\b", "^(make|gmake)\\b"]

describe("a rule for a target of make does not cover", () => {
  it("a variable, whatever its name and however it is set", () => {
    const words = [
      "SHELL=./t.sh",
      "'SHELL = ./t.sh'",
      `'.SHELLFLAGS=-c "touch f";'`,
      "'X-y:=$(file >f,text)'",
      "'x ::= $(shell touch f)'",
      "'x :::= $(shell touch f)'",
      "'x?=$(shell touch f)'",
      "'x += $(shell touch f)'",
      "'x!=touch f'",
      "'$(shell touch f)x=1'",
      "-- '-x:=$(shell touch f)'",
      "-- '--jobs:=$(shell touch f)'",
      "-W 'x:=$(shell touch f)'",
      "'é=1'",
      "$'x\\n=1'",
      `"$x"`,
    ]
    const lines = words.flatMap((word) => [`make test ${word}`, `make -n test ${word}`, `gmake test ${word}`])
    for (const rule of rules) expect(lines.filter((line) => decide(line, rule) !== undefined)).toEqual([])
  })

  it("another makefile or folder, nor what some make runs or writes at an option", () => {
    const words = [
      "--eval='$(shell touch f)'",
      "--ev '$(shell touch f)'",
      "-E '$(shell touch f)'",
      "-f x.mk",
      "-kfx.mk",
      "--fil=x.mk",
      "--temp-stdin=x.mk",
      "--jobserver-auth=fifo:f",
      "-C x",
      "--directory x",
      "-I x",
      "-V '${:!touch f!}'",
      "-v '${:!touch f!}'",
      "'${:!touch f!}'",
      "-dFf",
      "-d Ff",
      "-T f",
      "-m x",
      "-D X",
    ]
    const lines = words.map((word) => `make test ${word}`)
    for (const rule of rules) expect(lines.filter((line) => decide(line, rule) !== undefined)).toEqual([])
  })

  it("another target behind an option that takes no value, or none but a number", () => {
    const options = [
      "-j",
      "-l",
      "-kj",
      "--jobs",
      "--load-average",
      "--max-load",
      "-O",
      "-W",
      "-j 8",
      "-o -o",
      "-k -- -o",
    ]
    const lines = options.map((option) => `make test ${option} deploy`)
    expect(lines.filter((line) => decide(line, rules[0]!) !== undefined)).toEqual([])
  })

  it("variables of the environment", () => {
    const lines = ["MAKEFLAGS='--eval=x' make test", "MAKEFILES=x.mk make test", "env SHELL=x make -e test"]
    expect(lines.filter((line) => decide(line, "^(env|make)\\b") !== undefined)).toEqual([])
  })
})

it("it covers options that only say how", () => {
  const lines = [
    "make test",
    "make -j8 test",
    "make test -j 8 -k",
    "make -ksj4 test",
    "make test -j",
    "make --jobs 2 test",
    "make --jobs=2 -l 2.5 --load-average=2.5 test",
    "make -n --dry-run --no-print-directory -B --always-make test",
    "make test -Otarget --output-sync=line --trace --debug=v",
    "make --silent --keep-going test",
    "make --old-file=a/b.o --what-if=src/a.c test",
  ]
  for (const rule of ["^make\\b", "^make .*\\btest\\b"]) {
    expect(lines.filter((line) => decide(line, rule) !== "approve")).toEqual([])
  }
})

it("a rule that names a variable means it", () => {
  expect(decide("make test CC=clang", "^make test CC=clang$")).toBe("approve")
  expect(decide("make -C sub test", "^make -C sub test$")).toBe("approve")
})

it("a rule for a target of other build tools covers no variable either", () => {
  const lines = ["rake $'test\\nRUBYOPT=-r./x'", "scons 'test' a.b=1", "task test 'a b=1'", "just x-y=1 test"]
  expect(lines.filter((line) => decide(line, "^(rake|scons|task|just)\\b") !== undefined)).toEqual([])
})
