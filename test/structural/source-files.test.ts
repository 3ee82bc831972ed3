import { mkdir, symlink, writeFile } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { localFiles } from "../../src/io/files.ts"
import { findSourceFiles, type SourceFile } from "../../src/structural/source-files.ts"
import { useTempFolder } from "../io/temp-folder.ts"

const path = useTempFolder()

const write = async (files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(path(name)), { recursive: true })
    await writeFile(path(name), content)
  }
}

const make = (...names: ReadonlyArray<string>) => write(Object.fromEntries(names.map((name) => [name, ""])))

let passedOver: Array<string> = []
beforeEach(() => {
  passedOver = []
})

const find = async (
  paths: ReadonlyArray<string>,
  lang?: string,
  signal = new AbortController().signal,
  files = localFiles,
): Promise<ReadonlyArray<SourceFile>> => {
  const locate = (name: string) => localFiles.resolveLinks(resolve(path(), name))
  const passOver = (name: string, reason: string) => passedOver.push(`${name} ${reason}`)
  const query = { paths, lang, cwd: path(), locate, signal, passOver }
  return (await findSourceFiles(files, query)).found
}

const found = async (paths: ReadonlyArray<string>, lang?: string): Promise<Array<string>> =>
  (await find(paths, lang)).map((file) => file.path)

