import { expect, test } from 'vitest'
import { type InstallWorkspace, installing } from '../../../testing/installing.ts'
import { onEveryEngine } from '../../../testing/stores.ts'
import { activate, deactivate } from '../../people/workspaces/store.ts'
import { redeemInstall } from '../../updates/installs/redeem.ts'
import { deleteAgent } from '../agents/store.ts'
import { addProduct, listProducts, readProducts, removeProduct } from '../products/store.ts'
import { findProduct, introspect } from './introspect.ts'
import { deleteBot, listBots, revokeBot } from './store.ts'

onEveryEngine('introspection', (open) => {
  const start = async () => {
    const w = await installing(await open())
    await w.upload({ bindings: ['tasks:editor:tasks.read,tasks.write'] })
    const redeemed = await redeemInstall(w.store.db, await w.issue(), w.clock.now())
    if (!redeemed.ok) throw new Error(redeemed.message)
    const { db } = w.store
    const { agentId, answer } = redeemed.value
    const token = answer.env.SVC_BINDING_TASKS_TOKEN ?? ''
    const ask = (text = token, product = 'tasks') =>
      introspect(db, { id: product }, text, { issuer: 'https://svc', now: w.clock.now() })
    const [bot] = await listBots(db, w.workspace, w.clock.now())
    if (!bot) throw new Error('There is no bot.')
    return { ...w, db, agentId, token, agentToken: answer.env.SVC_TOKEN ?? '', ask, bot }
  }
  const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
  const used = async (w: InstallWorkspace) =>
    (await listBots(w.store.db, w.workspace, w.clock.now()))[0]?.tokens[0]?.lastUsedAt

  test('a valid token names the bot, its agent and workspace, its role and its scopes', async () => {
    const { ask, workspace, bot, clock } = await start()
    const issued = Math.floor(clock.now() / 1000)
    expect(await ask()).toEqual({
      active: true,
      scope: 'tasks.read tasks.write',
      token_type: 'Bearer',
      sub: bot.id,
      username: 'mail',
      workspace: workspace.id,
      workspace_name: 'North',
      role: 'editor',
      agent: 'mail',
      product: 'tasks',
      aud: 'tasks',
      iss: 'https://svc',
      iat: issued,
      exp: issued + 365 * 86_400,
    })
  })

  test.each<[string, (w: Awaited<ReturnType<typeof start>>) => unknown]>([
    [
      'revoked',
      ({ db, workspace, bot, admin, clock }) => revokeBot({ db, by: admin, now: clock.now() }, workspace, bot),
    ],
    ['expired', ({ clock }) => clock.pass(365 * 86_400)],
    [
      'of an agent that was deleted',
      ({ db, agentId, admin, clock }) => deleteAgent({ db, by: admin, now: clock.now() }, { id: agentId }),
    ],
    [
      'of a bot that was deleted',
      ({ db, workspace, bot, admin, clock }) => deleteBot({ db, by: admin, now: clock.now() }, workspace, bot.id),
    ],
    [
      'of a workspace that is not activated',
      ({ db, admin, clock }) => deactivate({ db, by: admin, now: clock.now() }, 'north', 'tasks'),
    ],
  ])('a token that is %s is inactive, and nothing else is revealed', async (_what, spoil) => {
    const w = await start()
    await spoil(w)
    expect(await w.ask()).toEqual({ active: false })
    expect(await used(w)).toBeFalsy()
  })

  test('a token is valid only for the product it was issued for, and other credentials are valid for none', async () => {
    const w = await start()
    await addProduct({ db: w.db, by: w.admin, now: w.clock.now() }, { id: 'wiki', origin: 'https://wiki.example.org' })
    await activate({ db: w.db, by: w.admin, now: w.clock.now() }, 'north', 'wiki')
    expect(await w.ask(w.token, 'wiki')).toEqual({ active: false })
    for (const text of ['', 'x', w.agentToken, `svc_bot_${'x'.repeat(43)}`, `${w.token}x`, w.token.toUpperCase()]) {
      expect(await w.ask(text)).toEqual({ active: false })
    }
    expect(await w.ask()).toMatchObject({ active: true })
  })

  test('a product authenticates with its id and its secret', async () => {
    const { db, secret, clock, admin } = await start()
    expect(await findProduct(db, basic('tasks', secret))).toEqual({ id: 'tasks' })
    const other = await addProduct(
      { db, by: admin, now: clock.now() },
      { id: 'wiki', origin: 'https://wiki.example.org' },
    )
    const foreign = other.ok ? other.value.secret : ''
    for (const wrong of [
      undefined,
      '',
      'Basic',
      `Bearer ${secret}`,
      basic('tasks', ''),
      basic('tasks', foreign),
      basic('wiki', secret),
      basic('', secret),
      basic('svc', ''),
      `Basic ${Buffer.from(secret).toString('base64')}`,
    ]) {
      expect(await findProduct(db, wrong)).toBeUndefined()
    }
  })

  test('the last use is kept to the minute', async () => {
    const w = await start()
    expect(await used(w)).toBeNull()
    await w.ask()
    const first = w.clock.now()
    w.clock.pass(59)
    await w.ask()
    expect(await used(w)).toBe(first)
    w.clock.pass(1)
    await w.ask()
    expect(await used(w)).toBe(first + 60_000)
  })

  test('revoking one token leaves the others of the bot; revocations and deletions are in the audit trail', async () => {
    const w = await start()
    const token = w.bot.tokens[0]?.id ?? ''
    const revoke = (tokenId: string) =>
      revokeBot({ db: w.db, by: w.admin, now: w.clock.now() }, w.workspace, { id: w.bot.id, tokenId })
    expect(await revoke('other')).toMatchObject({ ok: true, value: { revoked: 0 } })
    expect(await w.ask()).toMatchObject({ active: true })
    expect(await revoke(token)).toEqual({ ok: true, value: { revoked: 1, agentIds: [w.agentId] } })
    expect(await revoke(token)).toMatchObject({ ok: true, value: { revoked: 0 } })
    const south = { id: 'south' }
    expect(await revokeBot({ db: w.db, by: w.admin, now: w.clock.now() }, south, { id: w.bot.id })).toMatchObject({
      code: 'bot_unknown',
    })
    expect(await deleteBot({ db: w.db, by: w.admin, now: w.clock.now() }, south, w.bot.id)).toMatchObject({
      code: 'bot_unknown',
    })
    await deleteBot({ db: w.db, by: w.admin, now: w.clock.now() }, w.workspace, w.bot.id)
    const entries = await w.db
      .selectFrom('audit')
      .select(['action', 'subject', 'details'])
      .where('action', 'like', 'bot.%')
      .orderBy('id')
      .execute()
    expect(entries.map(({ details, ...entry }) => ({ ...entry, ...JSON.parse(details) }))).toEqual([
      { action: 'bot.revoked', subject: 'bot mail', product: 'tasks', agents: ['mail'] },
      { action: 'bot.deleted', subject: 'bot mail', product: 'tasks', role: 'editor' },
    ])
  })

  test('a workspace sees which products it is activated for; removing a product also removes its bots', async () => {
    const w = await start()
    await addProduct({ db: w.db, by: w.admin, now: w.clock.now() }, { id: 'wiki', origin: 'https://wiki.example.org' })
    expect(await readProducts(w.db, w.workspace)).toEqual([
      { id: 'tasks', origin: 'https://tasks.example.org', activatedAt: w.clock.now(), bots: 1 },
      { id: 'wiki', origin: 'https://wiki.example.org', activatedAt: null, bots: 0 },
    ])
    await removeProduct({ db: w.db, by: w.admin, now: w.clock.now() }, 'tasks')
    expect(await listBots(w.db, w.workspace, w.clock.now())).toEqual([])
    expect((await listProducts(w.db)).map(({ id }) => id)).toEqual(['wiki'])
    expect(await w.ask()).toEqual({ active: false })
  })
})
