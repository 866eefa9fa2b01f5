/** Decides which page is opened, from the address and the answer to `GET /door`. */
import type { EntryInfo, Me } from '@svc/api'
import { ApiError } from '../data/api.ts'
import { paths } from '../paths.ts'

/** A page of the door; `id` is the secret in the address of an invitation. */
type DoorPage = { page: 'signIn' | 'start' | 'link' | 'claim' | 'forgot' } | { page: 'invitation'; id: string }

const plainDoorPages = ['signIn', 'start', 'link', 'claim', 'forgot'] as const
const invitationPath = /^\/invitation\/([^/]+)\/?$/i

/** The page of the door at this path; undefined if the path belongs to another page. */
export function doorPageAt(pathname: string): DoorPage | undefined {
  const path = pathname.toLowerCase().replace(/(.)\/+$/, '$1')
  const page = plainDoorPages.find((name) => paths[name] === path)
  if (page) return { page }
  const [, id] = invitationPath.exec(pathname) ?? []
  return id === undefined ? undefined : { page: 'invitation', id: decodePart(id) }
}

/**
 * Returns the answer to assume after `GET /door` failed: nobody is signed in. Returns undefined for paths that may need
 * the session, unless the error is `rate_limited`, which only people without a session get.
 */
export function entryWithoutAnswer(error: unknown, pathname: string): EntryInfo | undefined {
  const page = doorPageAt(pathname)?.page
  const tooMany = error instanceof ApiError && error.code === 'rate_limited'
  if (!tooMany && (page === undefined || page === 'invitation')) return undefined
  return { me: null, first: page === 'start', mail: true, oidc: null, passkeys: false, version: null }
}

type PageToOpen = { is: 'pages'; me: Me } | { is: 'door'; address?: string }

/**
 * The page that an address leads to. A person without a session signs in first, and the address of the sign-in page
 * then remembers where they wanted to go.
 */
export function pageToOpen(
  { pathname, search, hash }: Pick<Location, 'pathname' | 'search' | 'hash'>,
  { me, first }: Pick<EntryInfo, 'me' | 'first'>,
): PageToOpen {
  if (doorPageAt(pathname)) return { is: 'door' }
  if (me) return { is: 'pages', me }
  if (pathname === paths.home) return first ? { is: 'door' } : { is: 'door', address: paths.signIn }
  return { is: 'door', address: `${paths.signIn}?next=${encodeURIComponent(pathname + search + hash)}` }
}

/**
 * Returns `next` if it is a path of this site other than the sign-in page, otherwise the home page. `next` comes from
 * the address, so anybody may have written it.
 */
export const safeNext = (next: string | undefined): string =>
  next !== undefined && /^\/(?![/\\])/.test(next) && !next.startsWith(paths.signIn) ? next : paths.home

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
