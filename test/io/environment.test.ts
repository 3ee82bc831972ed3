import { describe, expect, it } from "vitest"
import { describeEnvironment, environmentFor, looksSecret } from "../../src/io/index.ts"

const host = {
  PATH: "/bin",
  HOME: "/home/me",
  OLDPWD: "/",
  HTTPS_PROXY: "http://proxy",
  NPM_CONFIG_CACHE: "/cache",
  GITHUB_TOKEN: "t",
  AWS_SECRET_ACCESS_KEY: "s",
}

describe("a name that looks like a secret", () => {
  it.each([
    "GITHUB_TOKEN",
    "TOKEN",
    "OPENAI_API_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "AZURE_CLIENT_SECRET",
    "AZURE_STORAGE_CONNECTION_STRING",
    "PGPASSWORD",
    "MYSQL_PWD",
    "DB_PASSWORD_FILE",
    "SMTP_PASS",
    "GH_PAT",
    "DOCKER_AUTH_CONFIG",
    "SLACK_WEBHOOK_URL",
    "npm_config__authToken",
    "npm_config_//registry.example/:_authToken",
    "clientSecret",
    "MYAPIKEY",
  ])("is %s", (name) => {
    expect(looksSecret(name)).toBe(true)
  })

  it.each([
    "PATH",
    "PWD",
    "OLDPWD",
    "HOME",
    "LANG",
    "TERM",
    "SSH_AUTH_SOCK",
    "GIT_ASKPASS",
    "XAUTHORITY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "MAX_TOKENS",
    "TOKENIZERS_PARALLELISM",
    "KEYBOARD",
    "MONKEY",
    "AWS_REGION",
    "AWS_PROFILE",
    "KUBECONFIG",
    "DESKTOP_SESSION",
    "COMPASS_HOME",
    "PATTERN",
  ])("is not %s", (name) => {
    expect(looksSecret(name)).toBe(false)
  })
})

describe("the environment of a command", () => {
  it("has all but what looks like a secret", () => {
    const { GITHUB_TOKEN: _token, AWS_SECRET_ACCESS_KEY: _key, ...rest } = host
    expect(environmentFor({}, host)).toEqual(rest)
  })

  it("has a secret that is named", () => {
    const env = environmentFor({ pass: ["*", "GITHUB_TOKEN"] }, host)
    expect(env).toMatchObject({ PATH: "/bin", GITHUB_TOKEN: "t" })
    expect(env).not.toHaveProperty("AWS_SECRET_ACCESS_KEY")
  })

  it("has no more than is named", () => {
    expect(environmentFor({ pass: ["PATH", "NPM_*", "MISSING"] }, host)).toEqual({
      PATH: "/bin",
      NPM_CONFIG_CACHE: "/cache",
    })
  })

  it("has no secret for a pattern, and takes its characters as they are", () => {
    expect(environmentFor({ pass: ["AWS_*", "H.ME"] }, host)).toEqual({})
  })

  it("has what is set, and lacks what is set to undefined", () => {
    expect(environmentFor({ pass: ["PATH"], set: { CI: "1", PATH: undefined } }, host)).toEqual({ CI: "1" })
  })
})

describe("what a model is told of it", () => {
  it.each([
    [
      {},
      "Environment variables that look like secrets (*_TOKEN, *_KEY, *PASSWORD*, …) are left out of its environment.",
    ],
    [
      { pass: ["*", "GITHUB_TOKEN"], set: { API_KEY: "k", CI: "1" } },
      "Environment variables that look like secrets (*_TOKEN, *_KEY, *PASSWORD*, …) are left out of its environment, but for GITHUB_TOKEN, API_KEY.",
    ],
    [
      { pass: ["PATH", "HOME"], set: { CI: "1" } },
      "Of environment variables it has only these: PATH, HOME, CI.",
    ],
    [{ pass: [] }, "Of environment variables it has only these: none."],
  ])("of %j", (rules, sentence) => {
    expect(describeEnvironment(rules)).toBe(sentence)
  })
})
