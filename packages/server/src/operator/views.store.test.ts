/** Tests the commands about views, which call the same functions as the page. */
import { expect, test } from 'vitest'
import { reporting } from '../../testing/reporting.ts'
import { onEveryEngine } from '../../testing/stores.ts'
import { newTestWorkspace } from '../../testing/test-workspace.ts'
import { readViews, setView } from '../fleet/views/store.ts'
import { commands } from './commands/all.ts'
import type { OperatorRequest, ServiceParts } from './shared/request.ts'
import { runOperatorCommand } from './socket/socket.ts'

onEveryEngine('svc-server view', (open) => {
  const start = async () => {
    const w = await newTestWorkspace(await open())
    const { report } = reporting(w)
    await report({ state: { level: 'bad', label: 'Down' } }, { agent: await w.addAgent('mail-1') })
    await report({ state: { level: 'ok', label: 'Working' } }, { agent: await w.addAgent('mail-2') })
    const service = {
      store: w.store,
      live: {},
      config: { dataDir: 'data' },
      now: w.clock.now,
    } as unknown as ServiceParts
    const run = (name: string, args: string[], options: OperatorRequest['options'] = {}) =>
      runOperatorCommand(name, { args: [w.workspace.slug, ...args], options, input: '' }, service)
    const said = async (...call: Parameters<typeof run>) => {
      const outcome = await run(...call)
      return outcome.ok ? commands[call[0]]?.show(outcome.value) : `${outcome.kind}: ${outcome.message}`
    }
    const value = async (...call: Parameters<typeof run>) => {
      const outcome = await run(...call)
      return outcome.ok ? outcome.value : outcome
    }
    return { w, said, value }
  }

  test('sets, lists and removes views of the workspace, and lists the agents of one', async () => {
    const { said, value } = await start()
    expect(await said('view list', [])).toBe('No views.')
    expect(await said('view set', ['Bad ones'], { filter: 'level:bad' })).toBe('The view Bad ones shows level:bad.')
    expect(await value('view set', ['All of them'], { filter: '' })).toEqual({ name: 'All of them', q: '' })
    expect(await value('view list', [])).toEqual([
      { name: 'All of them', q: '' },
      { name: 'Bad ones', q: 'level:bad' },
    ])
    expect(await said('view list', [])).toMatch(/^NAME +FILTER\nAll of them *\nBad ones +level:bad$/)
    expect(await value('agent list', [], { view: 'Bad ones' })).toMatchObject([{ name: 'mail-1' }])
    expect(await value('agent list', [], { view: 'All of them' })).toHaveLength(3)
    expect(await value('view remove', ['Bad ones'])).toEqual({ name: 'Bad ones', removed: true })
    expect(await value('view list', [])).toEqual([{ name: 'All of them', q: '' }])
  })

  test('a view that is set again keeps the order and the columns that somebody chose on the page', async () => {
    const { w, value } = await start()
    const chosen = { sort: '-seen', columns: ['host' as const] } as const
    const rights = { role: 'admin', factorMissing: false } as const
    await setView({ db: w.store.db, by: w.admin, now: w.clock.now(), ...rights }, w.workspace, {
      ...{ name: 'Bad ones', shared: true, q: 'level:bad' },
      ...{ sort: chosen.sort, columns: [...chosen.columns] },
    })
    await value('view set', ['Bad ones'], { filter: 'level:bad,warn' })
    expect(await readViews(w.store.db, w.workspace, w.admin)).toMatchObject([{ ...chosen, q: 'level:bad,warn' }])
  })

  test('refuses with the reason, and then changes nothing', async () => {
    const { said, value } = await start()
    await value('view set', ['Bad ones'], { filter: 'level:bad' })
    const long = 'n'.repeat(61)
    for (const [command, args, options, message] of [
      ['view set', ['Bad ones'], {}, /^misused: A view needs a filter: view set SLUG NAME --filter FILTER$/],
      ['view set', ['Bad ones'], { filter: 'level:green' }, /\n {2}level:green\n {2} {6}\^{5}$/],
      ['view set', [long], { filter: '' }, /^misused: The name of a view must have 1 to 60 characters: got 61\.$/],
      ['view set', [' '], { filter: '' }, /^misused: The name of a view must have 1 to 60 characters: got 0\.$/],
      ['view remove', ['bad ones'], {}, /^refused: The workspace has no view "bad ones"\. It has "Bad ones"\./],
      ['agent list', [], { view: 'nothing' }, /^refused: The workspace has no view "nothing"\. It has "Bad ones"\./],
      ['agent list', [], { view: 'Bad ones', filter: 'mail' }, /^misused: Give --filter or --view/],
    ] as const)
      expect(await said(command, [...args], options)).toMatch(message)
    expect(await value('view list', [])).toEqual([{ name: 'Bad ones', q: 'level:bad' }])
  })
})
