import { expect, test } from 'vitest'
import { type ReportingParts, reporting } from '../../../testing/reporting.ts'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { addVersion, ofBlueprint, serveRelease } from '../../../testing/wishes.ts'
import { renewAccess } from '../../operator/backup/renew.ts'
import { agentUpdates } from '../../web/queries/updates.ts'
import { doNotWait } from './hurry.ts'
import { wishesIn } from './kept.ts'
import { clearBlueprintWish, clearRuntimeWish, liftHold, wishBlueprint, wishRuntime } from './store.ts'

const ok = { outcome: 'ok', message: 'installed' }
const runs = (version: string, applied: object = ok) => ({
  agent: { version },
  applied: { version, ...applied },
})
const runtime = (version: string, message = 'first', outcome = 'ok') => ({
  runtime: { version, applied: { version, outcome, message } },
})

onEveryEngine('wishes in answers', (open) => {
  const start = async (): Promise<TestWorkspace & ReportingParts & Helpers> => {
    const w = await newTestWorkspace(await open())
    await ofBlueprint(w, w.agent, 'triage', '1.0.0')
    await addVersion(w, 'triage', '1.1.0')
    const r = reporting(w)
    return { ...r, ...w, store: w.store, ...helpers(w, r) } as TestWorkspace & ReportingParts & Helpers
  }

  test('without a wish, an answer has no extra fields', async () => {
    const { answered } = await start()
    expect(await answered(runs('1.0.0'))).toEqual({})
    expect(await answered({ ...runs('1.0.0'), ...runtime('1.0.0') })).toEqual({})
  })

  test('the served release is in answers to reports that name a runtime, and in no others (2.7)', async () => {
    const { answered, release } = await start()
    await release('2.0.0')
    expect(await answered(runtime('1.0.0'))).toEqual({ runtime: { version: '2.0.0', sha256: expect.any(String) } })
    expect(await answered({})).toEqual({})
  })

  test('`desired` is in every answer while the wish exists, whatever its outcome (D24)', async () => {
    const { answered, wish, timeline, state, clock } = await start()
    await answered(runs('1.0.0'))
    await wish('1.1.0')
    expect(await state()).toMatchObject({ blueprint: { version: '1.1.0' } })
    const desired = { desired: { blueprint: 'triage', version: '1.1.0' } }
    expect(await answered(runs('1.0.0'))).toEqual(desired)
    clock.pass(30)
    expect(await answered(runs('1.1.0', { outcome: 'ok', message: '1.0.0 -> 1.1.0' }))).toEqual(desired)
    expect(await answered(runs('1.1.0', { outcome: 'ok', message: '1.0.0 -> 1.1.0' }))).toEqual(desired)
    expect(await timeline()).toEqual(['wished 1.1.0', 'offered 1.1.0', 'kept 1.1.0'])
    await wish(undefined)
    expect(await answered(runs('1.1.0', { outcome: 'ok', message: '1.0.0 -> 1.1.0' }))).toEqual({})
  })

  test('a version that was rolled back is held until another one is named and offered (D25)', async () => {
    const { answered, wish, state, timeline } = await start()
    const back = runs('1.0.0', { outcome: 'rolled_back', message: '1.0.0 -> 1.1.0: it said bad' })
    await answered(runs('1.0.0'))
    await wish('1.1.0')
    await answered(runs('1.0.0'))
    await answered(back)
    expect(await state()).toMatchObject({ blueprint: {}, blueprintHold: { version: '1.1.0', outcome: 'rolled_back' } })
    await wish(undefined)
    await answered(back)
    await wish('1.1.0')
    await answered(back)
    expect(await state()).toMatchObject({ blueprintHold: { version: '1.1.0' } })
    await wish('1.0.0')
    expect(await state()).toMatchObject({ blueprintHold: { version: '1.1.0' } })
    await answered(back)
    expect((await state()).blueprintHold).toBeUndefined()
    expect((await timeline()).filter((line) => line.startsWith('rolled_back'))).toEqual(['rolled_back 1.1.0'])
  })

  test('`now` is in answers from the decision until the version was kept or rolled back, also after a failed download', async () => {
    const { answered, wish, workspace, agent: made, admin, store, clock, state } = await start()
    const agent = rowOf(made)
    await addVersion({ store, clock, workspace }, 'triage', '1.2.0')
    const svc = { runtime: { version: '0.2.0' } }
    const to = (from: string, version: string) => ({
      ...svc,
      ...runs(version, { outcome: 'ok', message: `${from} -> ${version}` }),
    })
    await answered({ ...svc, ...runs('1.0.0') })
    await wish('1.1.0')
    await answered({ ...svc, ...runs('1.0.0') })
    const no = await doNotWait({ db: store.db, by: admin, now: clock.now() }, agent)
    expect(no, 'it watches nothing').toMatchObject({ ok: false, code: 'nothing_waits' })
    await answered(to('1.0.0', '1.1.0'))
    await wish('1.2.0')
    expect(await answered(to('1.0.0', '1.1.0'))).toEqual({ desired: { blueprint: 'triage', version: '1.2.0' } })
    const told = await doNotWait({ db: store.db, by: admin, now: clock.now() }, agent)
    expect(told).toMatchObject({ ok: true, value: { made: true } })
    expect(await doNotWait({ db: store.db, by: admin, now: clock.now() }, agent)).toMatchObject({
      value: { made: false },
    })
    const now = { desired: { blueprint: 'triage', version: '1.2.0', now: true } }
    expect(await answered(to('1.0.0', '1.1.0'))).toEqual(now)
    const failed = { ...svc, ...runs('1.1.0', { outcome: 'failed', message: '1.1.0 -> 1.2.0: no network' }) }
    expect(await answered(failed), 'it is tried again').toEqual(now)
    const back = { ...svc, ...runs('1.1.0', { outcome: 'rolled_back', message: '1.2.0 -> 1.1.0: bad' }) }
    expect(await answered(back)).toEqual({ desired: { blueprint: 'triage', version: '1.2.0' } })
    expect((await state()).blueprint).not.toHaveProperty('hurriedAt')
    expect(await answered(to('1.1.0', '1.2.0'))).toEqual({ desired: { blueprint: 'triage', version: '1.2.0' } })
  })

  test('when a kept version gets worse, the timeline names it as rolled back, not the version that runs again', async () => {
    const { answered, wish, state } = await start()
    await answered(runs('1.0.0'))
    await wish('1.1.0')
    await answered(runs('1.0.0'))
    await answered(runs('1.1.0', { outcome: 'ok', message: 'kept' }))
    await answered(runs('1.0.0', { outcome: 'rolled_back', message: 'worse' }))
    expect(await state()).toMatchObject({ blueprintHold: { version: '1.1.0' } })
    expect((await state()).blueprint?.keptAt).toBeUndefined()
  })

  test('an outcome that arrives after the wish was changed is about the version that its message names', async () => {
    const { answered, wish, state, timeline, w } = await start()
    await addVersion(w, 'triage', '1.2.0')
    await answered(runs('1.0.0'))
    await wish('1.1.0')
    await answered(runs('1.0.0'))
    await wish('1.2.0')
    await answered(runs('1.0.0', { outcome: 'failed', message: '1.0.0 -> 1.1.0, 12:00: refused.' }))
    expect((await timeline()).at(-2)).toBe('failed 1.1.0')
    expect(await state()).toEqual({ blueprint: expect.objectContaining({ version: '1.2.0' }) })
    await answered(runs('1.0.0', { outcome: 'failed', message: '1.0.0 -> 1.2.0, 12:10: refused.' }))
    expect(await state()).toMatchObject({ blueprintHold: { version: '1.2.0' } })
  })

  test('naming the version before during a trial does not count that version as rolled back', async () => {
    const { answered, wish, state, timeline } = await start()
    await answered(runs('1.0.0'))
    await wish('1.1.0')
    await answered(runs('1.0.0'))
    await wish('1.0.0')
    await answered(runs('1.0.0', { outcome: 'rolled_back', message: '1.1.0 -> 1.0.0, 12:00: its level is bad' }))
    expect((await timeline()).at(-1)).toBe('rolled_back 1.1.0')
    expect((await state()).blueprintHold?.version).not.toBe('1.0.0')
  })

  test('after two rollbacks between two reports, the outcome is about the version that its message names', async () => {
    const { answered, wish, state, timeline, w } = await start()
    await addVersion(w, 'triage', '1.2.0')
    await answered(runs('1.0.0'))
    await wish('1.1.0')
    await answered(runs('1.0.0'))
    await answered(runs('1.1.0', { outcome: 'ok', message: '1.0.0 -> 1.1.0, 12:00: kept' }))
    await wish('1.2.0')
    await answered(runs('1.1.0', { outcome: 'ok', message: '1.0.0 -> 1.1.0, 12:00: kept' }))
    // A person rolled the agent back to 1.0.0 on its machine, and from there the agent tried the wished version 1.2.0
    // at once.
    await answered(runs('1.0.0', { outcome: 'rolled_back', message: '1.2.0 -> 1.0.0, 12:10: its level is bad' }))
    expect((await timeline()).at(-1)).toBe('rolled_back 1.2.0')
    expect(await state()).toMatchObject({ blueprintHold: { version: '1.2.0' } })
  })

  test('a version that an admin wished is not shown as an outside change; one that nobody wished is', async () => {
    const { answered, wish, store } = await start()
    await answered(runs('1.0.0'))
    await wish('1.1.0')
    await answered(runs('1.0.0'))
    await answered(runs('1.1.0', { outcome: 'ok', message: 'kept' }))
    const changes = () => store.db.selectFrom('machine_change').select(['kind', 'after']).execute()
    expect(await changes()).toEqual([])
    await answered(runs('1.0.0', { outcome: 'rolled_back', message: 'svc rollback' }))
    expect(await changes()).toEqual([{ kind: 'version', after: '"1.0.0"' }])
  })

  test('a reported version that is not a valid version is ignored and adds no timeline line', async () => {
    const { answered, wish, timeline } = await start()
    await wish('1.1.0')
    for (let i = 0; i < 3; i++) await answered({ agent: { version: 'built here' } })
    expect(await timeline()).toEqual(['wished 1.1.0', 'offered 1.1.0'])
  })

  test('an agent connected by hand is never offered a blueprint version', async () => {
    const { w, answered, store } = await start()
    const byHand = await w.addAgent('by-hand')
    expect(
      await wishBlueprint({ db: store.db, by: w.admin, now: w.clock.now() }, rowOf(byHand), { version: '1.1.0' }),
    ).toMatchObject({
      code: 'no_blueprint',
    })
    expect(await answered(runs('1.0.0'), { agent: byHand })).toEqual({})
  })

  test('the runtime wish is in answers while it exists, and ends with the outcome of the attempt (3.4)', async () => {
    const { answered, press, release, state, timeline } = await start()
    await release('2.0.0')
    const about = { version: '2.0.0', sha256: expect.any(String) }
    await answered(runtime('1.0.0'))
    expect(await press()).toMatchObject({ ok: true })
    expect(await answered(runtime('1.0.0'))).toEqual({ runtime: about, runtime_desired: '2.0.0' })
    expect(await answered({})).toEqual({})
    expect(await answered({ runtime: { ...runtime('2.0.0').runtime, previous: '1.0.0' } })).toMatchObject({
      runtime_desired: '2.0.0',
    })
    expect(await answered(runtime('2.0.0', 'updated'))).toEqual({ runtime: about })
    expect(await state()).toEqual({})
    expect(await timeline()).toEqual(['wished 2.0.0', 'offered 2.0.0', 'trying 2.0.0', 'kept 2.0.0'])
  })

  test('a failure ends the wish and holds the version, until an admin lifts the hold or another release is served', async () => {
    const { answered, press, release, lift, state, timeline } = await start()
    await release('2.0.0')
    await answered(runtime('1.0.0'))
    await press()
    await answered(runtime('1.0.0'))
    expect(await answered(runtime('1.0.0', 'no ssh-keygen', 'failed'))).not.toHaveProperty('runtime_desired')
    expect(await press()).toMatchObject({
      code: 'runtime_version_held',
      message: expect.stringContaining('ssh-keygen'),
    })
    expect(await lift()).toMatchObject({ ok: true, value: { made: true } })
    expect(await press()).toMatchObject({ ok: true })
    expect(await answered(runtime('1.0.0', 'no ssh-keygen', 'failed'))).toHaveProperty('runtime_desired')
    await answered(runtime('1.0.0', 'no ssh-keygen, again', 'failed'))
    expect(await state()).toMatchObject({ runtimeHold: { version: '2.0.0' } })
    await release('2.0.1')
    expect(await press()).toMatchObject({ ok: true })
    expect(await timeline()).toEqual(
      ['wished', 'offered', 'failed', 'held', 'lifted', 'wished', 'offered', 'failed', 'held']
        .map((kind) => `${kind} 2.0.0`)
        .concat('wished 2.0.1'),
    )
  })

  test('the texts about a hold name both of its ends: another release, even of the same version, and an admin', async () => {
    const { answered, press, release, state, store, w } = await start()
    await release('2.0.0')
    await answered(runtime('1.0.0'))
    await press()
    await answered(runtime('1.0.0'))
    await answered(runtime('1.0.0', 'bad signature', 'failed'))
    const ends = expect.stringMatching(/until the service serves another release or an admin lifts the hold/i)
    const held = store.db.selectFrom('update_event').select('message').where('kind', '=', 'held')
    expect(await held.execute()).toEqual([{ message: ends }])
    const row = await store.db.selectFrom('agent').selectAll().where('id', '=', w.agent.id).executeTakeFirstOrThrow()
    expect(await agentUpdates(store.db, row, w.clock.now())).toMatchObject({ runtime: { says: ends } })
    expect(await press()).toMatchObject({
      message: expect.stringContaining('until the service serves another release'),
    })
    await release('2.0.0')
    await answered(runtime('1.0.0', 'bad signature', 'failed'))
    expect(await state()).toEqual({})
    expect(await press()).toMatchObject({ ok: true })
  })

  test('a newer release drops a wish for the one before, and a runtime is never downgraded (I11)', async () => {
    const { answered, press, release, state, timeline } = await start()
    await release('2.0.0')
    await answered(runtime('1.0.0'))
    await press()
    await answered(runtime('1.0.0'))
    await release('2.1.0')
    expect(await answered(runtime('1.0.0'))).toEqual({ runtime: { version: '2.1.0', sha256: expect.any(String) } })
    expect(await state()).toEqual({})
    expect((await timeline()).at(-1)).toBe('dropped 2.0.0')
  })

  test('a second request keeps the mark of the first; a withdrawn wish is in no answer (D34)', async () => {
    const { answered, press, release, w, state } = await start()
    await release('2.0.0')
    await answered(runtime('1.0.0'))
    await press()
    await answered(runtime('1.0.0'))
    const { runtime: before } = await state()
    w.clock.pass(60)
    expect(await press()).toMatchObject({ ok: true, value: { made: false } })
    expect((await state()).runtime).toEqual(before)
    await clearRuntimeWish({ db: w.store.db, by: w.admin, now: w.clock.now() }, rowOf(w.agent))
    expect(await answered(runtime('1.0.0'))).not.toHaveProperty('runtime_desired')
  })

  test('a runtime whose outcomes all read alike has met the wish after ten minutes on the version (D34)', async () => {
    const { answered, press, release, w, state } = await start()
    await release('2.0.0')
    const always = (version: string) => runtime(version, 'updated')
    await answered(always('1.0.0'))
    await press()
    await answered(always('1.0.0'))
    await answered(always('2.0.0'))
    w.clock.pass(600)
    expect(await answered(always('2.0.0'))).toHaveProperty('runtime_desired')
    w.clock.pass(1)
    expect(await answered(always('2.0.0'))).not.toHaveProperty('runtime_desired')
    expect(await state()).toEqual({})
  })

  test('a node that is shutting down offers no new wishes', async () => {
    const { answered, wish, press, release } = await start()
    await release('2.0.0')
    const both = { ...runs('1.0.0'), ...runtime('1.0.0') }
    await answered(both)
    await wish('1.1.0')
    await press()
    expect(Object.keys(await answered(both, { offers: false }))).toEqual(['runtime'])
    expect(Object.keys(await answered(both))).toEqual(['desired', 'runtime', 'runtime_desired'])
    expect(Object.keys(await answered(both, { offers: false }))).toEqual(['desired', 'runtime', 'runtime_desired'])
  })

  test('after a restore no earlier wish is offered, and holds remain', async () => {
    const { answered, wish, press, release, state, store, w } = await start()
    await release('2.0.0')
    const both = { ...runs('1.0.0'), ...runtime('1.0.0') }
    await answered(both)
    await wish('1.1.0')
    await press()
    await answered({ ...both, applied: { version: '1.0.0', outcome: 'failed', message: '1.0.0 -> 1.1.0: refused' } })
    expect(await renewAccess(store.db, { tokensOf: [], now: w.clock.now() })).toMatchObject({ ok: true })
    expect(await state()).toEqual({ blueprintHold: expect.objectContaining({ version: '1.1.0' }) })
    expect(Object.keys(await answered(both))).toEqual(['runtime'])
  })

  test('a late report changes no wishes, and its answer repeats what was offered before (D11)', async () => {
    const { answered, press, release, state } = await start()
    await release('2.0.0')
    await answered({ ...runtime('1.0.0'), boot: 'a', seq: 1 })
    await press()
    await answered({ ...runtime('1.0.0'), boot: 'a', seq: 3 })
    const before = await state()
    expect(await answered({ ...runtime('1.0.0', 'other', 'failed'), boot: 'a', seq: 2 })).not.toHaveProperty('commands')
    expect(await state()).toEqual(before)
  })
})

