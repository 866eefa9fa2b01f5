/**
 * Unpacks a bundle while the n-th change of the disk fails or kills. Arguments: bundle, folder, what happens (`ENOSPC`, `EIO`, `SIGKILL`,
 * `none`), at which change. Prints the verdict's code and how many changes there were.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const [bundle = '', folder = '', fault = 'none', at = '0'] = process.argv.slice(2)
let armed = false
let count = 0

for (const name of ['mkdirSync', 'openSync', 'writeSync', 'fchmodSync', 'fsyncSync', 'renameSync'] as const) {
  const real = fs[name] as (...args: unknown[]) => unknown
  const counted = (...args: unknown[]) => {
    if (armed && ++count === Number(at)) {
      if (fault === 'SIGKILL') process.kill(process.pid, 'SIGKILL')
      throw Object.assign(new Error(`${fault}: made by the test, ${name}`), { code: fault })
    }
    return real(...args)
  }
  Object.assign(fs, { [name]: counted })
}
const bytes = fs.readFileSync(bundle)
syncBuiltinESMExports()
const { unpackBundle } = await import('../src/index.ts')
armed = true
const verdict = await unpackBundle(bytes, folder)
armed = false
process.stdout.write(JSON.stringify({ ok: verdict.ok, code: verdict.ok ? 'done' : verdict.code, count }))
