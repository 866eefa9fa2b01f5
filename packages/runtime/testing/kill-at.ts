/**
 * Loaded before the program: kills the process at its n-th change of the disk (`SVC_TEST_KILL_AT`), before the change takes place.
 * Writes how many there were to `SVC_TEST_KILL_COUNT` when it never came to that.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const at = Number(process.env.SVC_TEST_KILL_AT ?? 0)
const only = process.env.SVC_TEST_KILL_AFTER
let armed = only === undefined
let count = 0

for (const name of ['renameSync', 'fsyncSync', 'unlinkSync', 'linkSync', 'openSync'] as const) {
  const real = fs[name] as (...args: unknown[]) => unknown
  const counted = (...args: unknown[]) => {
    if (!armed) armed = name === 'renameSync' && String(args[1]).endsWith(only ?? '')
    else if (name !== 'openSync' || args[1] === 'wx') {
      count++
      if (count === at) process.kill(process.pid, 'SIGKILL')
    }
    return real(...args)
  }
  Object.assign(fs, { [name]: counted })
}
syncBuiltinESMExports()
process.on('exit', () => {
  if (process.env.SVC_TEST_KILL_COUNT) fs.writeFileSync(process.env.SVC_TEST_KILL_COUNT, String(count))
})