const rowOf = ({ id, workspaceId }: { id: string; workspaceId: string }) => ({ id, workspace_id: workspaceId })

type Helpers = ReturnType<typeof helpers> & { w: TestWorkspace }
function helpers(w: TestWorkspace, r: ReportingParts) {
  const { db } = w.store
  const agent = rowOf(w.agent)
  return {
    w,
    answered: async (...sent: Parameters<ReportingParts['decide']>) => {
      const decision = await r.decide(...sent)
      if (!decision.ok) throw new Error(decision.code)
      return decision.answer
    },
    wish: async (version: string | undefined) => {
      const made =
        version === undefined
          ? await clearBlueprintWish({ db, by: w.admin, now: w.clock.now() }, agent)
          : await wishBlueprint({ db, by: w.admin, now: w.clock.now() }, agent, { version })
      expect(made).toMatchObject({ ok: true })
    },
    press: () => wishRuntime({ db, by: w.admin, now: w.clock.now() }, agent),
    lift: () => liftHold({ db, by: w.admin, now: w.clock.now() }, agent),
    release: (version: string) => serveRelease(w, version),
    state: async () => {
      const row = await db.selectFrom('agent').select('wishes').where('id', '=', w.agent.id).executeTakeFirstOrThrow()
      return wishesIn(row.wishes)
    },
    timeline: async () => {
      const rows = await db.selectFrom('update_event').select(['kind', 'version']).orderBy('seq').execute()
      return rows.map(({ kind, version }) => `${kind} ${version}`)
    },
  }
}
