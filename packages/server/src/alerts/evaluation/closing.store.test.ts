/** Tests that alerts are closed when nobody watches their subject any longer, and that the message says why. */
import { expect, test } from 'vitest'
import { onEveryEngine } from '../../../testing/stores.ts'
import { saidIn, watched } from '../../../testing/watched.ts'
import { deleteAgent } from '../../fleet/agents/store.ts'

const health = [{ name: 'Job backup', level: 'bad', detail: 'failed' }]
const failing = { state: { level: 'bad', label: 'jobs' }, health }
const time = String.raw`\d\d:\d\d UTC`
const was = (what: string) => expect.stringMatching(new RegExp(`^${what} from ${time} to ${time}, for \\d minutes$`))

onEveryEngine('the end of alerts', (open) => {
  test('an agent that somebody stopped leaves no open alert, and the message says why', async () => {
    const { w, lives, report, lines, changes } = await watched(await open())
    await lives(3, failing)
    await changes()
    await report({ ...failing, stopped: 'person' })
    await lives(3)
    expect(await lines()).toEqual([])
    const [ended, ...more] = await changes()
    expect([ended && saidIn(ended), ended?.because, more]).toEqual([
      was('ended: Closed because the agent was stopped: Job backup on mail-triage was bad'),
      'stopped',
      [],
    ])
    w.clock.pass(3600)
    await lives(1)
    expect([await lines(), await changes()]).toEqual([[], []])
    await lives(3, failing)
    expect((await changes()).map(({ type }) => type)).toEqual(['alert.opened'])
  })

  test('an agent that stops for a moment and is as bad as before sends nothing', async () => {
    const { lives, report, changes } = await watched(await open())
    await lives(3, failing)
    await changes()
    await report({ ...failing, stopped: 'person' })
    await lives(1)
    await lives(3, failing)
    expect(await changes()).toEqual([])
  })

  test('a job that is no longer reported is not called well', async () => {
    const { lives, changes } = await watched(await open())
    await lives(3, failing)
    await lives(3, { state: { level: 'ok' }, health: [{ name: 'Job backup', level: 'ok' }] })
    await lives(3, failing)
    await lives(3, { state: { level: 'ok' }, health: [] })
    const ends = (await changes()).filter(({ type }) => type === 'alert.ended')
    expect(ends.map(saidIn)).toEqual([
      was('ended: Job backup on mail-triage was bad'),
      was('ended: Closed because the item is no longer reported: Job backup on mail-triage was bad'),
    ])
  })

  test('a pause closes the alert about the level, and says so', async () => {
    const { lives, changes, lines } = await watched(await open())
    await lives(3, { state: { level: 'bad', label: 'stuck' } })
    await changes()
    await lives(3, { state: { level: 'info', label: 'Paused' } })
    expect((await changes()).map(saidIn)).toEqual([
      was('ended: Closed because the agent was paused: mail-triage was at level Bad'),
    ])
    expect(await lines()).toEqual([])
  })

  test('a deleted agent leaves no open alert, and sends nothing', async () => {
    const { w, lives, lines, changes, ctx } = await watched(await open())
    await lives(3, failing)
    await changes()
    await deleteAgent(ctx(), w.agent)
    await lives(1)
    expect([await lines(), await changes()]).toEqual([[], []])
  })
})
