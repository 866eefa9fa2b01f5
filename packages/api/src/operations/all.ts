/** The list of all operations of the service, grouped by what they are about. */
import type { GivenOf, Operation, ParamsOf, RouteOf, SentOf } from '../operation.ts'
import * as account from './account.ts'
import * as actions from './actions.ts'
import * as agents from './agents.ts'
import * as alertPages from './alert-pages.ts'
import * as alertSettings from './alert-settings.ts'
import * as alerts from './alerts.ts'
import * as blueprints from './blueprints.ts'
import * as commands from './commands.ts'
import * as factors from './factors.ts'
import * as personal from './personal.ts'
import * as rollouts from './rollouts.ts'
import * as updates from './updates.ts'
import * as views from './views.ts'
import * as workspaces from './workspaces.ts'

const nouns = {
  ...account,
  ...factors,
  ...workspaces,
  ...agents,
  ...views,
  ...commands,
  ...actions,
  ...updates,
  ...rollouts,
  ...alerts,
  ...alertPages,
  ...alertSettings,
  ...personal,
  ...blueprints,
}
type Nouns = typeof nouns
type Described = Extract<Nouns[keyof Nouns], Operation>

/** The types of the parameters, the input and the answer of each operation, by its route. */
export type Operations = {
  [O in Described as RouteOf<O>]: { params: ParamsOf<RouteOf<O>>; sent: SentOf<O>; given: GivenOf<O> }
}

const isOperation = (value: object | number): boolean => typeof value === 'object' && 'route' in value

export const operations: readonly Operation[] = Object.values(nouns).filter(isOperation) as Operation[]
