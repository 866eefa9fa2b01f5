/** Tests that data of a version before sign-in providers, on both engines, connects with one, and stays as it is. */
import type { Factors, Me, ProviderAddress } from '@svc/api'
import { expect, test } from 'vitest'
import { keptBeforePasskeys, openBeforePasskeys } from '../../../testing/earlier/before-passkeys.ts'
import { comesBack, providerBrowser, signInThrough, startProvider } from '../../../testing/oidc.ts'
import { serve } from '../../../testing/page/service.ts'

const api = (path: string) => `/api/web${path}`

test.each(['sqlite', 'postgres'] as const)('on data of the version before, on %s', async (engine) => {
  const { password, cookie, secret } = keptBeforePasskeys(engine)
  const opened = await openBeforePasskeys(engine)
  const provider = await startProvider()
  const service = await serve({
    ...opened,
    ...{ secret, passwordForm: 'scrypt', hostname: 'localhost', oidc: provider.settings },
  })
  provider.knows(service.baseUrl)
  const old = { cookie }
  expect((await service.browser().get<Factors>(api('/factors'), old)).body).toMatchObject({
    oidc: null,
    password: true,
  })
  const refused = await signInThrough(provider, service.browser(), 'ann')
  expect(refused.headers.get('location'), 'her address was never confirmed').toBe('/sign-in?oidc=exists')

  const bob = service.browser()
  const given = { email: 'bob@example.org', password }
  expect((await bob.send('POST', '/api/auth/sign-in/email', given)).body).toEqual({ ok: true })
  const { body } = await bob.send<ProviderAddress>('POST', api('/factors/oidc'))
  const back = await comesBack(bob, await providerBrowser(provider).goes(body.location, 'bob'))
  expect(back.headers.get('location')).toBe('/account?oidc=connected')
  const next = service.browser()
  await signInThrough(provider, next, 'bob')
  expect((await next.get<Me>(api('/me'))).body).toMatchObject({
    email: 'bob@example.org',
    workspaces: [{ slug: 'north' }],
  })
})
