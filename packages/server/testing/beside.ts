/**
 * Vitest loads this module for each file of store, HTTP and process tests. From then on, a query beside an open
 * transaction of the same database throws. On SQLite such a query waits forever, and on PostgreSQL it takes a second
 * connection while it keeps the first one.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { DefaultConnectionProvider } from 'kysely'

/** A database connection that the running code uses. `outer` is the one that the code around it uses. */
interface Held {
  /** The connections of one database. Kysely makes one provider for each. */
  provider: object
  isOpen: boolean
  outer: Held | undefined
}

const watched = Symbol.for('svc: connections are watched')
type WatchedProvider = typeof DefaultConnectionProvider.prototype & { [watched]?: AsyncLocalStorage<Held> }

/**
 * Watches the connections of Kysely. A second call in a process changes nothing: Vitest loads this module for each test
 * file, but Kysely only once.
 */
function watch(prototype: WatchedProvider): AsyncLocalStorage<Held> {
  if (prototype[watched]) return prototype[watched]
  const held = new AsyncLocalStorage<Held>()
  prototype[watched] = held
  const original = prototype.provideConnection
  prototype.provideConnection = function provideConnection(consumer, options) {
    const outer = held.getStore()
    if (isHeld(this, outer)) return Promise.reject(new Error(besideTransaction))
    const mine: Held = { provider: this, isOpen: true, outer }
    const closing = () => {
      mine.isOpen = false
    }
    return original.call(
      this,
      (connection) => held.run(mine, () => consumer(connection)).finally(closing),
      options,
    ) as ReturnType<typeof consumer>
  }
  return held
}

function isHeld(provider: object, from: Held | undefined): boolean {
  for (let one = from; one; one = one.outer) if (one.isOpen && one.provider === provider) return true
  return false
}

export const besideTransaction =
  'A query was made beside an open transaction. Make it through the transaction, or before or after it.'

const held = watch(DefaultConnectionProvider.prototype)

/** Runs `work` as another request does: the transaction that the test has open is not its own. */
export const asAnotherRequest = <T>(work: () => T): T => held.exit(work)
