/** Tests views over the routes of the page: what is refused, and the rights of members. */
import type { Members, SavedView } from '@svc/api'
import { expect, test } from 'vitest'
import { type Browser, serve } from '../../../testing/page/service.ts'

const w = '/api/web/w/north'
const bad = { name: 'Bad ones', q: 'level:bad' }

async function start() {
  const service = await serve()
  await service.workspace('north')
  const ann = await service.person('Ann', 'north', 'admin')
  const bob = await service.person('Bob', 'north', 'member')
  const save = (who: Browser, body: object) => who.send<SavedView & { error?: Refused }>('PUT', `${w}/views`, body)
  const views = async (who: Browser) => (await who.get<SavedView[]>(`${w}/views`)).body
  return { service, ann, bob, save, views }
}
interface Refused {
  code: string
  message: string
  at?: number
  length?: number
}

test('a view is made with 201, replaced with 200, listed, and removed', async () => {
  const { ann, save, views } = await start()
  const made = await save(ann, { ...bad, name: '  Bad ones ' })
  const view = { ...bad, id: made.body.id, shared: false, sort: null, columns: null }
  expect([made.status, made.body]).toEqual([201, view])
  const more = { sort: '-seen', columns: ['host', 'tags'] }
  const replaced = await save(ann, { ...bad, ...more, id: 'another' })
  expect([replaced.status, replaced.body]).toEqual([200, { ...view, ...more }])
  expect(await views(ann)).toEqual([{ ...view, ...more }])
  expect((await ann.send('DELETE', `${w}/views/${view.id}`)).body).toEqual({ ok: true })
  expect(await views(ann)).toEqual([])
  expect((await ann.send('DELETE', `${w}/views/${view.id}`)).status).toBe(404)
})

test('a view that replaces another one by its id is renamed, unless the name is taken', async () => {
  const { ann, save, views } = await start()
  const { id } = (await save(ann, bad)).body
  const renamed = await save(ann, { ...bad, name: 'In trouble', replaces: id })
  expect([renamed.status, renamed.body]).toMatchObject([200, { id, name: 'In trouble' }])
  await save(ann, bad)
  const taken = await save(ann, { ...bad, replaces: id })
  expect([taken.status, taken.body.error?.code]).toEqual([409, 'view_taken'])
  const unknown = await save(ann, { ...bad, replaces: 'nothing' })
  expect([unknown.status, unknown.body.error?.code]).toEqual([404, 'view_unknown'])
  expect((await views(ann)).map(({ name }) => name)).toEqual(['Bad ones', 'In trouble'])
})

test.each([
  ['no name', { name: undefined }, 'body_invalid', /^name must be a text: it is missing/],
  ['an empty name', { name: ' ' }, 'name_invalid', /^The name of a view must have 1 to 60 characters: got 0/],
  ['a name of 61 characters', { name: '🎉'.repeat(61) }, 'name_invalid', /got 61\.$/],
  ['a name on two lines', { name: 'Bad\nones' }, 'body_invalid', /^name holds /],
  ['no filter', { q: undefined }, 'body_invalid', /^q must be a text: it is missing/],
  ['an unknown order', { sort: 'mood' }, 'body_invalid', /^sort must be one of "name", /],
  ['an unknown column', { columns: ['mood'] }, 'body_invalid', /^columns\[0\] must be one of "state", /],
  ['a column twice', { columns: ['host', 'host'] }, 'body_invalid', /got "host" twice/],
  ['a text as columns', { columns: 'host' }, 'body_invalid', /^columns must be a list/],
  ['a wrong owner', { shared: 'yes' }, 'body_invalid', /^shared must be true or false/],
  ['a number for the view that it replaces', { replaces: 5 }, 'body_invalid', /^replaces must be a text/],
  ['NUL in the filter', { q: '"a\0b"' }, 'body_invalid', /^q holds a character that cannot be shown/],
])('a view with %s is refused, and the one that is there stays', async (_what, wrong, code, message) => {
  const { ann, save, views } = await start()
  await save(ann, bad)
  const before = await views(ann)
  const { status, body } = await save(ann, { ...bad, ...wrong })
  expect([status, body.error?.code, body.error?.message]).toEqual([400, code, expect.stringMatching(message)])
  expect(await views(ann)).toEqual(before)
})

test.each([
  ['level:green', 6, 5],
  ['tag:eu colour:red', 7, 6],
  [`${'a'.repeat(500)}b`, 500, 1],
])('the filter %s is refused with the place of the mistake', async (q, at, length) => {
  const { ann, save, views } = await start()
  const { status, body } = await save(ann, { ...bad, q })
  expect([status, body.error]).toEqual([400, expect.objectContaining({ code: 'filter_invalid', at, length })])
  expect(await views(ann)).toEqual([])
})

test('members save views of their own and see those of the workspace, which only admins change', async () => {
  const { ann, bob, save, views } = await start()
  const common = (await save(ann, { ...bad, shared: true })).body
  expect((await save(bob, { ...bad, name: 'Mine' })).status).toBe(201)
  expect((await views(bob)).map(({ name, shared }) => [name, shared])).toEqual([
    ['Bad ones', true],
    ['Mine', false],
  ])
  expect((await views(ann)).map(({ name }) => name)).toEqual(['Bad ones'])
  for (const answer of [
    await save(bob, { ...bad, q: '', shared: true }),
    await bob.send<{ error: Refused }>('DELETE', `${w}/views/${common.id}`),
  ])
    expect([answer.status, answer.body.error?.code]).toEqual([403, 'not_allowed'])
  expect(await views(ann)).toEqual([common])
})

test('a person who comes back to a workspace does not find the views of before', async () => {
  const { service, ann, bob, save, views } = await start()
  await save(bob, bad)
  const { members } = (await ann.get<Members>(`${w}/members`)).body
  expect((await ann.send('DELETE', `${w}/members/${members.find(({ name }) => name === 'Bob')?.id}`)).status).toBe(200)
  const asked = { email: 'bob@example.org', role: 'member' }
  const { url } = (await ann.send<{ url: string }>('POST', `${w}/invitations`, asked)).body
  await bob.send('POST', url.replace(/.*\/invitation\//, '/api/web/invitations/'), {})
  expect(await views(bob)).toEqual([])
  expect(await service.store.db.selectFrom('saved_view').select('id').execute()).toEqual([])
})

test('an admin without the second factor that the workspace requires keeps own views, and is told what lacks', async () => {
  const { service, ann, save } = await start()
  expect((await ann.send('PATCH', w, { factorFrom: service.now() - 1 })).status).toBe(200)
  expect((await save(ann, bad)).status).toBe(201)
  const { status, body } = await save(ann, { ...bad, shared: true })
  expect([status, body.error?.code]).toEqual([403, 'factor_required'])
})
