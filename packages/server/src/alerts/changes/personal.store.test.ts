import { expect, test } from 'vitest'
import { onEveryEngine } from '../../../testing/stores.ts'
import { addPerson, newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'
import { claimDeliveries } from '../../deliveries/claiming.ts'
import { endOldDeliveries } from '../../deliveries/settling.ts'
import { dueChannels } from '../../deliveries/store.ts'
import { openAuth } from '../../people/accounts/auth.ts'
import { removeMember } from '../../people/workspaces/members.ts'
import { sealKeyOf, unseal } from '../../platform/seal.ts'
import { evaluateScope } from '../evaluation/evaluate.ts'
import { alertWriter } from '../messages/writing.ts'
import type { PreferenceChange } from '../rules/preferences.ts'
import { scopeOf } from '../scope.ts'
import { acknowledgeAlert } from './acknowledging.ts'
import { addChannel, removeChannel, testChannel } from './channels.ts'
import { addPersonalChannel, listPersonal, setPersonalChannel } from './personal.ts'
import { setRule } from './rules.ts'

const key = sealKeyOf('a secret of at least thirty-two characters')
const baseUrl = 'https://svc.example.org'
const sealing = { key, allowed: [], mails: true }
const mine = { name: 'my-email', kind: 'email', zone: 'Europe/Berlin' } as const
/** Converts a UTC time to milliseconds. The clock of these tests starts at 12:00 UTC on Saturday, 21 November 2026. */
const at = (text: string) => Date.parse(`${text}Z`)

onEveryEngine('the channels of a person', (open) => {
  const started = async () => {
    const w = await newTestWorkspace(await open())
    const ctx = (by = w.admin) => ({ db: w.store.db, by, now: w.clock.now() })
    const place = { ...scopeOf(w.workspace), slug: w.workspace.slug, active: true }
    const looks = () => evaluateScope(w.store, place, { baseUrl, now: w.clock.now() })
    const add = (more: object = {}, by = w.admin) =>
      addPersonalChannel({ ...ctx(by), ...sealing }, w.workspace, { ...mine, ...more })
    const set = (more: PreferenceChange & { enabled?: boolean }) =>
      setPersonalChannel(ctx(), w.workspace, { name: 'my-email', ...more })
    /** Makes the agent report this level twice, 30 s apart, and evaluates the alerts after each report. */
    const level = async (to: 'ok' | 'bad') => {
      await report(w, to)
      await looks()
      w.clock.pass(30)
      await report(w, to)
      await looks()
    }
    await setRule(ctx(), w.workspace, { rule: 'bad', after: 0 })
    return { w, ctx, looks, add, set, level, waiting: () => waitingOf(w) }
  }

  test('my email is the address of my account, gets everything at once, and is mine alone', async () => {
    const { w, ctx, add } = await started()
    const bob = await addPerson(w.store, 'Bob', w.workspace.id, 'member', w.clock.now())
    expect(await add()).toMatchObject({
      ok: true,
      value: { name: 'my-email', kind: 'email', address: w.admin.email, enabled: true, pace: 'at_once', rules: null },
    })
    expect(await add()).toMatchObject({ ok: false, code: 'channel_taken' })
    expect(await add({}, bob)).toMatchObject({ ok: true, value: { address: bob.email } })
    expect(await listPersonal(w.store.db, w.workspace, bob)).toHaveLength(1)
    expect(await removeChannel(ctx(bob), { scope: w.workspace, person: bob }, 'other')).toMatchObject({
      ok: false,
      code: 'channel_unknown',
    })
    expect(await removeChannel(ctx(bob), { scope: w.workspace, person: bob }, 'my-email')).toMatchObject({ ok: true })
    expect(await listPersonal(w.store.db, w.workspace, w.admin)).toHaveLength(1)
    const row = await w.store.db.selectFrom('alert_channel').selectAll().executeTakeFirstOrThrow()
    expect(unseal(key, row.id, row.sealed)).toBe(JSON.stringify({ to: w.admin.email }))
    const audit = await w.store.db.selectFrom('audit').select(['action', 'actor']).orderBy('id').execute()
    expect(audit.slice(1)).toEqual([
      { action: 'channel.added', actor: 'Ada' },
      { action: 'channel.added', actor: 'Bob' },
      { action: 'channel.removed', actor: 'Bob' },
    ])
  })

  test.each<[string, object, RegExp]>([
    ['a time zone that is none', { zone: 'Berlin' }, /Europe\/Berlin or UTC: got "Berlin"/],
    ['no rule', { rules: [] }, /at least one rule/],
    ['a time that is none', { quiet: { days: [1], from: '25:00', to: '07:00' } }, /such as 22:00 and 07:00/],
    ['no day', { quiet: { days: [], from: '22:00', to: '07:00' } }, /1 \(Monday\) to 7/],
    ['a day that is none', { quiet: { days: [0], from: '22:00', to: '07:00' } }, /1 \(Monday\) to 7/],
  ])('%s is refused with a sentence', async (_what, more, sentence) => {
    const { add, set } = await started()
    await add()
    expect(await set(more)).toMatchObject({ ok: false, message: expect.stringMatching(sentence) })
  })

  test('without a mail server my email is refused, and the sentence names the setting', async () => {
    const { w, ctx } = await started()
    const refused = await addPersonalChannel({ ...ctx(), ...sealing, mails: false }, w.workspace, mine)
    expect(refused).toMatchObject({ ok: false, message: expect.stringContaining('SVC_SMTP_URL') })
  })

  test('quiet hours defer the message and not the alert; bad may pass', async () => {
    const { w, add, set, level, waiting } = await started()
    await add()
    const quiet = { days: [6], from: '10:00', to: '15:30' }
    expect(await set({ quiet, badPasses: false, zone: 'Europe/Berlin' })).toMatchObject({ ok: true, value: { quiet } })
    await level('bad')
    expect(await w.store.db.selectFrom('alert').select('opened_at').execute()).toEqual([
      { opened_at: at('2026-11-21T12:00:00') },
    ])
    expect(await waiting()).toEqual([['alert.opened', at('2026-11-21T14:30:00')]])
    await set({ badPasses: true })
    expect(await waiting()).toEqual([['alert.opened', w.clock.now() + 30_000]])
  })

  test('a daily digest waits until 08:00 of the zone, also for more than a day, and is one message', async () => {
    const { w, add, set, level, waiting } = await started()
    await add()
    await set({ pace: 'weekly' })
    await level('bad')
    await level('ok')
    w.clock.pass(120)
    await level('ok')
    const monday = at('2026-11-23T07:00:00')
    expect(await waiting()).toEqual([
      ['alert.opened', monday],
      ['alert.ended', monday],
    ])
    w.clock.pass((monday - w.clock.now()) / 1000 - 1)
    await endOldDeliveries(w.store, w.clock.now())
    const due = () => dueChannels(w.store, { node: 'a', now: w.clock.now() })
    expect(await due()).toEqual([])
    w.clock.pass(1)
    const [channel] = await due()
    const { claimed } = await claimDeliveries(w.store, {
      channelId: channel?.id ?? '',
      node: 'a',
      writer: alertWriter(baseUrl),
      now: w.clock.now(),
      random: 0.5,
    })
    expect(claimed?.written.text.title).toContain('mail-triage')
  })

  test('a message that waits follows what the person chooses next', async () => {
    const { w, add, set, level, waiting } = await started()
    await add()
    await set({ pace: 'daily' })
    await level('bad')
    expect(await waiting()).toEqual([['alert.opened', at('2026-11-22T07:00:00')]])
    await set({ rules: ['bad', 'silent'], pace: 'at_once' })
    expect((await waiting())[0]?.[1]).toBe(w.clock.now() + 30_000)
    await set({ rules: ['silent'] })
    expect(await waiting()).toEqual([])
    const before = await w.store.db.selectFrom('audit').select('id').execute()
    expect(await set({ rules: ['silent'] })).toMatchObject({ ok: true, value: { rules: ['silent'] } })
    expect(await w.store.db.selectFrom('audit').select('id').execute()).toHaveLength(before.length)
    await set({ enabled: false })
    await level('ok')
    expect(await waiting()).toEqual([])
  })

  test('what waits for a person who leaves is removed with their channels', async () => {
    const { w, ctx, add, level, waiting } = await started()
    const bob = await addPerson(w.store, 'Bob', w.workspace.id, 'member', w.clock.now())
    await add({}, bob)
    await testChannel(ctx(bob), { scope: w.workspace, person: bob }, 'my-email')
    await level('bad')
    expect(await waiting()).toHaveLength(1)
    const member = w.store.db.selectFrom('member').select('id').where('userId', '=', bob.id)
    const { id } = await member.executeTakeFirstOrThrow()
    const auth = openAuth(w.store, { baseUrl, secret: 'a secret of more than thirty-two characters' })
    const people = { store: w.store, auth }
    expect(await removeMember({ people, by: bob, now: w.clock.now() }, w.workspace, { id })).toMatchObject({ ok: true })
    for (const table of ['alert_channel', 'alert_delivery'] as const)
      expect(await w.store.db.selectFrom(table).select('id').execute()).toEqual([])
  })

  test('nothing is sent to the channels of a disabled person, and enabling brings them back', async () => {
    const { w, add, level, waiting } = await started()
    await add()
    await level('bad')
    expect(await waiting()).toHaveLength(1)
    const due = async () => (await dueChannels(w.store, { node: 'a', now: w.clock.now() + 60_000 })).map(({ id }) => id)
    const [mail] = await due()
    const take = () =>
      claimDeliveries(w.store, {
        channelId: mail ?? '',
        node: 'a',
        writer: alertWriter(baseUrl),
        now: w.clock.now() + 60_000,
        random: 0,
      })
    await w.store.db.insertInto('person_disabled').values({ person_id: w.admin.id, disabled_at: 1 }).execute()
    expect([await due(), await take()]).toEqual([[], { claimed: undefined, unwritable: [] }])
    await level('ok')
    expect(await waiting()).toHaveLength(1)
    await w.store.db.deleteFrom('person_disabled').execute()
    expect(await due()).toEqual([mail])
    expect((await take()).claimed).toBeDefined()
  })

  test('a command that was refused is told to the person who sent it, and to nobody else', async () => {
    const { w, ctx, add, looks, waiting } = await started()
    const bob = await addPerson(w.store, 'Bob', w.workspace.id, 'member', w.clock.now())
    await add()
    await add({}, bob)
    await setRule(ctx(), w.workspace, { rule: 'command', on: true })
    await report(w, 'ok')
    await refusedCommand(w, bob.id)
    await looks()
    expect(await waiting()).toHaveLength(1)
    const owner = w.store.db.selectFrom('alert_channel').innerJoin('alert_delivery', 'channel_id', 'alert_channel.id')
    expect(await owner.select('owner').execute()).toEqual([{ owner: bob.id }])
  })
})

onEveryEngine('an escalation', (open) => {
  const started = async () => {
    const w = await newTestWorkspace(await open())
    const ctx = () => ({ db: w.store.db, by: w.admin, now: w.clock.now() })
    const place = { ...scopeOf(w.workspace), slug: w.workspace.slug, active: true }
    for (const name of ['ops', 'boss'])
      await addChannel({ ...ctx(), ...sealing }, w.workspace, { name, kind: 'email', to: `${name}@example.org` })
    const escalation = { after: 900, channels: ['boss'] }
    await setRule(ctx(), w.workspace, { rule: 'bad', after: 0, reminds: false, escalation })
    const pass = async (minutes: number, level: 'ok' | 'bad' = 'bad') => {
      for (let i = 0; i < minutes * 2; i++) {
        await report(w, level)
        await evaluateScope(w.store, place, { baseUrl, now: w.clock.now() })
        w.clock.pass(30)
      }
    }
    const sent = async () => {
      const rows = await w.store.db
        .selectFrom('alert_delivery')
        .innerJoin('alert_channel', 'alert_channel.id', 'channel_id')
        .select(['changes', 'name'])
        .orderBy('alert_delivery.id')
        .execute()
      return rows.map(({ name, changes }) => `${name} ${(JSON.parse(changes) as { type: string }[])[0]?.type}`)
    }
    return { w, ctx, pass, sent }
  }

  test('tells the second channels once, after the time without an acknowledgement, and then also the end', async () => {
    const { pass, sent } = await started()
    await pass(15)
    expect(await sent()).toEqual(['ops alert.opened'])
    await pass(5)
    expect(await sent()).toEqual(['ops alert.opened', 'boss alert.opened'])
    await pass(3, 'ok')
    expect((await sent()).slice(2).sort()).toEqual(['boss alert.ended', 'ops alert.ended'])
  })

  test('does not happen once somebody acknowledged the alert', async () => {
    const { w, ctx, pass, sent } = await started()
    await pass(5)
    const { id } = await w.store.db.selectFrom('alert').select('id').executeTakeFirstOrThrow()
    await acknowledgeAlert(ctx(), w.workspace, { id, note: undefined, baseUrl })
    await pass(20)
    expect(await sent()).toEqual(['ops alert.opened', 'ops alert.acknowledged'])
  })

  test('needs a time, a channel that exists, and a rule that lasts', async () => {
    const { w, ctx } = await started()
    const set = (rule: string, after: number, channels: string[]) =>
      setRule(ctx(), w.workspace, { rule, escalation: { after, channels } })
    expect(await set('bad', 0, ['boss'])).toMatchObject({ message: expect.stringContaining('longer than 0 s') })
    expect(await set('bad', 60, [])).toMatchObject({ message: expect.stringContaining('at least one channel') })
    expect(await set('bad', 60, ['nobody'])).toMatchObject({ code: 'channel_unknown' })
    expect(await set('command', 60, ['boss'])).toMatchObject({ message: expect.stringContaining('single event') })
  })
})

async function report(w: TestWorkspace, level: 'ok' | 'bad'): Promise<void> {
  const row = {
    agent_id: w.agent.id,
    received_at: w.clock.now(),
    level,
    controls: '[]',
    interval_s: 30,
    reporters: '',
    runs_kept: 0,
    body: '{"protocol":1}',
  }
  const insert = w.store.db.insertInto('agent_report').values(row as never)
  await insert.onConflict((oc) => oc.column('agent_id').doUpdateSet(row as never)).execute()
}

async function refusedCommand(w: TestWorkspace, personId: string): Promise<void> {
  await w.store.db
    .insertInto('command')
    .values({
      id: 'c1',
      agent_id: w.agent.id,
      type: 'pause',
      payload: '{}',
      state: 'refused',
      created_at: w.clock.now(),
      created_by: personId,
      created_by_name: 'Bob',
      delivered_at: w.clock.now(),
      answered_at: w.clock.now(),
      due_at: w.clock.now(),
    } as never)
    .execute()
}

/** Returns the waiting deliveries, each with the time before which it is not sent. */
async function waitingOf(w: TestWorkspace): Promise<[string | undefined, number | null][]> {
  const rows = await w.store.db
    .selectFrom('alert_delivery')
    .select(['changes', 'due_at'])
    .where('state', '=', 'waiting')
    .where('kind', '=', 'alert')
    .orderBy('id')
    .execute()
  return rows.map(({ changes, due_at }) => [(JSON.parse(changes) as { type: string }[])[0]?.type, due_at])
}
