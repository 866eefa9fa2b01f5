/** Makes the change of an operation for a command of `svc-server`, with the same function as the page's route. */
import type { ParamsOf, Route } from '@svc/api'
import type { By } from '../../people/audit/by.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { type Acting, type BoundChange, noticesOf, notify, type RouteObjects } from '../../web/routing/operations.ts'
import { granted, operator, type Service } from './request.ts'

type OnAgent = 'GET /w/:slug/agents/:name'

/**
 * Makes a change for the operator without checking a right. `at` has the objects that the address of the page's route
 * would name.
 */
export async function perform<R extends Route, Read, Value>(
  service: Service,
  bound: BoundChange<By, R, Read, Value>,
  at: RouteObjects<R> & { params?: ParamsOf<R> },
  input: Read,
): Promise<Value> {
  const { store, live, now } = service
  const value = await transaction(store.db, async (trx) => {
    const people = { ...service, store: { ...store, db: trx } }
    const acting = { params: {}, ...at, db: trx, people, by: operator, role: 'admin', factorMissing: false, now: now() }
    return granted(await bound.act(acting as unknown as Acting<R, By>, input))
  })
  await bound.goOn?.(service, at, value, now())
  notify(live, bound.operation, at as Partial<RouteObjects<OnAgent>>, bound.agents?.(value))
  if (noticesOf(bound.operation).includes('rights')) await live.rightsChanged()
  return value
}
