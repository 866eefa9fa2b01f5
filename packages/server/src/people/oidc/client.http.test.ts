/** Tests how long the service waits for a sign-in provider, with a real one on this machine. */
import { expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { providerBrowser, startProvider, type TestProvider } from '../../../testing/oidc.ts'
import { callbackPath, openProvider, ProviderCallFailed } from './client.ts'
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
    const { addressFor } = openProvider(provider.settings, { baseUrl, now: Date.now, withinMs: 250 })
    await expect(addressFor(visit())).rejects.toMatchObject({ why: 'late' })
    expect(provider.calls).toHaveLength(1)
    await eventually('the connection ends', () => expect(provider.cut).toEqual(provider.calls))
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
  expect(await asked).toMatchObject({ why: 'stopped' })
  await eventually('the connection ends', () => expect(provider.cut).toEqual(provider.calls))
})

test('the requests of a callback have one deadline together', async () => {
  const provider = await startProvider()
  provider.knows(baseUrl)
  const [limit, delay] = [600, 250]
  const given = visit()
  const patient = openProvider(provider.settings, { baseUrl, now: Date.now })
  const address = await patient.addressFor(given)
  const way = await providerBrowser(provider).goes(address, 'ann')
  expect(way.pathname).toBe(callbackPath)
  const hurried = openProvider(provider.settings, { baseUrl, now: Date.now, withinMs: limit })
  // Each of the requests for addresses, token, keys and person ends in time, and all together do not.
  provider.fails = { delay, claims: ({ email: _, email_verified: __, ...rest }) => rest }
  await expect(hurried.claimsOf(given, way.search)).rejects.toMatchObject({ why: 'late' })
})

test.each([
  ['that answers wrongly', true],
  ['that is not there', false],
])('a call of a provider %s says whether the provider answered: %s', async (_, answered) => {
  const provider = await startProvider()
  if (answered) provider.fails = { calls: 'error' }
  else await provider.close()
  const { addressFor } = openProvider(provider.settings, { baseUrl, now: Date.now })
  await expect(addressFor(visit())).rejects.toMatchObject({ answered })
})

test('a sign-in that the person cancelled calls the provider no further', async () => {
  const provider = await startProvider()
  const { addressFor, claimsOf } = openProvider(provider.settings, { baseUrl, now: Date.now })
  await addressFor(visit())
  const query = `?error=access_denied&state=state&iss=${encodeURIComponent(provider.issuer)}`
  const why = 'OAUTH_AUTHORIZATION_RESPONSE_ERROR access_denied'
  await expect(claimsOf(visit(), query)).rejects.toMatchObject({ answered: false, why })
  expect(provider.calls).toHaveLength(1)
})

test('a callback that fails before the provider is called does not count as a failure of the provider', async () => {
  const provider = await startProvider()
  const clock = { now: Date.now() }
  const { addressFor, claimsOf } = openProvider(provider.settings, { baseUrl, now: () => clock.now })
  for (const query of ['?code=x&state=state&iss=https%3A%2F%2Fx.example', '?code=x&state=other', '?state=state']) {
    await addressFor(visit())
    clock.now += 11_000
    await expect(claimsOf(visit(), query)).rejects.toBeInstanceOf(ProviderCallFailed)
  }
  await addressFor(visit())
  expect(provider.calls).toEqual(['/.well-known/openid-configuration'])
})

const causes: [says: string, why: string, fails: (provider: TestProvider, open: Opened) => Promise<unknown>][] = [
  [
    'an answer that is too large',
    'answer_too_large',
    (provider, { addressFor }) => {
      provider.fails = { calls: 'large' }
      return addressFor(visit())
    },
  ],
  [
    'another issuer on the callback',
    'OAUTH_INVALID_RESPONSE',
    (_, { claimsOf }) => claimsOf(visit(), '?code=x&state=state&iss=https%3A%2F%2Fx.example'),
  ],
  [
    'a code that the provider does not know',
    'OAUTH_RESPONSE_BODY_ERROR invalid_grant',
    (provider, { claimsOf }) => {
      provider.knows(baseUrl)
      return claimsOf(visit(), `?code=x&state=state&iss=${encodeURIComponent(provider.issuer)}`)
    },
  ],
  [
    'a token that names nobody',
    'names_nobody',
    async (provider, { addressFor, claimsOf }) => {
      provider.knows(baseUrl)
      provider.fails = { claims: (claims) => ({ ...claims, sub: 'x'.repeat(300) }) }
      const given = visit()
      const way = await providerBrowser(provider).goes(await addressFor(given), 'ann')
      return claimsOf(given, way.search)
    },
  ],
]
type Opened = ReturnType<typeof openProvider>

test.each(causes)('%s has the reason %s, in which no word stands twice', async (_, why, fails) => {
  const provider = await startProvider()
  const opened = openProvider(provider.settings, { baseUrl, now: Date.now })
  await expect(fails(provider, opened)).rejects.toMatchObject({ why })
})
