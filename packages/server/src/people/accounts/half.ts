/**
 * The cookie for the first half of a sign-in, after a right password or a mailed link of somebody who has a second
 * factor. It is no session: its token allows only to show the factor, for ten minutes, once.
 */
import { randomBytes } from 'node:crypto'
import { halfLasts } from '../factors/rules.ts'

interface HalfCookies {
  /** The token in the request's cookies; undefined if there is none. */
  find(cookies: string | undefined): string | undefined
  set(token: string): string
  clear(): string
}

export const newHalfToken = (): string => randomBytes(32).toString('base64url')

export function halfCookies({ https }: { https: boolean }): HalfCookies {
  const name = https ? '__Host-svc.half' : 'svc.half'
  const cookie = (value: string, seconds: number) =>
    `${name}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; ${https ? 'Secure; ' : ''}SameSite=Lax`
  return {
    find(cookies = '') {
      const found = cookies.split(/; */).find((each) => each.startsWith(`${name}=`))
      const token = found?.slice(name.length + 1)
      return token !== undefined && /^[\w-]{43}$/.test(token) ? token : undefined
    },
    set: (token) => cookie(token, halfLasts / 1000),
    clear: () => cookie('', 0),
  }
}
