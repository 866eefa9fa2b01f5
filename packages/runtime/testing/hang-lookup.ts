/**
 * Tests load this file into `svc` before its own code. Each DNS lookup then blocks a thread of Node's thread pool
 * forever, as with a resolver that does not answer.
 */
import { execFileSync } from 'node:child_process'
import dns from 'node:dns'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const pipe = join(fs.mkdtempSync(join(tmpdir(), 'svc-hang-')), 'pipe')
execFileSync('mkfifo', [pipe])
Object.assign(dns, {
  lookup: (_name: string, _options: unknown, done: (error: Error | null) => void) => fs.open(pipe, 'r', done),
})
syncBuiltinESMExports()
