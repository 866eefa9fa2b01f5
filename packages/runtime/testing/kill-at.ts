/**
 * Tests load this file into `svc` before its own code. At the n-th change of the disk (`SVC_TEST_KILL_AT`) the process
 * is killed, or the change fails with an error code (`SVC_TEST_FAULT`). With `SVC_TEST_KILL_AFTER`, changes are counted
 * only after a first rename to a path that ends with its value. A process that ends by itself writes the number of
 * changes to the file `SVC_TEST_KILL_COUNT`.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const at = Number(process.env.SVC_TEST_KILL_AT ?? 0)
const only = process.env.SVC_TEST_KILL_AFTER
const fault = process.env.SVC_TEST_FAULT
let armed = only === undefined
let count = 0

const changing = [
  'renameSync',
  'fsyncSync',
  'unlinkSync',
  'linkSync',
  'openSync',
  'mkdirSync',
  'symlinkSync',
  'writeSync',
  'copyFileSync',
] as const
for (const name of changing) {
  const real = fs[name] as (...args: unknown[]) => unknown
  const counted = (...args: unknown[]) => {
    if (!armed) armed = name === 'renameSync' && String(args[1]).endsWith(only ?? '')
    else if (name !== 'openSync' || args[1] === 'wx') {
      count++
      if (count === at) {
        if (fault === undefined) process.kill(process.pid, 'SIGKILL')
        else throw Object.assign(new Error(`${fault}: a fault that was asked for, ${name}`), { code: fault })
      }
    }
    return real(...args)
  }
  Object.assign(fs, { [name]: counted })
}
syncBuiltinESMExports()
process.on('exit', () => {
  if (process.env.SVC_TEST_KILL_COUNT) fs.writeFileSync(process.env.SVC_TEST_KILL_COUNT, String(count))
})
