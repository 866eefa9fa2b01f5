/**
 * Tests the operator's commands for rollouts. `npm test` leaves this out.
 * packages/server/src/updates/rollouts/rollouts.http.test.ts proves the same rules.
 */
import type { RolloutPage, RolloutPreview } from '@svc/api'
import { expect, test } from 'vitest'
import { eventually } from '../../../../testing/eventually.ts'
import { installed, twoVersions } from '../../testing/installed.ts'
import { newServiceHome, report, type ServiceHome } from '../../testing/service-process.ts'

test('the operator previews, starts, pauses, continues and cancels a rollout, or is refused with the reason', async () => {
  const home = await newServiceHome({ SVC_RELEASE_DIR: '/nothing-is-built-here' })
  await home.start()
  const agents = await threeAgents(home)
  const begin = ['rollout', 'begin', 'north', 'mail@1.1.0', '--waves', '1, 2, all', '--watch', '0']
  await refusals(home)
  type StartedRollout = { rollout: RolloutPage | null; preview: RolloutPreview }

  const { preview, rollout: none } = await home.value<StartedRollout>([...begin, '--preview', '--agents', 'a1,a2'])
  expect([preview.waves.map((wave) => wave.agents), none]).toEqual([[['a1'], ['a2']], null])
  expect(await home.value(['rollout', 'list', 'north'])).toEqual([])
  const { rollout } = await home.value<StartedRollout>(begin)
  if (!rollout) throw new Error('No rollout was started.')
  expect(rollout).toMatchObject({ state: 'running', wave: 1, upTo: ['1', '2', '100%'], createdBy: 'operator' })

  const { id } = rollout
  const act = (what: string, ...more: string[]) => home.value<RolloutPage>(['rollout', what, id, ...more])
  expect(await act('pause')).toMatchObject({ state: 'paused', counts: { untouched: 3 } })
  expect(await agents.a1('1.0.0')).not.toHaveProperty('desired')
  expect(await home.run(['rollout', 'pause', id])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('paused'),
  })
  expect(await act('continue')).toMatchObject({ state: 'running', counts: { wished: 1 }, continuedBy: 'operator' })
  expect(await agents.a1('1.0.0')).toMatchObject({ desired: { version: '1.1.0' } })
  expect(await home.run(['rollout', 'now', id])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('No agent of the rollout waits for the end of a watch.'),
  })
  await agents.a1('1.1.0')
  await eventually('the second wave has started', async () =>
    expect(await act('show')).toMatchObject({ wave: 2, counts: { kept: 1, wished: 1 } }),
  )

  const { stdout } = await home.run(['rollout', 'show', id])
  expect(stdout).toMatch(/^mail@1\.1\.0: running, wave 2 of 3, kept by 1 of 3 /)
  expect(stdout).toMatch(/^1 +a1 +kept +1\.1\.0 /m)
  expect(stdout).toMatch(/^3 +a3 +untouched +1\.0\.0 /m)
  const cancelled = await act('cancel', '--withdraw')
  expect(cancelled).toMatchObject({ state: 'cancelled', why: 'By operator.', counts: { kept: 1, untouched: 2 } })
  expect((await home.run(['rollout', 'list', 'north'])).stdout).toMatch(/mail@1\.1\.0 +cancelled +2 of 3 +1 of 3/)
  const audit = await home.value<{ action: string; actor: string }[]>(['audit', 'list', 'north'])
  expect(audit.filter(({ action }) => action.startsWith('rollout')).map(({ action }) => action)).toEqual([
    'rollout.cancelled',
    'rollout.continued',
    'rollout.paused',
    'rollout.started',
  ])
})

/** Checks that commands for rollouts with wrong arguments are refused, each with a message that names the fault. */
async function refusals(home: ServiceHome): Promise<void> {
  const begin = (...args: string[]) => home.run(['rollout', 'begin', 'north', ...args])
  const says = (text: string) => expect.stringContaining(text)
  const unknown = home.run(['rollout', 'continue', 'none'])
  const refused = await Promise.all([
    begin('mail@1.1.0', '--agents', 'a1,nobody'),
    begin('mail@7.0.0'),
    begin('runtime'),
  ])
  expect(refused).toMatchObject([
    { code: 1, stderr: says('"nobody"') },
    { code: 1, stderr: says('There is no version "7.0.0"') },
    { code: 1, stderr: says('svc-server release add') },
  ])
  expect(await begin('mail@1.0.0', '--agents', 'a1')).toMatchObject({ code: 1, stderr: says('Already running 1.0.0.') })
  expect(await begin('mail@1.1.0', '--watch', 'long')).toMatchObject({ code: 2, stderr: says('minutes') })
  expect(await begin('mail@1.1.0', '--waves', 'some')).toMatchObject({ code: 1, stderr: says('got "some"') })
  expect(await unknown).toMatchObject({ code: 1, stderr: says('There is no rollout "none"') })
}

/**
 * Installs the agents a1 to a3 of the blueprint mail, which has the versions 1.0.0 and 1.1.0. Returns for each agent a
 * function that reports a version as running.
 */
async function threeAgents(home: ServiceHome) {
  await twoVersions(home)
  const reports: Record<string, (version: string) => Promise<unknown>> = {}
  for (const name of ['a1', 'a2', 'a3'] as const) {
    const token = await installed(home, name)
    reports[name] = async (version) => {
      const applied = { version, outcome: 'ok', message: `to ${version}` }
      return (await report(home.url, token, { applied })).json()
    }
    await reports[name]('1.0.0')
  }
  return reports as Record<'a1' | 'a2' | 'a3', (version: string) => Promise<unknown>>
}
