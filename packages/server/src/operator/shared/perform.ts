/** Makes the change of an operation for a command of `svc-server`, with the same function as the page's route. */
import type { Operation, ParamsOf, Route } from '@svc/api'
import type { RunInTransaction } from '../../platform/db/transaction.ts'
import type { boundOperations } from '../../web/operations/all.ts'
import type { BoundChange, BoundLongChange, BoundOperation, RouteObjects } from '../../web/routing/operations.ts'
import { grantedToOperator, operator, type ServiceParts } from './request.ts'

type OperatorChange = Extract<(typeof boundOperations)[number], BoundChange | BoundLongChange>
type ChangeOf<R> = Extract<OperatorChange, { operation: { route: R } }>
/** The value that the function of this route returns. */
type ValueOf<R> = ChangeOf<R> extends { agents?(value: infer Value): unknown } ? Value : never
/** The objects that the path of a route names, and its other parameters, such as the id of a rollout. */
type At<R extends Route> = RouteObjects<R> & Omit<ParamsOf<R>, 'slug' | 'name'>

/** Makes a change for the operator without checking a right. `at` has what the page's route reads from its path. */
export async function perform<R extends OperatorChange['operation']['route'], Read>(
  service: ServiceParts,
  operation: Operation<R, Read>,
  at: At<R>,
  ...[input]: undefined extends Read ? [input?: Read] : [input: Read]
): Promise<ValueOf<R>> {
  const { boundOperations } = await import('../../web/operations/all.ts')
  const { noticesOf, notifyPages } = await import('../../web/routing/operations.ts')
  const { transaction } = await import('../../platform/db/transaction.ts')
  const { store, live, now } = service
  const bound = (boundOperations as readonly BoundOperation[]).find((each) => each.operation === operation)
  if (!bound || 'read' in bound || 'actAsPerson' in bound) throw new Error(`${operation.route} has no such change.`)
  const context = { ...at, params: at, by: operator, role: 'admin' as const, factorMissing: false, now: now() }
  const write: RunInTransaction = (work) => transaction(store.db, work)
  const value =
    'makeLongChange' in bound
      ? grantedToOperator(await bound.makeLongChange({ ...context, people: service, write }, input))
      : await write(async (db) =>
          grantedToOperator(
            await bound.act({ ...context, db, people: { ...service, store: { ...store, db } } }, input),
          ),
        )
  await bound.continueWork?.(service, at, value, now())
  notifyPages(live, operation, at, bound.agents?.(value))
  if (noticesOf(operation).includes('rights')) await live.rightsChanged()
  return value as ValueOf<R>
}
