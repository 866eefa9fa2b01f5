/** The cookies that the service itself sets. No script of the page and no other site reads or sends them. */
import { parse, serialize } from 'hono/utils/cookie'

interface OwnCookie {
  /** The value in the header `Cookie` of a request; undefined if there is none. */
  find(cookies: string | undefined): string | undefined
  /** The header `Set-Cookie` for a value that lasts so long. */
  set(value: string, seconds: number): string
}

export function ownCookie(name: string, { https }: { https: boolean }): OwnCookie {
  const full = https ? `__Host-${name}` : name
  return {
    find: (cookies = '') => parse(cookies, full)[full],
    set: (value, maxAge) =>
      serialize(full, value, { maxAge, path: '/', httpOnly: true, secure: https, sameSite: 'Lax' }),
  }
}