describe("folders", () => {
  it("give the files of known languages in the order of names, each once", async () => {
    await make(
      "b/z.ts",
      "b/a.rs",
      "b/notes.md",
      "a.tsx",
      "a/x.py",
      "b/.hidden/c.go",
      "node_modules/n.js",
      ".git/g.js",
    )
    expect(await found(["."])).toEqual(["a.tsx", "a/x.py", "b/a.rs", "b/z.ts", "b/.hidden/c.go"])
    expect(await found(["./b/", "b/z.ts", path("b")])).toEqual(["b/a.rs", "b/z.ts", "b/.hidden/c.go"])
    expect((await find(["a.tsx", "b/a.rs"])).map(({ language }) => language.name)).toEqual(["tsx", "rust"])
  })

  it("give only the files of the language that is named", async () => {
    await make("a.ts", "b.tsx", "c.js")
    expect(await found(["."], "typescript")).toEqual(["a.ts"])
    expect(await found(["."], "JS")).toEqual(["c.js"])
  })

  it("do not follow links on the way", async () => {
    await make("src/a.ts", "other/b.ts")
    await symlink("../other", path("src/folder"))
    await symlink("../other/b.ts", path("src/b.ts"))
    expect(await found(["src"])).toEqual(["src/a.ts"])
    expect(await found(["src/folder", "src/b.ts"])).toEqual(["src/folder/b.ts"])
  })

  it("that cannot be read are told of", async () => {
    await make("a.ts", "closed/b.ts")
    const list = async (name: string) => {
      if (name === path("closed")) throw new Error("EACCES")
      return localFiles.list(name)
    }
    const files = await find(["."], undefined, undefined, { ...localFiles, list })
    expect(files.map((file) => file.path)).toEqual(["a.ts"])
    expect(passedOver).toEqual([`${path("closed")} cannot be read: EACCES`])
  })

  it("stop when the signal is aborted", async () => {
    await make("a.ts")
    await expect(find(["."], undefined, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough")
  })
})

describe("files", () => {
  it("are taken as they are named, also where they are ignored", async () => {
    await write({ ".gitignore": "*.ts\n", "a.ts": "", "b.txt": "" })
    expect(await found(["a.ts"])).toEqual(["a.ts"])
    expect((await find(["b.txt"], "html"))[0]?.language.name).toBe("html")
  })

  it("that are not there, or of no known language, are errors", async () => {
    await make("a.txt")
    await expect(find(["a.ts"])).rejects.toThrow(
      "File or folder not found: a.ts. Check the path; relative paths start at the working directory.",
    )
    await expect(find(["a.txt"])).rejects.toThrow(
      "The language of a.txt is not known from its extension. Name it with lang.",
    )
    await expect(find(["a.txt"], "cobol")).rejects.toThrow(
      "Unknown language cobol. Known are: typescript, tsx, javascript, css, html, python, rust, go.",
    )
  })
})

describe("globs", () => {
  it("give the files that they match, of known languages", async () => {
    await make("src/a.ts", "src/b.test.ts", "src/deep/c.ts", "src/deep/c.md", "d.ts")
    expect(await found(["src/**/*.ts"])).toEqual(["src/a.ts", "src/b.test.ts", "src/deep/c.ts"])
    expect(await found(["src/*"])).toEqual(["src/a.ts", "src/b.test.ts"])
    expect(await found(["*.ts", "src/{a,x}.ts"])).toEqual(["d.ts", "src/a.ts"])
    expect(await found([path("src/*.ts")])).toEqual([path("src/a.ts"), path("src/b.test.ts")])
    expect(await found(["nowhere/*.ts", "src/*.py"])).toEqual([])
  })

  it("give every file that they match as the language that is named", async () => {
    await make("a.tmpl", "b.ts")
    expect((await find(["*"], "html")).map((file) => [file.path, file.language.name])).toEqual([
      ["a.tmpl", "html"],
      ["b.ts", "html"],
    ])
  })

  it("take files out where they begin with !", async () => {
    await make("src/a.ts", "src/a.test.ts", "src/gen/b.ts", "src/x/gen/c.ts")
    expect(await found(["src", "!*.test.ts", "!src/gen/"])).toEqual(["src/a.ts", "src/x/gen/c.ts"])
    expect(await found([path("src"), "!*.test.ts", "!src/gen"])).toEqual([
      path("src/a.ts"),
      path("src/x/gen/c.ts"),
    ])
    expect(await found(["src", "!gen"])).toEqual(["src/a.test.ts", "src/a.ts"])
    expect(await found(["src/**", "!**/*.test.ts"])).not.toContain("src/a.test.ts")
  })

  it("are paths where there is such a path", async () => {
    await make("app/[id]/page.tsx", "app/i/page.tsx")
    expect(await found(["app/[id]"])).toEqual(["app/[id]/page.tsx"])
    expect(await found(["app/[id]/page.tsx"])).toEqual(["app/[id]/page.tsx"])
  })
})

describe(".gitignore", () => {
  it("is honoured at every level, the deeper one last", async () => {
    await write({
      ".gitignore": "dist/\n*.gen.ts\n/top.ts\n# comment.ts\n\n\\#odd.ts\n",
      "dist/a.ts": "",
      "a.gen.ts": "",
      "top.ts": "",
      "#odd.ts": "",
      "comment.ts": "",
      "pkg/.gitignore": "!keep.gen.ts\n/local.ts\nsub/x.ts\nTmp\n",
      "pkg/keep.gen.ts": "",
      "pkg/other.gen.ts": "",
      "pkg/local.ts": "",
      "pkg/top.ts": "",
      "pkg/sub/x.ts": "",
      "pkg/sub/local.ts": "",
      "pkg/tmp/y.ts": "",
      "pkg/deep/Tmp/y.ts": "",
      "pkg/dist/b.ts": "",
    })
    const expected = ["comment.ts", "pkg/keep.gen.ts", "pkg/top.ts", "pkg/sub/local.ts", "pkg/tmp/y.ts"]
    expect(await found(["."])).toEqual(expected)
    expect(await found(["**/*.ts"])).toEqual(expected)
  })

  it("of the folders above counts, up to the repository's", async () => {
    await write({
      ".gitignore": "a.ts\n",
      "repo/.git/info/exclude": "c.ts\n",
      "repo/.gitignore": "b.ts\n",
      "repo/src/a.ts": "",
      "repo/src/b.ts": "",
      "repo/src/c.ts": "",
    })
    expect(await found(["repo/src"])).toEqual(["repo/src/a.ts"])
  })

  it("does not keep a folder that it ignores from being searched when that is named", async () => {
    await write({
      ".gitignore": "dist\n*.js\n",
      "dist/a.js": "",
      "dist/b.js": "",
      "dist/.gitignore": "b.js",
      "dist/deep/c.ts": "",
    })
    expect(await found(["dist"])).toEqual(["dist/a.js", "dist/deep/c.ts"])
    expect(await found(["dist/deep/*"])).toEqual(["dist/deep/c.ts"])
  })
})
