/** Tests how many invitations by mail a workspace sends, and what they say. */
import { expect, test } from 'vitest'
import { mailbox } from '../../../../../testing/mailbox.ts'
import { serve } from '../../../testing/page/service.ts'
import { invitationToMail } from './accepting.ts'

async function newSetup() {
  const { url } = await mailbox()
  const service = await serve({ smtpUrl: url })
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const invite = (email: string, mail = true) =>
    ann.send<{ id: string }>('POST', '/api/web/w/north/invitations', { email, role: 'member', mail })
  const withdraw = (id: string) => ann.send('DELETE', `/api/web/w/north/invitations/${id}`)
  return { service, ann, invite, withdraw }
}

test('an address gets three invitations by mail in a day, although they were withdrawn', async () => {
  const { service, invite, withdraw } = await newSetup()
  for (let i = 0; i < 3; i++) await withdraw((await invite(`victim+${i}@example.org`)).body.id)
  expect(await invite('victim@example.org')).toMatchObject({
    status: 429,
    body: { error: { code: 'rate_limited', message: expect.stringContaining('It is possible again on 20') } },
  })
  expect((await invite('victim@example.org', false)).status).toBe(201)
  expect((await invite('bob@example.org')).status).toBe(201)
  service.pass(86_400)
  expect((await invite('victim@example.org')).status).toBe(201)
})

test('a workspace sends 50 invitations by mail in a day', async () => {
  const { invite, withdraw } = await newSetup()
  for (let i = 0; i < 50; i++) await withdraw((await invite(`p${i}@example.org`)).body.id)
  expect((await invite('last@example.org')).status).toBe(429)
})

test('a mail about an invitation repeats no name that holds an address', async () => {
  const { service, ann, invite } = await newSetup()
  await ann.send('PATCH', '/api/web/me', { name: 'Suspended, see http://evil.example/login' })
  await ann.send('PATCH', '/api/web/w/north', { name: 'www.evil.example' })
  const { id } = (await invite('bob@example.org')).body
  expect(await invitationToMail(service, id, service.now())).toMatchObject({
    invitedBy: 'Somebody',
    workspace: 'a workspace',
  })
})
