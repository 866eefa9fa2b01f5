import { expect, test } from 'vitest'
import { serve } from '../../../testing/page/service.ts'

test('security.txt names the contact that the operator set, and is never out of date', async () => {
  const service = await serve({ securityContact: 'mailto:security@example.org' })
  const answer = await service.browser().get('/.well-known/security.txt')
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; ?charset=utf-8$/i)
  const fields = Object.fromEntries(
    answer.text
      .trim()
      .split('\n')
      .map((line) => line.split(/: (.*)/)),
  )
  expect(fields).toMatchObject({
    Contact: 'mailto:security@example.org',
    Canonical: `${service.baseUrl}/.well-known/security.txt`,
  })
  const days = (Date.parse(fields.Expires) - service.now()) / 86_400_000
  expect(days).toBeGreaterThan(178)
  expect(days).toBeLessThan(365)
})

test('there is no security.txt when the operator set no contact', async () => {
  const service = await serve()
  expect((await service.browser().get('/.well-known/security.txt')).status).toBe(404)
})
