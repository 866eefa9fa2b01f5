/**
 * A browser keeps state, nonce and verifier in a sealed cookie while it is at the sign-in provider, for ten minutes. So
 * a sign-in that nobody finishes costs no row, and the callback works in that browser only.
 */
import { randomBytes } from 'node:crypto'
import type { ProviderFailure } from '@svc/api'
import { isAhead } from '@svc/protocol'
import { secretOf } from '../../platform/data-folder.ts'
import { seal, sealKeyOf, unseal } from '../../platform/seal.ts'
import { ownCookie } from '../accounts/cookies.ts'

/** The purpose of a visit to the provider. */
export type VisitPurpose =
  /** Signing in. With `again` the provider asks the person, even if they are signed in there. */
  | { is: 'sign-in'; next: string; again: boolean }
  /** Connecting the account of the person who is signed in with this session. */
  | { is: 'connect'; session: string }

/** A visit of a browser to the provider. */
export interface Visit {
  state: string
  nonce: string
  /** The secret of PKCE, whose hash the provider gets first. */
  verifier: string
  expiresAt: number
  purpose: VisitPurpose
}

/** The milliseconds for which a browser may be at the provider. */
const visitMs = 600_000
/** The time at which a visit began, in Unix milliseconds. */
export const visitBeganAt = ({ expiresAt }: Pick<Visit, 'expiresAt'>): number => expiresAt - visitMs
/** The number of visits that a browser keeps, so that its tabs do not disturb each other. */
const maxVisits = 3
/** The maximum length of an address to which a sign-in leads. The address is part of the cookie. */
const maxNext = 400

/** The visits of a browser. Each function gets the header `Cookie` of its request. */
interface VisitCookies {
  find(cookies: string | undefined, state: string, now: number): Visit | undefined
  /** Makes a visit, and the header `Set-Cookie` that gives it to the browser in addition to earlier ones. */
  make(cookies: string | undefined, purpose: VisitPurpose, now: number): { visit: Visit; cookie: string }
  /** The header `Set-Cookie` that removes a visit from the browser's cookie. */
  end(cookies: string | undefined, state: string, now: number): string
}

export function visitCookies({ dataDir, baseUrl }: { dataDir: string; baseUrl: string }): VisitCookies {
  const cookie = ownCookie('svc.oidc', baseUrl)
  const key = sealKeyOf(secretOf(dataDir), 'oidc')

  function read(cookies: string | undefined, now: number): Visit[] {
    const sealed = cookie.find(cookies)
    const text = sealed === undefined ? undefined : unseal(key, owner, sealed)
    if (text === undefined) return []
    return (JSON.parse(text) as Visit[]).filter(({ expiresAt }) => isAhead(expiresAt, now, visitMs))
  }
  const set = (visits: Visit[]): string =>
    visits.length === 0 ? cookie.set('', 0) : cookie.set(seal(key, owner, JSON.stringify(visits)), visitMs / 1000)

  return {
    find: (cookies, state, now) => read(cookies, now).find((visit) => visit.state === state),
    make(cookies, purpose, now) {
      const visit = {
        state: randomText(),
        nonce: randomText(),
        verifier: randomText(),
        expiresAt: now + visitMs,
        purpose,
      }
      return { visit, cookie: set([...read(cookies, now), visit].slice(-maxVisits)) }
    },
    end: (cookies, state, now) => set(read(cookies, now).filter((visit) => visit.state !== state)),
  }
}

const owner = 'visits'
const randomText = () => randomBytes(32).toString('base64url')

/** The address of a page of this service to which a sign-in may lead; the first page for anything else. */
export function pageAddress(next: string | undefined, baseUrl: string): string {
  if (next === undefined || !/^\/(?![/\\])/.test(next)) return '/'
  const url = URL.parse(next, baseUrl)
  if (url?.origin !== new URL(baseUrl).origin || /^\/(?:api|cli)(?:\/|$)/.test(url.pathname)) return '/'
  const path = url.pathname + url.search + url.hash
  return path.startsWith('//') || path.length > maxNext ? '/' : path
}

/** The address of the sign-in page, which says why a sign-in failed, and leads to `next` after a successful one. */
export const signInAddress = (why: ProviderFailure, next = '/'): string =>
  `/sign-in?${new URLSearchParams({ oidc: why, ...(next !== '/' && { next }) })}`
