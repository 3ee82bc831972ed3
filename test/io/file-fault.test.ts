import { expect, it } from "vitest"
import { readFault, writeFault } from "../../src/io/file-fault.ts"

const failed = (code: string) => Object.assign(new Error(`${code}: as the system says it`), { code })

it("says in words why a file cannot be read or written", () => {
  expect(readFault(failed("ENOENT"))).toBe("there is no such file")
  expect(writeFault(failed("ENOENT"))).toBe("its folder is not there, so make that first")
  for (const fault of [readFault, writeFault]) {
    expect(fault(failed("EACCES"))).toBe("this user may not open it")
    expect(fault(failed("EISDIR"))).toBe("it is a folder, and a file is wanted")
    expect(fault(failed("ENOTDIR"))).toBe("a part of its path is a file, and no folder")
    expect(fault(failed("EIO"))).toBe("EIO: as the system says it")
    expect(fault(new Error("another reason"))).toBe("another reason")
  }
})
