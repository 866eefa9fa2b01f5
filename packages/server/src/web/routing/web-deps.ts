import type { Hub } from '../live/hub.ts'
import type { Deps } from './deps.ts'
import type { SignIn } from './sign-in.ts'

/** The dependencies of the page's routes, except `signIn`. */
export interface WebNeeds extends Deps {
  live: Hub
  /** The folder of the built page; by default the folder in which packages/dashboard builds it. */
  pageDir?: string
  /** The folder of the rendered documents for `/help`; by default the folder into which the build puts them. */
  helpDir?: string
}
export interface WebDeps extends WebNeeds {
  signIn: SignIn
}
