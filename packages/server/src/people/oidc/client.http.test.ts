/** Tests how long the service waits for a sign-in provider, with a real one on this machine. */
import { expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { providerBrowser, startProvider } from '../../../testing/oidc.ts'
import { openProvider, wayBackPath } from './client.ts'
import type { Visit } from './state.ts'

const baseUrl = 'http://localhost'
const visit = (): Visit => ({
  ...{ state: 'state', nonce: 'nonce', verifier: 'v'.repeat(43), expiresAt: Date.now() + 600_000 },
  purpose: { is: 'sign-in', next: '/', again: false },
})

test.each(['silent', 'drip'] as const)(
  'a provider that fails with %s is given up at the deadline, and its connection ends',
  async (calls) => {
    const provider = await startProvider()
    provider.fails = { calls }
    const { addressFor } = openProvider(provider.settings, { baseUrl, now: Date.now, withinMs: 50 })
    await expect(addressFor(visit())).rejects.toMatchObject({ code: 'late' })
    await eventually('the connection ends', () => expect(provider.cut).toEqual(provider.calls))
    expect(provider.calls).toHaveLength(1)
  },
)

test.each(['silent', 'drip'] as const)('the stop of the service ends a call that fails with %s', async (calls) => {
  const provider = await startProvider()
  provider.fails = { calls }
  const stopping = new AbortController()
  const { addressFor } = openProvider(provider.settings, { baseUrl, now: Date.now, stop: stopping.signal })
  const asked = addressFor(visit()).catch((error) => error)
  await eventually('the provider is called', () => expect(provider.calls).toHaveLength(1))
  stopping.abort()
  expect(await asked).toMatchObject({ code: 'stopped' })
  await eventually('the connection ends', () => expect(provider.cut).toEqual(provider.calls))
})

test('the requests of a way back have one deadline together', async () => {
  const provider = await startProvider()
  provider.knows(baseUrl)
  const [limit, delay] = [600, 250]
  const given = visit()
  const patient = openProvider(provider.settings, { baseUrl, now: Date.now })
  const address = await patient.addressFor(given)
  const way = await providerBrowser(provider).goes(address, 'ann')
  expect(way.pathname).toBe(wayBackPath)
  const hurried = openProvider(provider.settings, { baseUrl, now: Date.now, withinMs: limit })
  // Each of the requests for addresses, token, keys and person ends in time, and all together do not.
  provider.fails = { delay, claims: ({ email: _, email_verified: __, ...rest }) => rest }
  await expect(hurried.claimsOf(given, way.search)).rejects.toMatchObject({ code: 'late' })
})
