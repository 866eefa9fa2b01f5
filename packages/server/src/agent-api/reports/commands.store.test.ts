import { expect, test } from 'vitest'
import { type ReportingParts, reporting } from '../../../testing/reporting.ts'
import { offering } from '../../../testing/service.ts'
import { onBothEngines } from '../../../testing/stores.ts'
import { newTestWorkspace, type TestWorkspace } from '../../../testing/test-workspace.ts'

onBothEngines('commands in a report', (open) => {
  const start = async (): Promise<TestWorkspace & ReportingParts> => {
    const w = await newTestWorkspace(await open())
    const r = reporting(w)
    await r.report(offering)
    return { ...r, ...w, store: w.store } as TestWorkspace & ReportingParts
  }

  test('a command is delivered once, even if the answer is lost (I1)', async () => {
    const { press, report, command, clock } = await start()
    const { id } = await press('run_now')
    expect(await report(offering)).toEqual([{ id, type: 'run_now', payload: {} }])
    expect(await report(offering)).toEqual([])
    expect(await command(id)).toMatchObject({ state: 'delivered', delivered_at: clock.now() })
  })

  test('a client that hung up gets no commands, and they wait for the next report (D1)', async () => {
    const { press, report } = await start()
    const { id } = await press('pause')
    expect(await report(offering, { gone: true })).toEqual([])
    expect(await report(offering)).toMatchObject([{ id }])
  })

  test('an ack settles its command, with the words of the agent (I5)', async () => {
    const { press, report, command, clock } = await start()
    const yes = await press('pause')
    const no = await press('resume')
    await report(offering)
    clock.pass(20)
    await report({
      acks: [
        { id: yes.id, ok: true, message: 'paused' },
        { id: no.id, ok: false, message: 'not while I work' },
      ],
    })
    expect(await command(yes.id)).toMatchObject({
      state: 'applied',
      message: 'paused',
      answered_at: clock.now(),
      due_at: null,
    })
    expect(await command(no.id)).toMatchObject({ state: 'refused', message: 'not while I work' })
  })

  test('the first ack counts; later ones and acks for other commands change nothing (D3)', async () => {
    const { press, report, command } = await start()
    const { id } = await press('pause')
    await report({ ...offering, acks: [{ id, ok: true, message: 'too early' }] })
    expect(await command(id)).toMatchObject({ state: 'delivered' })
    await report({
      acks: [
        { id, ok: false, message: 'no' },
        { id, ok: true, message: 'yes' },
      ],
    })
    await report({
      acks: [
        { id, ok: true, message: 'changed my mind' },
        { id: 'unknown', ok: true },
      ],
    })
    expect(await command(id)).toMatchObject({ state: 'refused', message: 'no' })
  })

  test('an ack of another agent changes nothing (I6)', async () => {
    const { press, report, command, addAgent } = await start()
    const { id } = await press('pause')
    await report(offering)
    await report({ acks: [{ id, ok: true }] }, { agent: await addAgent('other') })
    expect(await command(id)).toMatchObject({ state: 'delivered' })
  })

  test('a command not fetched within ten minutes expires and is never delivered (D2)', async () => {
    const { press, report, command, clock } = await start()
    const { id } = await press('run_now')
    clock.pass(600)
    expect(await report(offering)).toEqual([])
    expect(await command(id)).toMatchObject({
      state: 'expired',
      delivered_at: null,
      failed_at: clock.now(),
      due_at: null,
    })
  })

  test('one second before it expires, a command is still delivered', async () => {
    const { press, report, clock } = await start()
    const { id } = await press('run_now')
    clock.pass(599)
    expect(await report(offering)).toMatchObject([{ id }])
  })

  test('a command without an ack fails ten minutes after its delivery, and a late ack still counts (D3)', async () => {
    const { press, report, command, clock, monotonic } = await start()
    const { id } = await press('pause')
    clock.pass(300)
    await report(offering)
    for (const [seconds, state] of [
      [599, 'delivered'],
      [1, 'failed'],
    ] as const) {
      clock.pass(seconds)
      monotonic.pass(seconds)
      await report(offering)
      expect(await command(id)).toMatchObject({ state })
    }
    const failedAt = clock.now()
    clock.pass(1000)
    await report({ acks: [{ id, ok: true, message: 'sorry, was asleep' }] })
    expect(await command(id)).toMatchObject({
      state: 'applied_late',
      failed_at: failedAt,
      answered_at: clock.now(),
      message: 'sorry, was asleep',
    })
  })

  test('a wall clock that jumps ahead fails no command that this process has just delivered (D20)', async () => {
    const { press, report, command, clock, monotonic } = await start()
    const { id } = await press('pause')
    await report(offering)
    monotonic.pass(30)
    clock.pass(86_400)
    await report(offering)
    expect(await command(id)).toMatchObject({ state: 'delivered', due_at: clock.now() + 570_000 })
    monotonic.pass(571)
    clock.pass(571)
    await report(offering)
    expect(await command(id)).toMatchObject({ state: 'failed' })
  })

  test('a command that the agent no longer offers fails undelivered, with the reason (D6)', async () => {
    const { press, report, command } = await start()
    const paused = await press('pause')
    const set = await press('set', { every: 100 })
    const log = await press('log', { name: 'work' })
    const claimed = await report({
      controls: ['resume'],
      settings: { schema: [{ key: 'every', type: 'number', max: 50 }] },
      active: [],
    })
    expect(claimed).toEqual([])
    expect(await command(paused.id)).toMatchObject({
      state: 'failed',
      delivered_at: null,
      message: 'No longer offered: The agent does not offer "pause".',
    })
    expect(await command(set.id)).toMatchObject({ state: 'failed' })
    expect(await command(log.id)).toMatchObject({ state: 'failed' })
    await report({ acks: [{ id: paused.id, ok: true }] })
    expect(await command(paused.id)).toMatchObject({ state: 'failed' })
  })

  test('parts missing from a report decide nothing: a command that was valid when it was sent is delivered (D6)', async () => {
    const { press, report } = await start()
    const ids = [
      (await press('pause')).id,
      (await press('set', { every: 100 })).id,
      (await press('log', { name: 'work' })).id,
    ]
    expect((await report({})).map(({ id }) => id)).toEqual(ids)
  })

  test('a log of a kept run may be requested while the report names others (D6)', async () => {
    const { press, report } = await start()
    await report({ ...offering, runs: [{ id: 'old', log: 'run-old' }] })
    const { id } = await press('log', { name: 'run-old' })
    expect(await report({ active: [{ log: 'other' }] })).toMatchObject([{ id }])
  })

  test('an answer carries at most twenty commands, oldest first, and the next answer the rest (D1)', async () => {
    const { press, report } = await start()
    const ids: string[] = []
    for (let i = 1; i <= 25; i++) ids.push((await press('set', { every: i })).id)
    expect((await report(offering)).map(({ id }) => id)).toEqual(ids.slice(0, 20))
    expect((await report(offering)).map(({ id }) => id)).toEqual(ids.slice(20))
  })

  test('an ack with `ok: true` does not settle a log command; the upload does (D3)', async () => {
    const { press, report, command } = await start()
    const { id } = await press('log', { name: 'work' })
    await report(offering)
    await report({ acks: [{ id, ok: true }] })
    expect(await command(id)).toMatchObject({ state: 'delivered' })
  })

  test('an agent can refuse a log command with an ack, at once and also after the timeout (D3)', async () => {
    const { press, report, command, clock, monotonic } = await start()
    const atOnce = await press('log', { name: 'work' })
    await report(offering)
    const message = 'There is no such log.'
    await report({ ...offering, acks: [{ id: atOnce.id, ok: false, message }] })
    expect(await command(atOnce.id)).toMatchObject({
      state: 'refused',
      message,
      answered_at: clock.now(),
      due_at: null,
    })
    const late = await press('log', { name: 'work' })
    await report(offering)
    clock.pass(600)
    monotonic.pass(600)
    await report(offering)
    expect(await command(late.id)).toMatchObject({ state: 'failed' })
    await report({ acks: [{ id: late.id, ok: false, message }] })
    expect(await command(late.id)).toMatchObject({ state: 'refused_late', message, answered_at: clock.now() })
  })

  test('of two acks for a log command the refusal counts, since the other one settles nothing (D3)', async () => {
    const { press, report, command } = await start()
    const { id } = await press('log', { name: 'work' })
    await report(offering)
    await report({
      acks: [
        { id, ok: true },
        { id, ok: false, message: 'gone' },
      ],
    })
    expect(await command(id)).toMatchObject({ state: 'refused', message: 'gone' })
  })

  test('two nodes that answer the same agent at the same time deliver a command once (I1)', async () => {
    const w = await newTestWorkspace(await open())
    const [a, b] = [reporting(w), reporting(w)]
    await a.report(offering)
    for (let round = 0; round < 20; round++) {
      const { id } = await a.press('run_now')
      const given = await Promise.all([a.report(offering), b.report(offering), a.report(offering)])
      expect(given.flat()).toEqual([{ id, type: 'run_now', payload: {} }])
      await b.report({ ...offering, acks: [{ id, ok: true }] })
    }
  })
})
