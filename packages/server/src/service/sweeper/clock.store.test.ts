import { pino } from 'pino'
import { expect, test } from 'vitest'
import { reporting } from '../../../testing/reporting.ts'
import { offering, testLive } from '../../../testing/service.ts'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { dueChannels, enqueueTest } from '../../deliveries/store.ts'
import { createLink, isLinkValid } from '../../people/accounts/links.ts'
import { beginFirstHalf, findFirstHalf } from '../../people/factors/first-halves.ts'
import { countCode, spendTotpStep } from '../../people/factors/store.ts'
import { insertOperatorInvitation, operatorInvitation } from '../../people/workspaces/operator-invitations.ts'
import { columnsOfWishes, wishesIn } from '../../updates/wishes/kept.ts'
import { listAgents } from '../../web/queries/agents.ts'
import { healthOf } from '../ops/health.ts'
import { createClockWatch } from './clock.ts'
import { createSweeper } from './sweeper.ts'

const hours = 3600
const minute = 60_000

/** A node with a sweeper, the lines of its log, and a monotonic clock that only `passes` advances. */
function node(w: TestWorkspace, how: { isBeside?: boolean } = {}) {
  const lines: { msg: string; seconds?: number }[] = []
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  let mono = 0
  const live = testLive()
  const clocks = () => ({ wall: w.clock.now(), mono })
  const watch = createClockWatch({ store: w.store, log, live, clocks, ...how })
  const sweeper = createSweeper({ store: w.store, live, log, now: w.clock.now }, () => undefined, watch)
  const passes = async (seconds: number) => {
    // A monotonic clock has fractions of a millisecond.
    mono += seconds * 1000 + 0.4
    w.clock.pass(seconds)
    await sweeper.sweep()
  }
  return { lines, watch, passes, sweep: sweeper.sweep, live }
}

