import { expect, it } from "vitest"
import { harmlessConfig } from "../../src/sandbox/disarm-git.ts"

const clone = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = true
[remote "origin"]
	url = https://example.com/a.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
	remote = origin
	merge = refs/heads/main
[user]
	name = A B
	email = a@b
`

it("keeps what a clone has", () => {
  expect(harmlessConfig(clone)).toBe(clone)
})

it.each([
  "[core]\n\tfsmonitor = evil",
  "[core]\n\thooksPath = evil",
  "[core] fsmonitor = evil",
  "[core]\n\tbare = fal\\\nse\n\tfsmonitor\\\n = evil",
  "[CORE]\n\tFsMonitor = evil",
  "[alias]\n\tst = !evil",
  '[filter "x"]\n\tclean = evil',
  "[include]\n\tpath = evil",
  '[remote "o"]\n\turl = ext::sh -c evil',
  '[remote "o"]\n\tuploadpack = evil',
  '[remote "o"]\n\turl = --upload-pack=evil',
  '[submodule "x"]\n\tupdate = !evil',
  "[credential]\n\thelper = !evil",
  '[diff "x"]\n\ttextconv = evil',
  "[core]\n\tsshCommand = evil",
  '[core "x"] hooksPath = evil',
  "[core]\n\tbare = false ; fine \\\n fsmonitor = evil",
])("drops %j", (text) => {
  expect(harmlessConfig(text)).not.toContain("evil")
})
