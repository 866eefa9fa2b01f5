/**
 * The cookie for the first half of a sign-in of somebody who has a second factor. Its token is no session: it only
 * allows the person to show the factor, once and within ten minutes.
 */
import { randomBytes } from 'node:crypto'
import { halfSignInMs } from '../factors/rules.ts'
import { ownCookie } from './cookies.ts'

export interface HalfCookies {
  /** The token in the request's cookies; undefined if there is none. */
  find(cookies: string | undefined): string | undefined
  set(token: string): string
  clear(): string
}

/** Makes the token of the first half of a sign-in. */
export const newHalfToken = (): string => randomBytes(32).toString('base64url')

export function halfCookies(baseUrl: string): HalfCookies {
  const cookie = ownCookie('svc.half', baseUrl)
  return {
    find(cookies) {
      const token = cookie.find(cookies)
      return token !== undefined && /^[\w-]{43}$/.test(token) ? token : undefined
    },
    set: (token) => cookie.set(token, halfSignInMs / 1000),
    clear: () => cookie.set('', 0),
  }
}
