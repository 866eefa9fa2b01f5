import type { Deps } from '../../deps.ts'
import type { Hub } from '../../live/hub.ts'
import type { SignIn } from './sign-in.ts'

/** What this part needs besides what everybody is given: the live hub whole. */
export interface WebNeeds extends Deps {
  live: Hub
  /** The folder of the built page; the dashboard's own when it is not said. */
  pageDir?: string
}
export interface WebDeps extends WebNeeds {
  signIn: SignIn
}
