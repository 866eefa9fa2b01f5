/** Tests that an admin's rights come from what the session has shown, and names everything else that reads a role. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { operator, serve, value } from '../../../testing/page/service.ts'
import { requireFactor } from './requirement.ts'
import { addMember } from './store.ts'

const source = join(import.meta.dirname, '../..')

/** The files that read the role of a member, each with the reason why it needs no session. */
const readers: Record<string, string> = {
  'people/workspaces/rights.ts': 'it decides',
  'people/workspaces/store.ts':
    'roleOf and roleToAct are for changes of the operator and for mails, which have no session',
  'people/workspaces/members.ts': 'it lists and changes what people hold, and counts the last admin',
  'people/workspaces/people.ts': 'it counts the last admin',
  'people/workspaces/invitations.ts': 'it lists whose invitations are void',
  'people/workspaces/open-invitations.ts': 'whoever invited has no session when the invitation is accepted',
  'updates/installs/codes.ts': 'whoever issued a code has no session when a machine redeems it',
  'web/routing/guards.ts': 'it keeps the role that was read',
}

test('only rights.ts reads the role of a member, apart from the files that are listed here with a reason', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.ts$/.test(file) && !/\.test\.ts$|migrations\/|operator\/commands\//.test(file),
  )
  const reads =
    /select\([^)]*'(member\.|other\.)?role|where\('(member\.)?role'|member\.role as|member\.role end|c\.set\('role'/
  const found = files.filter((file) => reads.test(readFileSync(join(source, file), 'utf8')))
  expect(found.sort()).toEqual(Object.keys(readers).sort())
})

test('an admin whose session has not shown the required factor makes no workspace, unless another one gives the right', async () => {
  const service = await serve()
  const north = await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const context = { people: service, by: operator, now: service.now() }
  value(await requireFactor({ ...context, db: service.store.db }, north, service.now()))
  const makes = (slug: string) =>
    ann.send<{ error?: { code: string } }>('POST', '/api/web/workspaces', { slug, name: slug })
  expect((await makes('mine')).body.error?.code).toBe('factor_required')
  await service.workspace('south')
  value(await addMember(context, { slug: 'south', email: 'ann@example.org', role: 'member' }))
  expect((await makes('mine')).body.error?.code).toBe('factor_required')
  await service.workspace('west')
  value(await addMember(context, { slug: 'west', email: 'ann@example.org', role: 'admin' }))
  expect((await makes('mine')).status).toBe(201)
})
