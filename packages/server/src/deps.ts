import type { Base } from './base.ts'
import type { Store } from './db/open.ts'
import type { Auth } from './people/auth.ts'
import type { Releases } from './releases/releases.ts'

/**
 * The dependencies of the upper parts of the service, such as routes, pages and the sweeper. `now` is a function here;
 * the functions that these parts call get the time as an argument.
 */
export interface Deps extends Base {
  store: Store
  auth: Auth
  /** The runtime that `/cli/` serves. */
  releases: Releases
}
