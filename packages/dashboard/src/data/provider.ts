/** The way of the browser to the sign-in provider of the service (OpenID Connect), and back. */

/** The address that leads the browser to the provider, and after a sign-in there to `next`, an address of this page. */
export const providerAddress = (next: string): string => startAddress({ next })

const startAddress = (asked: Record<string, string>): string => `/api/web/oidc/start?${new URLSearchParams(asked)}`

/** The parameter that the address of the page has after a sign-in that was a proof. */
const signedInKey = 'signed-in'
/** The maximum length of `next`. For a longer one, the service leads the browser to the first page instead. */
const maxNextLength = 400

/**
 * The address that leads the browser to the provider, which asks the person even if they are signed in there, and then
 * back to this address.
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

/** Removes the mark of a sign-in that was a proof from the page's address. True if the address had the mark. */
export function takeSignedInAgain(): boolean {
  const here = new URL(window.location.href)
  if (!here.searchParams.has(signedInKey)) return false
  here.searchParams.delete(signedInKey)
  window.history.replaceState(window.history.state, '', here)
  return true
}

/**
 * Leaves the page for another address. The promise resolves if the browser comes back to the page as it was, so that a
 * button stays busy until the page is gone.
 */
export const leaveFor = (address: string): Promise<void> =>
  new Promise((back) => {
    window.addEventListener('pageshow', () => back(), { once: true })
    window.location.assign(address)
  })
