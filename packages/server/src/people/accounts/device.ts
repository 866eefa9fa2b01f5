/**
 * The cookie of a browser in which somebody signed in before. It grants no access: sign-in limits count such a browser
 * separately, and passwords from it are checked first. It outlives sessions and identifies up to three accounts by
 * signatures only.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { ownCookie } from './cookies.ts'

/** The lifetime of the cookie in seconds, the longest that browsers accept. */
const maxAgeSeconds = 400 * 86_400
const maxMarks = 3
/**
 * The form of one mark in the cookie: the time of issue (Unix seconds, base 36), the id of the browser (128 bits), and
 * the signature.
 */
const markPattern = /^[0-9a-z]{1,8}\.[\w-]{22}\.[\w-]{43}$/

interface Devices {
  /**
   * Returns the id of the browser if it has signed in to the account of this e-mail address before; otherwise
   * undefined.
   */
  find(cookies: string | undefined, email: string, now: number): string | undefined
  /**
   * Returns the id of a browser in which anybody has signed in before, whatever the account; undefined if the browser
   * is unknown, or has only a cookie of an earlier version.
   */
  browser(cookies: string | undefined, now: number): string | undefined
  /**
   * Returns the cookie to set after a sign-in to this account. `session` is the token of the session: a session gets
   * only one browser id, however often it asks, so a stolen session cannot pass for many browsers.
   */
  renew(cookies: string | undefined, email: string, now: number, session?: string): string
}

export function deviceCookies({ secret, baseUrl }: { secret: string; baseUrl: string }): Devices {
  const cookie = ownCookie('svc.device', baseUrl)

  function marksIn(cookies: string | undefined): string[] {
    const marks = cookie.find(cookies)?.split('~') ?? []
    return marks.filter((mark) => markPattern.test(mark)).slice(0, maxMarks)
  }
  function isGood(mark: string, email: string, now: number): boolean {
    const [issued = '', nonce = '', signature = ''] = mark.split('.')
    const age = now / 1000 - Number.parseInt(issued, 36)
    const right = Buffer.from(sign(issued, nonce, email))
    return age <= maxAgeSeconds && timingSafeEqual(right, Buffer.from(signature))
  }
  /**
   * Makes the id of a browser. Its second half signs the first, so `browser` recognises it without knowing an account.
   */
  function idOf(session: string | undefined): string {
    const half = session === undefined ? randomBytes(8) : mac(`device of ${session}`)
    return Buffer.concat([half, mac(`browser ${half.toString('base64url')}`)]).toString('base64url')
  }
  function isOurs(id: string): boolean {
    const bytes = Buffer.from(id, 'base64url')
    const half = bytes.subarray(0, 8)
    const right = mac(`browser ${half.toString('base64url')}`)
    return bytes.length === 16 && timingSafeEqual(right, bytes.subarray(8))
  }
  const mac = (text: string): Buffer => createHmac('sha256', secret).update(text).digest().subarray(0, 8)
  const sign = (issued: string, nonce: string, email: string): string =>
    createHmac('sha256', secret).update(`device ${issued} ${nonce} ${email}`).digest('base64url')

  return {
    find(cookies, email, now) {
      return marksIn(cookies)
        .find((mark) => isGood(mark, email, now))
        ?.split('.')[1]
    },
    browser(cookies, now) {
      const marks = marksIn(cookies).map((mark) => mark.split('.'))
      const isYoung = (issued = '') => now / 1000 - Number.parseInt(issued, 36) <= maxAgeSeconds
      return marks.find(([issued, id = '']) => isYoung(issued) && isOurs(id))?.[1]
    },
    renew(cookies, email, now, session) {
      const issued = Math.floor(now / 1000).toString(36)
      const nonce = idOf(session)
      const others = marksIn(cookies).filter((mark) => !isGood(mark, email, now))
      const marks = [`${issued}.${nonce}.${sign(issued, nonce, email)}`, ...others].slice(0, maxMarks)
      return cookie.set(marks.join('~'), maxAgeSeconds)
    },
  }
}
