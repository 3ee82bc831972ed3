import { describe, expect, it } from "vitest"
import { ToolFilters } from "../../src/policy/index.ts"

const fetchUrl = { name: "fetch_url", primaryParam: "url", primaryKind: "text" } as const

const explain = (url: string, allow: ReadonlyArray<string>, deny: ReadonlyArray<string> = []) =>
  ToolFilters.compile({ fetch_url: { allow, deny } }).explain(fetchUrl, { url })

describe("an allow rule for a part of a site does not cover a URL that leads out of it:", () => {
  it("it is asked", () => {
    const urls = [
      "https://a.example/me/../you",
      "https://a.example/me/%2e%2e/you",
      "https://a.example/me/.%2E/you",
      "https://a.example/me\\..\\you",
      "https://a.example/me/.\t./you",
      "https://a.example/me/x/../../you",
    ]
    expect(urls.filter((url) => explain(url, ["^https://a\\.example/me\\b"]).verdict !== "ask")).toEqual([])
  })

  it("and says where it leads", () => {
    expect(explain("https://a.example/me/../you", ["^https://a\\.example/me/"])).toEqual({
      verdict: "ask",
      command: "https://a.example/me/../you",
      because: "No allow rule matches where `https://a.example/me/../you` leads: `https://a.example/you`.",
    })
  })
})

describe("a deny rule for a host holds however it is written:", () => {
  it("it is denied", () => {
    const urls = [
      "https://a.example/",
      "https://%61.example/",
      "https://A.EXAMPLE/",
      "https:a.example",
      "https:\\\\a.example",
      "https://\uff41.example/",
      "https://a\u3002example/",
      "https://a\u00ad.example/",
      "https://a.ex\nample/",
      "\u0001 https://a.example/",
      "https://a.example./",
      "https://a.example.",
    ]
    expect(
      urls.filter((url) => explain(url, [".*"], ["^https://a\\.example(/|$)"]).verdict !== "deny"),
    ).toEqual([])
  })

  it.each(["https://a.example/secret#x", "https://a.example/x/../secret#", "https://a.example/secret#/../y"])(
    "a rule for the end of a URL, whatever hash stands behind it: %j",
    (url) => {
      expect(explain(url, [".*"], ["/secret$"]).verdict).toBe("deny")
    },
  )

  it.each([
    "https://a.example/%73ecret",
    "https://a.example/secre%74?x=%2F",
    "https://a.example/se%63re%74#x",
  ])("a rule for a path, whatever of it is written as codes: %j", (url) => {
    expect(explain(url, [".*"], ["^https://a\\.example/secret"]).verdict).toBe("deny")
  })

  it("an address too", () => {
    expect(explain("http://2130706433/", [".*"], ["127\\.0\\.0\\.1"]).verdict).toBe("deny")
  })
})

it("what is written otherwise and leads nowhere else is covered:", () => {
  const rows = [
    ["^https://a\\.example/", "https://a.example/x y?q=ä#z"],
    ["^https://(a|b)\\.example$", "https://a.example"],
    ["^https://a\\.example\\?q=", "https://a.example?q=b"],
    ["^https://a\\.example:443/", "https://a.example:443/x"],
    ["^http://localhost:80/", "http://localhost:80/x"],
    ["^http://localhost:80$", "http://localhost:80"],
    ["^https://b\u00fccher\\.example/", "https://b\u00fccher.example/x"],
    ["^https://a\\.example/x/\\.\\./y$", "https://a.example/x/../y"],
    ["^https://a\\.example/%7Eme/%2F$", "https://a.example/%7Eme/%2F"],
    ["^https://a\\.example/", "https://a.example/me/../you"],
    ["^why is the sky", "why is the sky blue"],
    ["^mailto:", "mailto:a/../b"],
  ] as const
  expect(rows.filter(([allow, url]) => explain(url, [allow]).verdict !== "approve")).toEqual([])
})

// Where each character were looked back from to the beginning, it would take an hour.
it("a URL of a megabyte is decided on like any other", () => {
  const url = `https://a.example:443/${"a".repeat(1_000_000)}`
  expect(explain(url, ["^https://a\\.example(:443)?/"], ["^https://b\\."]).verdict).toBe("approve")
  expect(explain(url, ["^https://a\\.example/"], ["^https://a\\.example:443/"]).verdict).toBe("deny")
  expect(explain(`https://a.example/${":1".repeat(500_000)}`, ["^https://a\\.example/"]).verdict).toBe(
    "approve",
  )
})
