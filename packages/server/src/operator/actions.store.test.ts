/** Tests the commands about actions, which call the same functions as the page. */
import { expect, test } from 'vitest'
import { reporting } from '../../testing/reporting.ts'
import { offering } from '../../testing/service.ts'
import { onEveryEngine } from '../../testing/stores.ts'
import { newTestWorkspace } from '../../testing/test-workspace.ts'
import { commands } from './commands/all.ts'
import type { OperatorRequest, ServiceParts } from './shared/request.ts'
import { runOperatorCommand } from './socket/socket.ts'

onEveryEngine('svc-server action', (open) => {
  const start = async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    for (const name of ['mail-1', 'mail-2', 'disk-1']) await report(offering, { agent: await w.addAgent(name) })
    const live = { changed: () => {}, listChanged: () => {}, rightsChanged: async () => {} }
    const config = { dataDir: 'data' }
    const service = { store: w.store, live, config, now: w.clock.now } as unknown as ServiceParts
    const run = (name: string, args: string[], options: OperatorRequest['options'] = {}) =>
      runOperatorCommand(name, { args, options, input: '' }, service)
    const said = async (...call: Parameters<typeof run>) => {
      const outcome = await run(...call)
      return outcome.ok ? commands[call[0]]?.show(outcome.value) : `${outcome.kind}: ${outcome.message}`
    }
    const sent = async (...call: Parameters<typeof run>) => {
      const outcome = await run(...call)
      if (!outcome.ok) throw new Error(outcome.message)
      return (outcome.value as { id: string }).id
    }
    return { w, said, sent }
  }

  test('sends to named agents and to those that a filter selects, shows the outcomes, and cancels', async () => {
    const { w, said, sent } = await start()
    const { slug } = w.workspace
    const id = await sent('action send', [slug, 'pause'], { filter: 'name:mail-*,disk-1 -mail-triage', expect: '3' })
    const shown = await said('action show', [`${slug}/${id}`])
    expect(shown).toMatch(/^pause: 3 waiting/)
    expect(shown).toMatch(/mail-1 +waiting/)
    expect(await said('action list', [slug])).toMatch(/pause +3 +3 waiting/)
    const other = await sent('action send', [slug, 'set', 'every=5'], { agents: 'mail-1,mail-2' })
    expect(await said('action show', [`${slug}/${other}`])).toMatch(/^set \{"every":5\}: 2 waiting/)
    expect(await said('action cancel', [`${slug}/${id}`])).toBe('Cancelled for 3 agents.')
    expect(await said('action retry', [`${slug}/${id}`])).toBe(
      'refused: There is nothing to retry: no command expired or failed whose agent still exists.',
    )
  })

  test('refuses with the reason, and then sends nothing', async () => {
    const { w, said } = await start()
    const { slug } = w.workspace
    for (const [args, options, message] of [
      [['pause'], {}, /^misused: Name the agents, or select them/],
      [['pause'], { agents: 'mail-1', filter: 'mail' }, /^misused: Name the agents, or select them/],
      [['pause'], { agents: 'nobody' }, /There is no agent "nobody" in the workspace\. Nothing was sent\./],
      [['pause'], { filter: 'name:nobody' }, /^refused: The filter selects no agent/],
      [['pause'], { filter: 'name:mail-?' }, /^refused: The filter selects no agent/],
      [['pause'], { filter: 'name:mail-1', expect: '2' }, /^refused: The filter selects 1 agents?, not 2/],
      [['pause'], { filter: 'name:mail-1', expect: 'two' }, /^misused: --expect is the number/],
      [['pause'], { filter: 'colour:red' }, /\n {2}colour:red\n {2}\^/],
      [
        ['pause'],
        { filter: 'name:mail-1 -host:mial' },
        /^refused: Nothing was sent\. The filter selects 1 agent\.\n-host:mial excludes no agent\.\nCorrect .* --expect 1$/,
      ],
      [['explode'], { agents: 'mail-1' }, /^misused: type must be one of/],
      [['set'], { agents: 'mail-1' }, /^misused: Name the settings to change: action send SLUG set KEY=JSON…/],
    ] as const)
      expect(await said('action send', [slug, ...args], options)).toMatch(message)
    expect(await said('action show', [`${slug}/unknown`])).toMatch(/There is no action "unknown"/)
    expect(await said('action show', [slug])).toMatch(/^misused: An action is named SLUG\/ID/)
    expect(await w.store.db.selectFrom('action').select('id').execute()).toEqual([])
    const confirmed = { filter: 'name:mail-1 -host:mial', expect: '1' }
    expect(await said('action send', [slug, 'pause'], confirmed)).toMatch(/^Queued .*\n-host:mial excludes no agent\.$/)
  })
})
