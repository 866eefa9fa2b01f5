/** The name of the user of this process. */
import { userInfo } from 'node:os'

/** Returns the name; undefined for a user id without a name, as in containers. */
export function userName(): string | undefined {
  try {
    return userInfo().username
  } catch {
    return undefined
  }
}