onEveryEngine('after the clock of the service was changed', (open) => {
  const started = async () => {
    const w = await newTestWorkspace(await open())
    const { report, press, command } = reporting(w)
    await report(offering)
    const ours = node(w)
    await ours.sweep()
    return { w, report, press, command, ...ours }
  }
  const isOffline = async (w: TestWorkspace, name: string) =>
    (await listAgents(w.store.db, w.workspace, w.clock.now())).rows.find((agent) => agent.name === name)?.offline

  test('back, an agent that died before is offline 90 s later, and one that goes on is not', async () => {
    const { w, report, passes } = await started()
    const other = await w.addAgent('other')
    await report(offering, { agent: other })
    w.clock.pass(-3 * hours)
    await passes(1)
    expect(await isOffline(w, 'mail-triage')).toBe(false)
    await passes(60)
    await report(offering, { agent: other })
    await passes(30)
    expect([await isOffline(w, 'mail-triage'), await isOffline(w, 'other')]).toEqual([true, false])
  })

  test('while the service did not run, a start corrects the stored times', async () => {
    const { w } = await started()
    w.clock.pass(-3 * hours - 0.001)
    const next = node(w)
    await next.sweep()
    w.clock.pass(91)
    expect(await isOffline(w, 'mail-triage')).toBe(true)
    expect(next.lines).toMatchObject([{ seconds: -3 * hours, msg: expect.stringContaining('ahead of the clock') }])
    expect(next.watch.warning()).toContain('The clock was set back by 3 h')
  })

  test("on another node forward, the health speaks of that node's clock", async () => {
    const { w, passes, watch } = await started()
    await w.store.db
      .updateTable('service_beat')
      .set({ at: w.clock.now() + 3 * hours * 1000 })
      .execute()
    await passes(0)
    expect(watch.warning()).toContain("Another node's clock is ahead by 3 h")
  })

  test('back by 10 min while the service did not run, permits end that much earlier, and once only', async () => {
    const { w, passes } = await started()
    const { db } = w.store
    await passes(hours)
    const wanted = { workspaceId: w.workspace.id, email: 'bo@example.org', role: 'member' as const }
    const id = await insertOperatorInvitation(db, wanted, w.clock.now())
    await passes(hours)
    const end = async () => {
      const row = db.selectFrom('operator_invitation').select('expires_at').where('id', '=', id)
      return (await row.executeTakeFirstOrThrow()).expires_at
    }
    const before = await end()
    w.clock.pass(-600)
    const next = [node(w), node(w)]
    for (const one of next) await one.sweep()
    expect(await end()).toBe(before - 600_000)
    await next[0]?.passes(5)
    expect(await end()).toBe(before - 600_000)
  })

  test('not at all, a node that starts beside one whose clock is ahead ends no permit earlier', async () => {
    const { w, passes } = await started()
    const { db } = w.store
    await passes(hours)
    const wanted = { workspaceId: w.workspace.id, email: 'bo@example.org', role: 'member' as const }
    await insertOperatorInvitation(db, wanted, w.clock.now())
    const end = () => db.selectFrom('operator_invitation').select('expires_at').executeTakeFirst()
    const before = await end()
    await db
      .updateTable('service_beat')
      .set({ at: w.clock.now() + 600_000 })
      .execute()
    const next = node(w, { isBeside: true })
    await next.sweep()
    expect(await end()).toEqual(before)
    expect(next.watch.warning()).toContain("Another node's clock is ahead by 10 min")
  })

  test.each([-3, 3])('by %i h, one line of the log and a warning in the health say so', async (by) => {
    const { w, lines, watch, passes } = await started()
    w.clock.pass(by * hours)
    await passes(1)
    await passes(3)
    expect(lines).toMatchObject([{ seconds: by * hours, level: 40 }])
    const health = await healthOf(w.store, w.clock.now, watch.warning)()
    expect(health).toMatchObject({
      ok: true,
      warning: expect.stringMatching(by < 0 ? /back by 3 h/ : /forward by 3 h/),
    })
    await passes(hours)
    expect(await healthOf(w.store, w.clock.now, watch.warning)()).toEqual({ ok: true })
  })

  test('by several small steps, they add up; a single step of less than a minute is normal', async () => {
    const { w, lines, passes } = await started()
    w.clock.pass(-50)
    await passes(1)
    expect(lines).toEqual([])
    w.clock.pass(-50)
    await passes(1)
    expect(lines).toMatchObject([{ seconds: -100 }])
  })

  test('back, an agent whose wishes cannot be read does not keep those of others from being corrected', async () => {
    const { w, passes, lines } = await started()
    const other = await w.addAgent('other')
    const at = w.clock.now()
    const wish = { version: '2.0.0', at, by: 'Ada', mark: null, grantedAt: at }
    const wishes = { [w.agent.id]: { wishes: '{' }, [other.id]: columnsOfWishes({ runtime: wish }) }
    for (const [id, columns] of Object.entries(wishes))
      await w.store.db.updateTable('agent').set(columns).where('id', '=', id).execute()
    w.clock.pass(-3 * hours)
    await passes(1)
    const rows = w.store.db.selectFrom('agent').select('wishes').where('id', '=', other.id)
    const { wishes: mended } = await rows.executeTakeFirstOrThrow()
    expect(wishesIn(mended).runtime).toMatchObject({ at: w.clock.now() })
    expect(lines).toMatchObject([{ seconds: -3 * hours }, { job: 'stored times', item: `wishes ${w.agent.id}` }])
  })

  test('back, a message that waits for its next try is sent now, and no lease holds it', async () => {
    const { w, passes } = await started()
    const now = w.clock.now()
    await w.store.db.insertInto('alert_channel').values(channelRow(w, now)).execute()
    await enqueueTest(w.store.db, { channelId: 'c', workspace: 'North' }, now)
    await w.store.db
      .updateTable('alert_delivery')
      .set({ tries: 2, due_at: now + 30_000 })
      .execute()
    const due = async () => (await dueChannels(w.store, { node: 'b', now: w.clock.now() })).length
    expect(await due()).toBe(0)
    w.clock.pass(-3 * hours)
    await passes(1)
    expect(await due()).toBe(1)
  })

  test('back, a queued command is over, and a wish is of now', async () => {
    const { w, press, command, passes } = await started()
    const { id } = await press('pause')
    const at = w.clock.now()
    const wishes = { runtime: { version: '2.0.0', at, by: 'Ada', mark: null, rollout: 'r', grantedAt: at } }
    await w.store.db.updateTable('agent').set(columnsOfWishes(wishes)).where('id', '=', w.agent.id).execute()
    w.clock.pass(-3 * hours)
    await passes(1)
    expect(await command(id)).toMatchObject({ state: 'expired' })
    const row = await w.store.db.selectFrom('agent').selectAll().where('id', '=', w.agent.id).executeTakeFirstOrThrow()
    expect(wishesIn(row.wishes).runtime).toMatchObject({ at: w.clock.now(), grantedAt: w.clock.now() })
    expect(row.runtime_granted_at).toBe(w.clock.now())
  })

  /** Functions that make a permit. Each returns a function that says whether the permit is valid at a time. */
  const permits: Record<string, (w: TestWorkspace) => Promise<(now: number) => Promise<boolean>>> = {
    'a link to sign in': async ({ store: { db }, admin, clock }) => {
      const made = await createLink({ db, by: admin, now: clock.now() }, 'sign_in', admin.email)
      const token = made.ok ? made.value : ''
      return (now) => isLinkValid(db, 'sign_in', token, now)
    },
    'the first half of a sign-in': async ({ store: { db }, admin, clock }) => {
      await beginFirstHalf(db, { token: 'token', personId: admin.id, method: 'password' }, clock.now())
      return async (now) => (await findFirstHalf(db, 'token', now)) !== undefined
    },
    'an invitation': async ({ store: { db }, workspace, clock }) => {
      const wanted = { workspaceId: workspace.id, email: 'bo@example.org', role: 'member' as const }
      const id = await insertOperatorInvitation(db, wanted, clock.now())
      return async (now) => (await operatorInvitation(db, id, now)) !== undefined
    },
  }
  test.each(Object.keys(permits))('back, %s is over, and stays over when its time comes again', async (name) => {
    const { w, passes } = await started()
    const then = w.clock.now()
    const isValid = await (permits[name] as (typeof permits)[string])(w)
    expect([await isValid(then), await isValid(then - minute)]).toEqual([true, true])
    // The permit is not valid with the clock set back, even before the sweeper has corrected its stored time.
    expect(await isValid(then - 3 * hours * 1000)).toBe(false)
    w.clock.pass(-3 * hours)
    await passes(1)
    expect([await isValid(w.clock.now()), await isValid(then)]).toEqual([false, false])
  })

  test('back, wrong codes of before lock nobody out, and a used code does not bar later ones', async () => {
    const { w, passes } = await started()
    const { db } = w.store
    for (let i = 0; i < 10; i++) await countCode(db, w.admin.id, w.clock.now())
    expect(await countCode(db, w.admin.id, w.clock.now())).toBe(900)
    const step = Math.floor(w.clock.now() / 30_000)
    const app = { person_id: w.admin.id, secret: 'sealed', created_at: 0, confirmed_at: 0, last_step: step }
    await db.insertInto('totp').values(app).execute()
    w.clock.pass(-3 * hours)
    expect(await countCode(db, w.admin.id, w.clock.now())).toBeUndefined()
    await passes(1)
    expect(await spendTotpStep(db, w.admin.id, step - 3 * 120 + 1)).toBe(true)
  })
})

const channelRow = (w: TestWorkspace, now: number) => ({
  ...{
    id: 'c',
    scope: w.workspace.id,
    workspace_id: w.workspace.id,
    owner: '',
    name: 'hook',
    kind: 'webhook' as const,
  },
  ...{ format: 'single' as const, enabled: 1, shown: 'x', sealed: 'x', created_at: now, created_by_name: 'Ada' },
  ...{ dead: 0, serving_node: 'a', serving_until: now + minute },
})
