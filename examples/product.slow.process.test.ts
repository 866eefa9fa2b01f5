/**
 * Tests the example product `tasks` with the real service, and with tokens from real installations. `npm test` leaves
 * this out. packages/server/src/fleet/bots/introspect.store.test.ts proves the same rules.
 */
import { chmodSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { probeBinding } from '../packages/runtime/src/reporter/bindings.ts'
import { eventually } from '../testing/eventually.ts'
import { type Binding, call, newProductSetup, Product } from './product-running.ts'

const status = async (binding: Binding, ...more: [method?: string, path?: string, body?: unknown]) =>
  (await call(binding, ...more)).status
/** The health item of a binding, as the runtime derives it from the product's answer to its probe (3.7). */
const health = (binding: Binding) => probeBinding({ product: 'tasks', ...binding }, new AbortController().signal)
const press = (origin: string, path: string, headers: Record<string, string> = { origin }) =>
  fetch(`${origin}${path}`, { method: 'POST', headers, redirect: 'manual' })

test('the workspace answers 200, 403, 401 and 404 as the health of a binding expects, also for a revoked token (3.7)', async () => {
  const setup = await newProductSetup()
  const product = await setup.product()
  const good = await setup.installs('reader')
  const narrow = await setup.installs('narrow', { scopes: ['tasks.write'] })
  expect(good.url).toBe(product.origin)

  expect(await call(good)).toEqual({
    status: 200,
    body: { id: good.workspace, name: 'north', tasks: { open: 0, done: 0 } },
  })
  expect(await status(narrow)).toBe(403)
  expect(await status({ ...good, token: 'nonsense' })).toBe(401)
  expect(await status({ ...good, token: '' })).toBe(401)
  expect(await status({ ...good, workspace: 'another' })).toBe(404)
  expect([(await health(good)).level, (await health(narrow)).level]).toEqual(['ok', 'ok'])

  const id = /action="\/remove\/([\w-]+)"/.exec(await (await fetch(product.origin)).text())?.[1]
  const names = [...(await (await fetch(product.origin)).text()).matchAll(/<b>(\w+)<\/b> <small>editor/g)].map(
    (m) => m[1],
  )
  expect(names).toEqual(['narrow', 'reader'])
  expect((await press(product.origin, `/remove/${id}`)).status).toBe(303)
  expect(await status(narrow)).toBe(404)
  expect((await health(narrow)).level).toBe('bad')
  expect((await press(product.origin, `/admit/${id}`)).status).toBe(303)
  expect(await status(narrow)).toBe(403)

  await setup.home.value(['bot', 'revoke', 'north/reader'])
  await eventually('the revoked token is refused', async () => expect(await status(good)).toBe(401))
  expect((await health(good)).level).toBe('bad')
  expect(await status(narrow)).toBe(403)
  await setup.home.value(['workspace', 'deactivate', 'north', 'tasks'])
  await eventually('the deactivated product refuses', async () => expect(await status(narrow)).toBe(401))
})

test('a bot opens, lists, changes and closes tasks; a repeated call opens no second one; kill -9 loses nothing', async () => {
  const setup = await newProductSetup()
  const product = await setup.product()
  const bot = await setup.installs('keeper')
  const about = { key: 'docs/a.md', title: '1 broken link in docs/a.md', detail: 'line 3: gone.md' }
  const opened = await call(bot, 'POST', '/tasks', about)
  expect(opened).toMatchObject({ status: 201, body: { ...about, state: 'open', author: 'keeper', closed: null } })
  expect(await call(bot, 'POST', '/tasks', about)).toEqual({ ...opened, status: 200 })
  const { id } = opened.body as { id: string }
  expect(await call(bot, 'PATCH', `/tasks/${id}`, { detail: 'line 4: gone.md' })).toMatchObject({
    status: 200,
    body: { title: about.title, detail: 'line 4: gone.md' },
  })

  await product.kill()
  await product.start()
  const open = await call(bot, 'GET', '/tasks?state=open&mine=true')
  expect(open.body).toMatchObject({ tasks: [{ id, detail: 'line 4: gone.md' }] })
  expect(await call(bot, 'PATCH', `/tasks/${id}`, { state: 'done' })).toMatchObject({ body: { state: 'done' } })
  expect((await call(bot, 'GET', '/tasks?state=open')).body).toEqual({ tasks: [] })
  expect((await call(bot)).body).toMatchObject({ tasks: { open: 0, done: 1 } })
  expect(await call(bot, 'POST', '/tasks', about)).toMatchObject({ status: 201 })
  expect(await product.kill('SIGTERM')).toBe(0)
})

test('only bots with the right to write may write, only in their own workspace, and only valid tasks', async () => {
  const setup = await newProductSetup()
  await setup.product()
  await setup.activates('south')
  const [bot, viewer, blind, other] = [
    await setup.installs('editor'),
    await setup.installs('viewer', { role: 'viewer' }),
    await setup.installs('blind', { scopes: ['tasks.read'] }),
    await setup.installs('foreign', { workspace: 'south' }),
  ]
  const task = (await call(bot, 'POST', '/tasks', { title: 'Look at it' })).body as { id: string }
  for (const one of [viewer, blind]) {
    expect(await status(one, 'POST', '/tasks', { title: 'Mine' })).toBe(403)
    expect(await status(one, 'PATCH', `/tasks/${task.id}`, { state: 'done' })).toBe(403)
    expect((await call(one, 'GET', '/tasks')).body).toMatchObject({ tasks: [{ title: 'Look at it', state: 'open' }] })
  }
  expect((await call(other, 'GET', '/tasks')).body).toEqual({ tasks: [] })
  expect(await status(other, 'PATCH', `/tasks/${task.id}`, { state: 'done' })).toBe(404)
  expect(await status({ ...other, workspace: bot.workspace })).toBe(404)
  for (const body of ['{', '[]', '{}', { title: '' }, { title: 7 }, { title: 'x', detail: 7 }])
    expect([body, await status(bot, 'POST', '/tasks', body)]).toEqual([body, 400])
  expect(await status(bot, 'PATCH', `/tasks/${task.id}`, { state: 'gone' })).toBe(400)
  expect(await status(bot, 'POST', '/tasks', { title: 'x'.repeat(70_000) })).toBe(413)
  expect(await status(bot, 'PATCH', '/tasks/nothing', { state: 'done' })).toBe(404)
  expect(await status(bot, 'DELETE', `/tasks/${task.id}`)).toBe(404)
})

test('while the service is away or refuses the secret, a token is neither good nor bad: 503, which is a warning', async () => {
  const setup = await newProductSetup()
  const bot = await setup.installs('waiting')
  const wrong = await setup.product({ TASKS_SECRET: 'not-the-secret' })
  expect(await status(bot)).toBe(503)
  expect(wrong.said).toContain("does not know this product's id and secret")
  await wrong.kill()

  const product = await setup.product()
  await setup.service.kill('SIGKILL')
  expect(await status(bot)).toBe(503)
  expect((await health(bot)).level).toBe('warn')
  await setup.home.start()
  expect(await status(bot)).toBe(200)
  for (const word of [bot.token, setup.secret]) expect(product.said).not.toContain(word)
})

test('the page shows text as text, and nobody can act through a foreign page or under another host name', async () => {
  const setup = await newProductSetup()
  const { origin } = await setup.product()
  const bot = await setup.installs('writer')
  await call(bot, 'POST', '/tasks', { title: '<script>alert(1)</script>', detail: '"&' })
  const page = await fetch(origin)
  const html = await page.text()
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(html).toContain('&#60;script&#62;alert(1)&#60;/script&#62;')
  expect(html).not.toContain('<script')
  const done = /\/done\/[\w-]+/.exec(html)?.[0] ?? ''
  for (const headers of [{}, { origin: 'https://elsewhere.example' }] as Record<string, string>[])
    expect((await press(origin, done, headers)).status).toBe(404)
  const elsewhere = await new Promise((resolve) =>
    get(origin, { headers: { host: 'elsewhere.example' } }, (answer) => resolve(answer.resume().statusCode)),
  )
  expect(elsewhere).toBe(404)
  expect((await press(origin, done)).status).toBe(303)
  expect((await call(bot, 'GET', '/tasks')).body).toMatchObject({ tasks: [{ state: 'done' }] })
})

test.each<[what: string, env: Record<string, string>, says: string]>([
  ['no secret', {}, 'TASKS_SECRET'],
  ['a secret that others can read', { TASKS_SECRET_FILE: 'open.secret' }, 'chmod 600'],
  ['an address with a path', { TASKS_SECRET: 'x', SVC_URL: 'http://localhost:1/app' }, 'SVC_URL must be'],
  ['a file of something else', { TASKS_SECRET: 'x', TASKS_FILE: 'other.json' }, 'is not a file of this task list'],
])('%s is an error in one sentence', async (_what, env, says) => {
  const product = new Product(env)
  writeFileSync(join(product.folder, 'open.secret'), 'secret\n')
  chmodSync(join(product.folder, 'open.secret'), 0o644)
  writeFileSync(join(product.folder, 'other.json'), '{"notes": []}')
  await expect(product.start()).rejects.toThrow(says)
  expect(product.said).not.toContain('    at ')
})
