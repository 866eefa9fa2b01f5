import type {
  AgentPage,
  AuditEntry,
  BlueprintPage,
  Blueprints,
  BlueprintVersion,
  Bots,
  InstallCode,
  LiveFrame,
  NewCode,
  NewCodes,
  RefusalBody,
  WorkspaceProduct,
} from '@svc/api'
import { expect, test } from 'vitest'
import { type BundleOptions, bundle } from '../../../testing/bundles.ts'
import { type Browser, operator, serve, value } from '../../../testing/page/service.ts'
import { addProduct } from '../../fleet/products/store.ts'
import { activate } from '../../people/workspaces/store.ts'

const w = '/api/web/w/north'

async function start() {
  const service = await serve()
  const north = await service.workspace('north')
  const ada = await service.person('Ada', 'north', 'admin')
  const bob = await service.person('Bob', 'north', 'member')
  const { secret } = value(
    await addProduct(
      { db: service.store.db, by: operator, now: service.now() },
      { id: 'tasks', origin: 'https://tasks.example.org' },
    ),
  )
  value(await activate({ db: service.store.db, by: operator, now: service.now() }, 'north', 'tasks'))
  const upload = async (who: Browser, bytes: Uint8Array, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${service.origin}${w}/blueprints`, {
      method: 'POST',
      body: Buffer.from(bytes),
      headers: { cookie: who.cookie, origin: service.origin, 'content-type': 'application/zip', ...headers },
    })
    return { status: answer.status, body: (await answer.json()) as BlueprintVersion & RefusalBody }
  }
  const call = async (path: string, code: string) => {
    const answer = await fetch(`${service.origin}/api/agent/v1/${path}`, {
      method: 'POST',
      body: JSON.stringify({ code }),
    })
    return { status: answer.status, body: (await answer.json()) as { env: Record<string, string> } }
  }
  return { service, north, ada, bob, secret, upload, call }
}
const bound: BundleOptions = { bindings: ['tasks:editor:tasks.write'], logs: ['work'], description: 'Sorts mail.' }

test('a version can be uploaded, get an install code and be installed; the page shows the agent with its binding, which can be revoked', async () => {
  const { service, ada, upload, call, secret } = await start()
  const made = await upload(ada, await bundle(bound))
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({ blueprint: 'mail', version: '1.0.0', uploadedBy: 'Ada', canAct: true })
  expect((await ada.get<Blueprints>(`${w}/blueprints`)).body.rows).toMatchObject([
    { name: 'mail', latest: '1.0.0', description: 'Sorts mail.', versions: 1, agents: 0 },
  ])

  const issued = await ada.send<NewCode>('POST', `${w}/codes`, { blueprint: 'mail', version: '1.0.0' })
  expect(issued.status).toBe(201)
  expect(issued.body).toMatchObject({ agentName: 'mail', state: 'live', issuedBy: 'Ada', warnings: [] })
  const { code, id } = issued.body
  expect((await ada.get(`${w}/codes`)).text).not.toContain(code)

  const redeemed = await call('install', code)
  expect(redeemed.status).toBe(200)
  expect((await ada.get<InstallCode>(`${w}/codes/${id}`)).body).toMatchObject({ state: 'redeemed', agent: 'mail' })
  const { SVC_TOKEN: token = '', SVC_BINDING_TASKS_TOKEN: botToken = '' } = redeemed.body.env
  await service.reports(token, {
    agent: { version: '1.0.0' },
    health: [{ name: 'Binding tasks', level: 'ok', detail: 'answered 200' }],
  })
  const page = async () => (await ada.get<AgentPage>(`${w}/agents/mail`)).body
  expect(await page()).toMatchObject({
    blueprint: 'mail',
    createdBy: 'Ada',
    versions: { installed: '1.0.0', running: '1.0.0', previous: null },
    logs: ['work'],
    machineChanges: [],
    bindings: [
      {
        product: 'tasks',
        origin: 'https://tasks.example.org',
        role: 'editor',
        scopes: ['tasks.write'],
        bot: { name: 'mail' },
        token: 'active',
        lastUsedAt: null,
        health: { level: 'ok', detail: 'answered 200' },
        broken: false,
        mends: null,
      },
    ],
  })

  const ask = async () => {
    const answer = await fetch(`${service.origin}/api/product/v1/introspect`, {
      method: 'POST',
      body: new URLSearchParams({ token: botToken }),
      headers: { authorization: `Basic ${Buffer.from(`tasks:${secret}`).toString('base64')}` },
    })
    return (await answer.json()) as { active: boolean }
  }
  expect(await ask()).toMatchObject({ active: true, agent: 'mail' })
  const bots = (await ada.get<Bots>(`${w}/bots`)).body
  expect(bots).toMatchObject({ most: 10, rows: [{ name: 'mail', tokens: [{ agent: 'mail', state: 'active' }] }] })
  expect(bots.rows[0]?.tokens[0]?.lastUsedAt).toBeGreaterThan(0)
  const bot = bots.rows[0]?.id
  expect((await ada.send('POST', `${w}/bots/${bot}/revoke`)).body).toEqual({ revoked: 1 })
  expect(await ask()).toEqual({ active: false })
  // The machine still says that the product answers, but the service knows better.
  expect((await page()).bindings).toMatchObject([
    { token: 'revoked', health: null, broken: true, mends: expect.stringContaining('was revoked here') },
  ])
  expect((await ada.send('DELETE', `${w}/bots/${bot}`)).status).toBe(200)
  expect((await page()).bindings).toMatchObject([{ token: 'none', bot: null, broken: true, role: 'editor' }])
  const activity = (await ada.get<AuditEntry[]>(`${w}/activity`)).body
  const actions = ['bot.deleted', 'bot.revoked', 'agent.installed', 'code.issued', 'blueprint.uploaded']
  expect(activity.slice(0, 5).map(({ action, actor }) => [action, actor])).toEqual(actions.map((a) => [a, 'Ada']))
  expect(JSON.stringify(activity)).not.toMatch(/svc_(inst|agt|bot)_/)
})

test("if a version needs a product that the agent has no token for, the agent's page says so before the update and afterwards", async () => {
  const { ada, service, call, upload } = await start()
  await upload(ada, await bundle(bound))
  const issued = await ada.send<NewCode>('POST', `${w}/codes`, { blueprint: 'mail', version: '1.0.0' })
  const { SVC_TOKEN: token = '' } = (await call('install', issued.body.code)).body.env
  await upload(ada, await bundle({ version: '1.1.0', bindings: ['tasks:editor:tasks.write', 'wiki:reader:b'] }))
  const wiki = async () => {
    const page = (await ada.get<AgentPage>(`${w}/agents/mail`)).body
    return page.bindings.find(({ product }) => product === 'wiki')
  }
  expect(await wiki()).toBeUndefined()
  expect((await ada.send('PUT', `${w}/agents/mail/wishes/blueprint`, { version: '1.1.0' })).status).toBe(200)
  const lacks = {
    token: 'none',
    broken: false,
    mends: expect.stringContaining('The requested version 1.1.0 needs wiki'),
  }
  expect(await wiki()).toMatchObject(lacks)
  const applied = { version: '1.1.0', outcome: 'ok', message: '1.0.0 -> 1.1.0: kept' }
  await service.reports(token, { applied, agent: { version: '1.1.0' } })
  expect(await wiki()).toMatchObject({
    token: 'none',
    broken: true,
    mends: expect.stringContaining('install it again'),
  })
})

test('a refused bundle lists every reason, with the file, and for the manifest the line', async () => {
  const { ada, upload } = await start()
  const zip = Buffer.from(await bundle())
  const climbing = await upload(ada, Buffer.from(zip.toString('latin1').replaceAll('main.py', '../a.py'), 'latin1'))
  expect(climbing.status).toBe(400)
  expect(climbing.body.error).toMatchObject({ code: 'bundle_refused', message: expect.stringContaining('../a.py') })
  expect(climbing.body.error.findings).toContainEqual({
    file: '../a.py',
    line: null,
    column: null,
    message: expect.any(String),
  })
  const whole = await upload(ada, Buffer.from('no zip'))
  expect(whole.body.error.findings).toEqual([{ file: null, line: null, column: null, message: expect.any(String) }])
})

test('an upload notes what macOS added to the zip', async () => {
  const { ada, upload } = await start()
  const { body } = await upload(
    ada,
    await bundle({
      files: { '.svcignore': '!__MACOSX\n!._*\n!.DS_Store\n', '__MACOSX/._main.py': 'x', '.DS_Store': 'x' },
    }),
  )
  expect(body).toMatchObject({ note: expect.stringContaining('macOS added and no agent needs (.DS_Store and 1 more)') })
})

test('another content type than zip is 400, a bundle that is too large 413, an existing version 409', async () => {
  const { ada, upload } = await start()
  const bytes = await bundle()
  for (const type of ['application/json', 'text/plain', 'multipart/form-data', '']) {
    expect((await upload(ada, bytes, { 'content-type': type })).body.error.code).toBe('body_invalid')
  }
  const large = await upload(ada, new Uint8Array(20 * 1024 * 1024 + 1))
  expect([large.status, large.body.error.code]).toEqual([413, 'body_too_large'])
  expect((await upload(ada, bytes)).status).toBe(201)
  const again = await upload(ada, bytes)
  expect([again.status, again.body.error.code]).toEqual([409, 'version_taken'])
  const foreign = await upload(ada, await bundle({ version: '2.0.0' }), { origin: 'https://evil.example.org' })
  expect([foreign.status, foreign.body.error.code]).toEqual([403, 'origin_foreign'])
})

test('a version can be viewed, downloaded as it was uploaded, and deleted; members can view and not change it', async () => {
  const { service, ada, bob, upload } = await start()
  const bytes = Buffer.from(await bundle(bound))
  expect((await upload(bob, bytes)).body.error.code).toBe('not_allowed')
  await upload(ada, bytes)
  await upload(ada, await bundle({ version: '1.1.0+b.2' }))
  const page = (await bob.get<BlueprintPage>(`${w}/blueprints/mail`)).body
  expect(page).toMatchObject({ name: 'mail', canAct: false, agents: [] })
  expect(page.versions.map(({ version }) => version)).toEqual(['1.1.0+b.2', '1.0.0'])
  const version = (await bob.get<BlueprintVersion>(`${w}/blueprints/mail/versions/1.0.0`)).body
  expect(version.manifest).toMatchObject({ name: 'mail', logs: [{ name: 'work', path: 'state/work.log' }] })
  expect(version.files.map(({ path }) => path)).toEqual(['main.py', 'svc.agent.yaml'])
  const zip = await fetch(`${service.origin}${w}/blueprints/mail/versions/1.0.0/bundle`, {
    headers: { cookie: ada.cookie },
  })
  expect(Buffer.from(await zip.arrayBuffer()).equals(bytes)).toBe(true)
  expect(zip.headers.get('content-disposition')).toBe('attachment; filename="mail-1.0.0.zip"')
  expect((await bob.get(`${w}/blueprints/mail/versions/1.0.0/bundle`)).status).toBe(403)
  expect((await bob.send('DELETE', `${w}/blueprints/mail/versions/1.0.0`)).status).toBe(403)
  expect((await ada.get(`${w}/blueprints/mail/versions/1.1.0%2Bb.2`)).status).toBe(200)
  expect((await ada.send('DELETE', `${w}/blueprints/mail/versions/1.1.0%2Bb.2`)).status).toBe(200)
  for (const path of ['/blueprints/other', '/blueprints/mail/versions/1.1.0%2Bb.2', '/codes/x']) {
    expect((await ada.get(w + path)).status).toBe(404)
  }
})

test('a code can be revoked only once, and open pages are notified', async () => {
  const { service, ada, upload, call } = await start()
  await upload(ada, await bundle(bound))
  const issue = (agent?: string) =>
    ada.send<NewCode & RefusalBody>('POST', `${w}/codes`, { blueprint: 'mail', version: '1.0.0', agent })
  const heard = await listen(service.origin, ada)
  const { id, code } = (await issue('north-mail')).body
  await heard((frame) => frame.list)
  expect((await call('install/preview', code)).body).toMatchObject({ agentName: 'north-mail' })
  expect((await ada.send('DELETE', `${w}/codes/${id}`)).status).toBe(200)
  await heard((frame) => frame.list)
  expect((await ada.send<RefusalBody>('DELETE', `${w}/codes/${id}`)).body.error.code).toBe('code_over')
  expect((await call('install/preview', code)).status).toBe(404)
  expect((await ada.get<InstallCode[]>(`${w}/codes`)).body).toMatchObject([{ id, state: 'revoked', agent: null }])
  expect((await issue('No Name')).body.error.code).toBe('agent_name_invalid')
  const missing = await ada.send<RefusalBody>('POST', `${w}/codes`, { blueprint: 'mail', version: '9.0.0' })
  expect([missing.status, missing.body.error.code]).toEqual([404, 'version_unknown'])

  const next = (await issue()).body
  await heard((frame) => frame.list)
  expect((await call('install', next.code)).status).toBe(200)
  await heard((frame) => frame.list)
  expect((await issue()).body).toMatchObject({ agentName: 'mail-2', warnings: [] })
})

test('several codes are issued with one request, or none; a request without a count issues one', async () => {
  const { ada, upload, call } = await start()
  await upload(ada, await bundle({}))
  const issue = (more: object) =>
    ada.send<NewCodes & RefusalBody>('POST', `${w}/codes`, { blueprint: 'mail', version: '1.0.0', ...more })
  for (const count of [0, 51, -1, 1.5, 'three', '3', [], {}, true]) {
    const { status, body } = await issue({ count })
    expect([count, status, body.error.code]).toEqual([count, 400, 'body_invalid'])
    expect(body.error.message).toContain('count must be a whole number from 1 to 50')
  }
  expect((await ada.get<InstallCode[]>(`${w}/codes`)).body).toEqual([])
  const { status, body } = await issue({ count: 3, agent: 'box', tags: ['eu'] })
  expect(status).toBe(201)
  const { codes = [], ...first } = body
  expect(codes.map(({ agentName, tags, state }) => [agentName, tags, state])).toEqual([
    ['box', ['eu'], 'live'],
    ['box-2', ['eu'], 'live'],
    ['box-3', ['eu'], 'live'],
  ])
  expect(first).toEqual(codes[0])
  for (const { code, agentName } of codes)
    expect((await call('install/preview', code)).body).toMatchObject({ agentName })
  // A page of an earlier version sends no count, and reads the fields of one code.
  const single = (await issue({})).body
  expect([single.agentName, single.codes?.length]).toEqual(['mail', 1])
})

test('a code shows what would currently refuse its installation', async () => {
  const { service, north, ada, upload } = await start()
  await upload(ada, await bundle({ bindings: ['tasks:editor:a', 'wiki:reader:b'] }))
  await service.agent(north, 'taken')
  const { body } = await ada.send<NewCode>('POST', `${w}/codes`, {
    blueprint: 'mail',
    version: '1.0.0',
    agent: 'taken',
  })
  expect(body.warnings).toEqual([
    'The product wiki is not activated for the workspace: the operator can activate it.',
    'The workspace already has an agent "taken".',
  ])
  expect((await ada.get<WorkspaceProduct[]>(`${w}/products`)).body).toMatchObject([
    { id: 'tasks', activatedAt: expect.any(Number), bots: 0 },
  ])
})

/** Opens the workspace's stream of frames. Returns a function that waits for the next frame that fits a condition. */
async function listen(origin: string, who: Browser) {
  const answer = await fetch(`${origin}${w}/events`, { headers: { cookie: who.cookie } })
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return async (fits: (frame: LiveFrame) => boolean) => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end < 0) {
        const { value: more, done } = (await reader?.read()) ?? { done: true, value: undefined }
        if (done) throw new Error('The stream ended.')
        text += more
        continue
      }
      const event = text.slice(0, end)
      text = text.slice(end + 2)
      const data = /^event: frame\ndata: (.*)$/s.exec(event)?.[1]
      if (data !== undefined && fits(JSON.parse(data) as LiveFrame)) return
    }
  }
}
