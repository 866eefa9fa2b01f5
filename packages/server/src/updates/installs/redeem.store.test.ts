import { createHash } from 'node:crypto'
import { isToken } from '@svc/protocol'
import { expect, test } from 'vitest'
import { level } from '../../../../../testing/level.ts'
import type { BundleOptions } from '../../../testing/bundles.ts'
import { type InstallWorkspace, installing } from '../../../testing/installing.ts'
import { onBothEngines } from '../../../testing/stores.ts'
import { createAgent, deleteAgent } from '../../fleet/agents/store.ts'
import { deleteBot, listBots } from '../../fleet/bots/store.ts'
import { addProduct } from '../../fleet/products/store.ts'
import { activate, deactivate } from '../../people/workspaces/store.ts'
import { hashToken } from '../../platform/tokens.ts'
import { findCode, listCodes, revokeCode } from './codes.ts'
import { issueCodes } from './issue.ts'
import { previewInstall, redeemInstall } from './redeem.ts'

const long = level === 'long'
const bound: BundleOptions = { bindings: ['tasks:editor:tasks.read,tasks.write'] }

onBothEngines('installing', (open) => {
  const start = async (made: BundleOptions = bound) => {
    const w = await installing(await open())
    const bytes = await w.upload(made)
    return { ...w, bytes, db: w.store.db, redeem: (code: string) => redeemInstall(w.store.db, code, w.clock.now()) }
  }
  /** Counts the rows that redeeming a code makes, and the redeemed codes. */
  const everything = async ({ store: { db } }: InstallWorkspace) => {
    const count = async (table: 'agent' | 'bot' | 'bot_token' | 'audit') =>
      (await db.selectFrom(table).select('id').execute()).length
    return {
      agents: await count('agent'),
      bots: await count('bot'),
      tokens: await count('bot_token'),
      audit: await count('audit'),
      used: (await db.selectFrom('install_code').select('id').where('redeemed_at', 'is not', null).execute()).length,
    }
  }

  test('preview and redeem name the same, and the answer has all that the machine needs (I16)', async () => {
    const w = await start({ ...bound, secrets: '[{name: MAIL_PASSWORD, purpose: reads the mailbox}]' })
    const code = await w.issue({ agentName: 'north-mail' })
    const before = await everything(w)
    const preview = await previewInstall(w.db, code, w.clock.now())
    expect(preview).toEqual({
      ok: true,
      value: {
        blueprint: 'mail',
        version: '1.0.0',
        description: '',
        agentName: 'north-mail',
        runtime: 'process',
        secrets: [{ name: 'MAIL_PASSWORD', purpose: 'reads the mailbox', optional: false }],
        bindings: [{ product: 'tasks', role: 'editor', scopes: ['tasks.read', 'tasks.write'] }],
      },
    })
    expect(await everything(w)).toEqual(before)
    const redeemed = await w.redeem(code)
    if (!redeemed.ok) throw new Error(redeemed.message)
    const { answer, bundle, agentId } = redeemed.value
    expect(answer).toEqual({
      agent: { name: 'north-mail' },
      blueprint: 'mail',
      version: '1.0.0',
      sha256: createHash('sha256').update(w.bytes).digest('hex'),
      env: {
        SVC_TOKEN: expect.stringMatching(/^svc_agt_/),
        SVC_BINDING_TASKS_URL: 'https://tasks.example.org',
        SVC_BINDING_TASKS_WORKSPACE: w.workspace.id,
        SVC_BINDING_TASKS_TOKEN: expect.stringMatching(/^svc_bot_/),
      },
    })
    expect(Buffer.from(bundle).equals(Buffer.from(w.bytes))).toBe(true)
    const agent = await w.db.selectFrom('agent').selectAll().where('id', '=', agentId).executeTakeFirst()
    expect(agent).toMatchObject({
      name: 'north-mail',
      blueprint: 'mail',
      installed_version: '1.0.0',
      created_by: 'Ada',
    })
    expect(agent?.token_hash).toBe(hashToken(answer.env.SVC_TOKEN ?? ''))
    const [bot] = await listBots(w.db, w.workspace, w.clock.now())
    expect(bot).toMatchObject({ name: 'north-mail', product: 'tasks', role: 'editor' })
    expect(bot?.tokens).toMatchObject([
      { agent: 'north-mail', state: 'active', scopes: ['tasks.read', 'tasks.write'], lastUsedAt: null },
    ])
    expect((bot?.tokens[0]?.expiresAt ?? 0) - w.clock.now()).toBe(365 * 86_400_000)
  })

  test('a code of an earlier version, which knew no tags, installs an agent without tags', async () => {
    const w = await start()
    const code = await w.issue()
    await w.db.updateTable('install_code').set({ tags: null }).execute()
    expect((await listCodes(w.db, w.workspace, w.clock.now())).map(({ tags }) => tags)).toEqual([[]])
    expect(await w.redeem(code)).toMatchObject({ ok: true })
    expect(await w.db.selectFrom('agent_tag').selectAll().execute()).toEqual([])
  })

  test('no code, token or secret is in the database, only their hashes (I29)', async () => {
    const w = await start()
    const code = await w.issue()
    const redeemed = await w.redeem(code)
    const env = redeemed.ok ? redeemed.value.answer.env : {}
    const tables = ['agent', 'install_code', 'bot', 'bot_token', 'audit', 'product'] as const
    const stored = JSON.stringify(await Promise.all(tables.map((t) => w.db.selectFrom(t).selectAll().execute())))
    for (const secret of [code, env.SVC_TOKEN, env.SVC_BINDING_TASKS_TOKEN, w.secret]) {
      expect(secret).toMatch(/.{43}/)
      expect(stored).not.toContain(secret)
      expect(stored).not.toContain(String(secret).replace(/^svc_\w+?_/, ''))
    }
    expect(isToken('bot', env.SVC_BINDING_TASKS_TOKEN ?? '')).toBe(true)
  })

  test('a code is valid once, for fifteen minutes to the millisecond, and not after it was revoked', async () => {
    const w = await start()
    const used = await w.issue()
    expect(await w.redeem(used)).toMatchObject({ ok: true })
    const [late, just] = [await w.issue({ agentName: 'late' }), await w.issue({ agentName: 'just' })]
    const revoked = await w.issue({ agentName: 'revoked' })
    const row = (await listCodes(w.db, w.workspace, w.clock.now())).find(({ agentName }) => agentName === 'revoked')
    expect(await revokeCode({ db: w.db, by: w.admin, now: w.clock.now() }, w.workspace, row?.id ?? '')).toMatchObject({
      ok: true,
    })
    expect(await revokeCode({ db: w.db, by: w.admin, now: w.clock.now() }, w.workspace, row?.id ?? '')).toMatchObject({
      code: 'code_over',
    })
    w.clock.pass(899.999)
    expect(await w.redeem(just)).toMatchObject({ ok: true })
    w.clock.pass(0.001)
    for (const code of [used, late, revoked, `svc_inst_${'x'.repeat(43)}`, '', 'whatever', 'x'.repeat(3000)]) {
      const unknown = { ok: false, code: 'code_unknown', message: 'There is no such install code.' }
      expect(await w.redeem(code)).toEqual(unknown)
      expect(await previewInstall(w.db, code, w.clock.now())).toEqual(unknown)
    }
    const states = (await listCodes(w.db, w.workspace, w.clock.now())).map(({ agentName, state, agent }) => ({
      [agentName]: [state, agent],
    }))
    expect(Object.assign({}, ...states)).toEqual({
      revoked: ['revoked', null],
      just: ['redeemed', 'just'],
      late: ['expired', null],
      mail: ['redeemed', 'mail'],
    })
  })

  test.each<[string, string, (w: InstallWorkspace) => Promise<unknown>, (w: InstallWorkspace) => Promise<unknown>]>([
    [
      'the workspace is not activated for this service',
      'workspace_inactive',
      (w) => deactivate({ db: w.store.db, by: w.admin, now: w.clock.now() }, 'north', 'svc'),
      (w) => activate({ db: w.store.db, by: w.admin, now: w.clock.now() }, 'north', 'svc'),
    ],
    [
      'the issuer of the code is no longer an admin',
      'issuer_not_allowed',
      (w) => w.store.db.updateTable('member').set({ role: 'member' }).where('userId', '=', w.admin.id).execute(),
      (w) => w.store.db.updateTable('member').set({ role: 'admin' }).where('userId', '=', w.admin.id).execute(),
    ],
    [
      'the issuer of the code is disabled',
      'issuer_not_allowed',
      (w) =>
        w.store.db
          .insertInto('person_disabled')
          .values({ person_id: w.admin.id, disabled_at: w.clock.now() })
          .execute(),
      (w) => w.store.db.deleteFrom('person_disabled').execute(),
    ],
    [
      'a bound product is not activated for the workspace',
      'product_inactive',
      (w) => deactivate({ db: w.store.db, by: w.admin, now: w.clock.now() }, 'north', 'tasks'),
      (w) => activate({ db: w.store.db, by: w.admin, now: w.clock.now() }, 'north', 'tasks'),
    ],
    [
      'the workspace has an agent of that name',
      'agent_name_taken',
      (w) => createAgent({ db: w.store.db, by: w.admin, now: w.clock.now() }, w.workspace, 'mail'),
      async (w) => {
        const { id } = await w.store.db
          .selectFrom('agent')
          .select('id')
          .where('name', '=', 'mail')
          .executeTakeFirstOrThrow()
        await deleteAgent({ db: w.store.db, by: w.admin, now: w.clock.now() }, { id })
      },
    ],
    [
      'the bot of that name has another role',
      'bot_role_differs',
      (w) => addBots(w, 1, 'viewer', 'mail'),
      async (w) => {
        const [bot] = await listBots(w.store.db, w.workspace, w.clock.now())
        await deleteBot({ db: w.store.db, by: w.admin, now: w.clock.now() }, w.workspace, bot?.id ?? '')
      },
    ],
    [
      'the workspace would hold more than ten bots',
      'bots_too_many',
      (w) => addBots(w, 10),
      async (w) => {
        const [bot] = await listBots(w.store.db, w.workspace, w.clock.now())
        await deleteBot({ db: w.store.db, by: w.admin, now: w.clock.now() }, w.workspace, bot?.id ?? '')
      },
    ],
  ])(
    'a code is refused without a trace while %s; after that is fixed, the same code installs (I13)',
    async (_why, code, spoil, mend) => {
      const w = await start()
      const install = await w.issue()
      await spoil(w)
      const before = await everything(w)
      expect(await w.redeem(install)).toMatchObject({ ok: false, code })
      expect(await everything(w)).toEqual(before)
      expect(await previewInstall(w.db, install, w.clock.now())).toMatchObject({ ok: true })
      await mend(w)
      expect(await w.redeem(install)).toMatchObject({ ok: true })
    },
  )

  test('a code is shown as valid only while its issuer may install; the operator always may', async () => {
    const w = await start()
    const install = await w.issue({ agentName: 'hers' })
    const wanted = { blueprint: 'mail', version: '1.0.0', agentName: 'theirs' }
    await issueCodes({ db: w.db, by: { id: null, name: 'operator' }, now: w.clock.now() }, w.workspace, wanted)
    const states = async () =>
      Object.fromEntries(
        (await listCodes(w.db, w.workspace, w.clock.now())).map(({ agentName, state }) => [agentName, state]),
      )
    const role = (to: string) => w.db.updateTable('member').set({ role: to }).where('userId', '=', w.admin.id).execute()
    expect(await states()).toEqual({ hers: 'live', theirs: 'live' })
    await role('member')
    expect(await states()).toEqual({ hers: 'barred', theirs: 'live' })
    await role('admin')
    expect(await states()).toEqual({ hers: 'live', theirs: 'live' })
    await w.db.insertInto('person_disabled').values({ person_id: w.admin.id, disabled_at: 1 }).execute()
    expect(await states()).toEqual({ hers: 'barred', theirs: 'live' })
    await w.db.deleteFrom('person_disabled').execute()
    expect(await states()).toEqual({ hers: 'live', theirs: 'live' })
    await w.db.deleteFrom('member').where('userId', '=', w.admin.id).execute()
    expect(await states()).toEqual({ hers: 'barred', theirs: 'live' })
    const [hers] = (await listCodes(w.db, w.workspace, w.clock.now())).filter(({ state }) => state === 'barred')
    expect(await findCode(w.db, w.workspace, hers?.id ?? '', w.clock.now())).toMatchObject({ state: 'barred' })
    expect(await w.redeem(install)).toMatchObject({ ok: false, code: 'issuer_not_allowed' })
    w.clock.pass(900)
    expect(await states()).toEqual({ hers: 'expired', theirs: 'expired' })
  })

  test('this service is not a product in which a bot can act', async () => {
    const w = await start({ bindings: ['svc:editor:a'] })
    expect(await w.redeem(await w.issue())).toMatchObject({ ok: false, code: 'product_inactive' })
  })

  test('codes that are no longer valid are deleted after thirty days', async () => {
    const w = await start()
    await w.issue()
    await w.redeem(await w.issue({ agentName: 'first' }))
    w.clock.pass(30 * 86_400)
    await w.issue({ agentName: 'next' })
    expect(await w.db.selectFrom('install_code').select('agent_name').execute()).toEqual([{ agent_name: 'next' }])
  })

  test('a code issued by the operator needs no member who may install', async () => {
    const w = await start()
    const code = await w.issue()
    await w.db.updateTable('install_code').set({ issued_by: null, issued_by_name: 'operator' }).execute()
    await w.db.deleteFrom('member').execute()
    expect(await w.redeem(code)).toMatchObject({ ok: true })
  })

  test('what a code installs is fixed when it is issued, whatever is uploaded later (D43)', async () => {
    const w = await start()
    const code = await w.issue()
    await w.upload({ version: '2.0.0', bindings: ['tasks:admin:all'] })
    const redeemed = await w.redeem(code)
    expect(redeemed).toMatchObject({ ok: true, value: { answer: { version: '1.0.0' } } })
    expect(await listBots(w.db, w.workspace, w.clock.now())).toMatchObject([{ role: 'editor' }])
  })

  test('deleting an agent deletes its tokens, and its bot is reused by the next agent of that name (D46)', async () => {
    const w = await start()
    const first = await w.redeem(await w.issue())
    if (!first.ok) throw new Error(first.message)
    await deleteAgent({ db: w.db, by: w.admin, now: w.clock.now() }, { id: first.value.agentId })
    const [bot, ...none] = await listBots(w.db, w.workspace, w.clock.now())
    expect([bot?.tokens, none]).toEqual([[], []])
    expect(await w.redeem(await w.issue())).toMatchObject({ ok: true })
    const [again] = await listBots(w.db, w.workspace, w.clock.now())
    expect(again).toMatchObject({ id: bot?.id, tokens: [{ agent: 'mail', state: 'active' }] })
    const entries = await w.db.selectFrom('audit').select('details').where('action', '=', 'agent.installed').execute()
    expect(entries.map(({ details }) => JSON.parse(details).bots)).toEqual([
      [{ product: 'tasks', role: 'editor', made: true }],
      [{ product: 'tasks', role: 'editor', made: false }],
    ])
  })

  test('each product with a binding gets a bot of the same name and separate variables', async () => {
    const w = await start({ bindings: ['tasks:editor:a', 'wiki_2:reader:b'] })
    await addProduct(
      { db: w.db, by: w.admin, now: w.clock.now() },
      { id: 'wiki_2', origin: 'http://wiki.example.org:8080' },
    )
    await activate({ db: w.db, by: w.admin, now: w.clock.now() }, 'north', 'wiki_2')
    const redeemed = await w.redeem(await w.issue())
    expect(redeemed).toMatchObject({
      ok: true,
      value: { answer: { env: { SVC_BINDING_WIKI_2_URL: 'http://wiki.example.org:8080' } } },
    })
    expect(await listBots(w.db, w.workspace, w.clock.now())).toMatchObject([
      { name: 'mail', product: 'tasks' },
      { name: 'mail', product: 'wiki_2' },
    ])
  })

  test('exactly one of twenty simultaneous redeems of one code succeeds, round after round (I12, I13)', async () => {
    const w = await start({})
    for (let round = 0; round < (long ? 200 : 10); round++) {
      const code = await w.issue({ agentName: `round-${round}` })
      const before = await everything(w)
      const all = await Promise.all(Array.from({ length: 20 }, () => w.redeem(code)))
      expect(all.filter(({ ok }) => ok)).toHaveLength(1)
      for (const one of all) if (!one.ok) expect(one.code).toBe('code_unknown')
      const after = await everything(w)
      expect(after).toEqual({ ...before, agents: before.agents + 1, used: before.used + 1, audit: before.audit + 1 })
    }
  })

  test('twenty codes for one name, redeemed at once, make one agent; the others stay valid (I15)', async () => {
    const w = await start()
    const codes = await Promise.all(Array.from({ length: 20 }, () => w.issue({ agentName: 'only' })))
    const all = await Promise.all(codes.map(w.redeem))
    expect(all.filter(({ ok }) => ok)).toHaveLength(1)
    for (const one of all) if (!one.ok) expect(one.code).toBe('agent_name_taken')
    expect(await everything(w)).toMatchObject({ bots: 1, tokens: 1, used: 1 })
  })

  test('twenty simultaneous installs in one workspace make ten bots and no more (I15)', async () => {
    const w = await start()
    const codes = await Promise.all(Array.from({ length: 20 }, (_, i) => w.issue({ agentName: `mail-${i}` })))
    const all = await Promise.all(codes.map(w.redeem))
    expect(all.filter(({ ok }) => ok)).toHaveLength(10)
    for (const one of all) if (!one.ok) expect(one.code).toBe('bots_too_many')
    expect(await everything(w)).toMatchObject({ bots: 10, tokens: 10, used: 10, agents: 11 })
    await w.upload({ version: '2.0.0' })
    expect(await w.redeem(await w.issue({ version: '2.0.0', agentName: 'unbound' }))).toMatchObject({ ok: true })
  })

  async function addBots(w: InstallWorkspace, count: number, role = 'editor', name?: string) {
    for (let i = 0; i < count; i++) {
      await w.store.db
        .insertInto('bot')
        .values({
          id: `bot-${i}`,
          workspace_id: w.workspace.id,
          product_id: 'tasks',
          name: name ?? `other-${i}`,
          role,
          created_at: w.clock.now(),
        })
        .execute()
    }
  }
})
