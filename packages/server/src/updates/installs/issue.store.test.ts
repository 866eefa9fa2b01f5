import { expect, test } from 'vitest'
import type { BundleOptions } from '../../../testing/bundles.ts'
import { type InstallWorkspace, installing } from '../../../testing/installing.ts'
import { onEveryEngine } from '../../../testing/stores.ts'
import { createAgent, deleteAgent } from '../../fleet/agents/store.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { listCodes } from './codes.ts'
import { issueCodes } from './issue.ts'
import { redeemInstall } from './redeem.ts'

onEveryEngine('several install codes at once', (open) => {
  const start = async (made: BundleOptions = {}) => {
    const w = await installing(await open())
    await w.upload(made)
    return { ...w, db: w.store.db, redeem: (code: string) => redeemInstall(w.store.db, code, w.clock.now()) }
  }
  const linesOf = async ({ store: { db } }: InstallWorkspace) =>
    (await db.selectFrom('audit').select('id').where('action', '=', 'code.issued').execute()).length
  const issue = async (w: Awaited<ReturnType<typeof start>>, more: object) =>
    issueCodes({ db: w.db, by: w.admin, now: w.clock.now() }, w.workspace, {
      blueprint: 'mail',
      version: '1.0.0',
      ...more,
    })
  const namesOf = (issued: Awaited<ReturnType<typeof issue>>) =>
    issued.ok ? issued.value.map(({ row }) => row.agent_name) : issued.code
  const codesOf = async (w: InstallWorkspace) => listCodes(w.store.db, w.workspace, w.clock.now())

  test('each gets the next name that no agent has and no other valid code promises', async () => {
    const w = await start()
    await createAgent({ db: w.db, by: w.admin, now: w.clock.now() }, w.workspace, 'mail-2')
    const first = await issue(w, { count: 3, tags: ['eu'] })
    expect(namesOf(first)).toEqual(['mail', 'mail-3', 'mail-4'])
    expect(namesOf(await issue(w, { count: 2 }))).toEqual(['mail-5', 'mail-6'])
    expect(namesOf(await issue(w, { count: 2, agentName: 'box' }))).toEqual(['box', 'box-2'])
    // A single code may name an agent that exists, or one that another code will install.
    expect(namesOf(await issue(w, {}))).toEqual(['mail'])
    expect(namesOf(await issue(w, { agentName: 'mail-2' }))).toEqual(['mail-2'])
    expect(namesOf(await issue(w, { count: 2, agentName: 'No' }))).toBe('agent_name_invalid')
    if (!first.ok) throw new Error('not issued')
    expect(new Set(first.value.map(({ code }) => code)).size).toBe(3)
    for (const { code, row, warnings } of first.value) {
      expect(warnings).toEqual([])
      expect(await w.redeem(code)).toMatchObject({ ok: true, value: { answer: { agent: { name: row.agent_name } } } })
      expect(await w.redeem(code)).toMatchObject({ code: 'code_unknown' })
    }
    w.clock.pass(900)
    expect(namesOf(await issue(w, { count: 2 })), 'names of codes that are over are free').toEqual(['mail-5', 'mail-6'])
    expect(await linesOf(w)).toBe(11)
  })

  test('simultaneous ones promise no name twice', async () => {
    const w = await start()
    const all = await Promise.all(Array.from({ length: 6 }, () => issue(w, { count: 20 })))
    expect(new Set(all.flatMap(namesOf)).size).toBe(120)
  })

  test('they count among the 200 of a workspace: all or none', async () => {
    const w = await start()
    for (let i = 0; i < 3; i++) expect(await issue(w, { count: 50 })).toMatchObject({ ok: true })
    expect(await issue(w, { count: 49 })).toMatchObject({ ok: true })
    expect(await issue(w, { count: 2 })).toMatchObject({
      code: 'codes_too_many',
      message: expect.stringContaining('this one has 199'),
    })
    expect((await codesOf(w)).length).toBe(199)
    expect(await issue(w, { count: 1 })).toMatchObject({ ok: true })
    expect(await issue(w, {})).toMatchObject({ code: 'codes_too_many' })
  })

  test('where their bots would be more than ten, none is issued; bots of the same name are used again', async () => {
    const w = await start({ bindings: ['tasks:editor:tasks.read'] })
    expect(await issue(w, { count: 11 })).toMatchObject({
      code: 'bots_too_many',
      message: expect.stringContaining('has 0 bots and would get 11 more'),
    })
    expect(await codesOf(w)).toEqual([])
    const issued = await issue(w, { count: 10 })
    for (const { code } of issued.ok ? issued.value : []) expect(await w.redeem(code)).toMatchObject({ ok: true })
    expect(await issue(w, { count: 1 })).toMatchObject({ code: 'bots_too_many' })
    const [agent] = await w.db.selectFrom('agent').selectAll().where('name', '=', 'mail').execute()
    await deleteAgent({ db: w.db, by: w.admin, now: w.clock.now() }, { id: agent?.id ?? '' })
    expect(namesOf(await issue(w, { count: 1 }))).toEqual(['mail'])
  })

  test('a failure in the middle leaves no code and no line', async () => {
    const w = await start()
    const failing = transaction(w.db, async (trx) => {
      await issueCodes({ db: trx, by: w.admin, now: w.clock.now() }, w.workspace, {
        ...{ blueprint: 'mail', version: '1.0.0', count: 5 },
      })
      throw new Error('the disk is full')
    })
    await expect(failing).rejects.toThrow('the disk is full')
    expect(await linesOf(w)).toBe(0)
    expect(await codesOf(w)).toEqual([])
  })
})
