/**
 * The cookies of the service. Scripts cannot read them. Browsers send them with a request from another site only when a
 * person follows a link.
 */
import { parse, serialize } from 'hono/utils/cookie'

/** The name of a cookie. `earlier` is its name in earlier versions, under which a browser may still send it. */
interface CookieNames {
  name: string
  earlier: string
}

/**
 * The name of a cookie of the service at this base address. Browsers send a cookie to all ports of a host, so a port of
 * the address is part of the name: a person who signs in to one installation then stays signed in to another one on the
 * same host. Over https the name starts with `__Host-`, which binds the cookie to this host, this path, and TLS.
 */
export function cookieNames(name: string, baseUrl: string): CookieNames {
  const { port, protocol } = new URL(baseUrl)
  const earlier = protocol === 'https:' ? `__Host-${name}` : name
  return { name: port === '' ? earlier : `${earlier}.${port}`, earlier }
}

/** The cookie by which the accounts library knows a session. */
export const sessionCookie = (baseUrl: string): CookieNames => cookieNames('svc.session', baseUrl)

/**
 * Returns the header `Cookie` of a request. If it has this cookie only under the name `earlier`, the cookie gets the
 * present name.
 */
export function withPresentName(cookies: string, { name, earlier }: CookieNames): string {
  if (name === earlier || parse(cookies, name)[name] !== undefined) return cookies
  const pairs = cookies.split(';').map((pair) => pair.trim())
  return pairs.map((pair) => (pair.startsWith(`${earlier}=`) ? name + pair.slice(earlier.length) : pair)).join('; ')
}

interface OwnCookie {
  /** Returns the value of this cookie in the header `Cookie` of a request; undefined if it is not there. */
  find(cookies: string | undefined): string | undefined
  /** Makes the header `Set-Cookie` for a value that the browser keeps for this number of seconds. */
  set(value: string, seconds: number): string
}

/** A cookie that the service itself sets. */
export function ownCookie(short: string, baseUrl: string): OwnCookie {
  const names = cookieNames(short, baseUrl)
  const secure = baseUrl.startsWith('https:')
  return {
    find: (cookies = '') => parse(withPresentName(cookies, names), names.name)[names.name],
    set: (value, maxAge) =>
      serialize(names.name, value, { maxAge, path: '/', httpOnly: true, secure, sameSite: 'Lax' }),
  }
}
