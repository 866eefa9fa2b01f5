/** Sends the browser to the sign-in provider of the service (OpenID Connect), and notices that it came back. */

/** The address that redirects the browser to the provider and, after a sign-in there, to `next` on this page. */
export const providerAddress = (next: string): string => startAddress({ next })

const startAddress = (asked: Record<string, string>): string => `/api/web/oidc/start?${new URLSearchParams(asked)}`

/** The parameter in the page's address after a sign-in that `proofAddress` started. */
const signedInKey = 'signed-in'
/** The maximum length of `next`. The service replaces a longer one with `/`. */
const maxNextLength = 400

/**
 * The address that redirects the browser to the provider and then back to this address. The person must sign in at the
 * provider again, even if they are signed in there.
 */
export function proofAddress({ pathname, search, hash }: Pick<Location, 'pathname' | 'search' | 'hash'>): string {
  const params = new URLSearchParams(search)
  params.set(signedInKey, 'again')
  const whole = `${pathname}?${params}${hash}`
  return startAddress({
    next: whole.length > maxNextLength ? `${pathname}?${signedInKey}=again` : whole,
    again: 'true',
  })
}

/** Removes `signedInKey` from the page's address. Returns true if the address had it. */
export function takeSignedInAgain(): boolean {
  const here = new URL(window.location.href)
  if (!here.searchParams.has(signedInKey)) return false
  here.searchParams.delete(signedInKey)
  window.history.replaceState(window.history.state, '', here)
  return true
}

/**
 * Leaves the page for another address. The promise is pending until then, which keeps a button busy. It resolves if the
 * browser comes back and shows the page as it was.
 */
export const leaveFor = (address: string): Promise<void> =>
  new Promise((back) => {
    window.addEventListener('pageshow', () => back(), { once: true })
    window.location.assign(address)
  })
