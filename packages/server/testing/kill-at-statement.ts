/**
 * Tests load this file into a program that uses a database, on either engine. From the first statement that contains
 * SVC_TEST_KILL_FROM on it counts the points at which a kill can change what the database has: before each statement
 * or message, and after those that may have committed. At point number SVC_TEST_KILL_AT the process is killed.
 */
import { Socket } from 'node:net'
import { StatementSync } from 'node:sqlite'

const from = process.env.SVC_TEST_KILL_FROM ?? ''
const at = Number(process.env.SVC_TEST_KILL_AT)
let points = 0
let armed = false

const isFirst = (text: string): boolean => text.replaceAll('"', '').includes(from)

function killAtPoint(): void {
  if (points++ === at) process.kill(process.pid, 'SIGKILL')
}

for (const name of ['run', 'get', 'all'] as const) {
  const real = StatementSync.prototype[name] as (...args: unknown[]) => unknown
  function counted(this: StatementSync, ...args: unknown[]): unknown {
    armed ||= isFirst(this.sourceSQL)
    if (!armed) return real.apply(this, args)
    killAtPoint()
    const result = real.apply(this, args)
    if (this.sourceSQL === 'commit') killAtPoint()
    return result
  }
  Object.assign(StatementSync.prototype, { [name]: counted })
}

/** The connection to PostgreSQL on which the first statement was sent. */
let database: Socket | undefined
interface Chunk {
  chunk: Buffer | string
}
const prototype = Socket.prototype as unknown as Record<'_write' | '_writev', (...args: unknown[]) => unknown>
for (const name of ['_write', '_writev'] as const) {
  const real = prototype[name]
  prototype[name] = function counted(this: Socket, ...args: unknown[]): unknown {
    const sent = name === '_write' ? [args[0] as Chunk['chunk']] : (args[0] as Chunk[]).map(({ chunk }) => chunk)
    if (!armed && isFirst(Buffer.concat(sent.map((one) => Buffer.from(one as string))).toString('latin1'))) {
      armed = true
      database = this
    }
    if (database !== this) return real.apply(this, args)
    killAtPoint()
    const result = real.apply(this, args)
    killAtPoint()
    return result
  }
}
