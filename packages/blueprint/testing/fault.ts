/**
 * A program that unpacks a bundle, while the n-th change of the disk fails or kills the program. Arguments: bundle,
 * folder, fault (`ENOSPC`, `EIO`, `SIGKILL`, `none`), n. Without n, it lets each change fail in turn, each time in a
 * new folder. Prints a JSON list: the code of each result, the number of changes, and what is left in the folder.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'

const [bundle = '', folder = '', fault = 'none', only] = process.argv.slice(2)
let armed = false
let count = 0
let at = 0

for (const name of ['mkdirSync', 'openSync', 'writeSync', 'fchmodSync', 'fsyncSync', 'renameSync'] as const) {
  const real = fs[name] as (...args: unknown[]) => unknown
  const counted = (...args: unknown[]) => {
    if (armed && ++count === at) {
      if (fault === 'SIGKILL') process.kill(process.pid, 'SIGKILL')
      throw Object.assign(new Error(`${fault}: made by the test, ${name}`), { code: fault })
    }
    return real(...args)
  }
  Object.assign(fs, { [name]: counted })
}
syncBuiltinESMExports()
const { unpackBundle } = await import('../src/index.ts')
const bytes = fs.readFileSync(bundle)

async function attempt(above: string) {
  count = 0
  armed = true
  const verdict = await unpackBundle(bytes, join(above, 'v1'))
  armed = false
  return { code: verdict.ok ? 'done' : verdict.code, count, left: fs.readdirSync(above) }
}

const attempts = []
if (only !== undefined) {
  at = Number(only)
  attempts.push(await attempt(folder))
} else {
  do {
    at++
    attempts.push(await attempt(fs.mkdtempSync(join(folder, 'above-'))))
  } while (attempts.at(-1)?.code !== 'done')
}
process.stdout.write(JSON.stringify(attempts))
