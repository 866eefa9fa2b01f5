/**
 * Tests the operator's commands for wishes and holds. `npm test` leaves this out.
 * packages/server/src/updates/wishes/wishes.http.test.ts proves the same rules.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundle } from '../../testing/bundles.ts'
import { installed, twoVersions } from '../../testing/installed.ts'
import { buildFolder, pyz } from '../../testing/releases.ts'
import { newServiceHome, report } from '../../testing/service-process.ts'

test('the operator makes and withdraws wishes and lifts holds, and is shown the state and what it waits for', async () => {
  const home = await newServiceHome({ SVC_RELEASE_DIR: '/nothing-is-built-here' })
  await home.start()
  await twoVersions(home)
  const token = await installed(home, 'mail')
  const says = (applied: object) => ({
    applied: { version: '1.0.0', outcome: 'ok', message: 'installed' },
    runtime: { version: '1.0.0', applied: { version: '1.0.0', ...applied } },
  })
  const quiet = says({ outcome: 'ok', message: 'installed' })
  const answer = async (body: object) => (await report(home.url, token, body)).json()
  const show = () => home.value(['agent', 'show', 'north/mail'])

  expect(await home.run(['wish', 'runtime', 'north/mail'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('(runtime_not_served)'),
  })
  await home.value(['release', 'add', buildFolder(pyz('9.0.0'))])
  const unheard = 'It has never reported. The request is sent in the answer to its first report.'
  expect(await home.run(['wish', 'blueprint', 'north/mail', '1.1.0'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(new RegExp(`^mail: .*1\\.1\\.0.*\\n +${unheard}$`, 'm')),
  })
  await answer(quiet)
  expect(await home.run(['wish', 'runtime', 'north/mail'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/9\.0\.0 is not signed, so every runtime reports "failed".*--unsigned/),
  })
  expect(await show()).toMatchObject({ wishes: { runtime: null } })
  expect(await home.value(['wish', 'runtime', 'north/mail', '--unsigned'])).toMatchObject({ changed: true })
  expect(await home.value(['wish', 'runtime', 'north/mail', '--unsigned'])).toMatchObject({ changed: false })
  expect(await show()).toMatchObject({ wishes: { blueprint: '1.1.0', runtime: '9.0.0' }, holds: { runtime: null } })
  expect(await answer(quiet)).toMatchObject({
    desired: { blueprint: 'mail', version: '1.1.0' },
    runtime_desired: '9.0.0',
  })
  await answer(says({ outcome: 'failed', message: 'no ssh-keygen' }))
  expect(await show()).toMatchObject({ wishes: { runtime: null }, holds: { runtime: '9.0.0' } })
  expect(await home.run(['wish', 'runtime', 'north/mail', '--unsigned'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no ssh-keygen.*\(runtime_version_held\)/),
  })
  expect(await home.value(['wish', 'lift', 'north/mail'])).toMatchObject({ changed: true })
  expect(await show()).toMatchObject({ holds: { runtime: null } })
  expect(await home.value(['wish', 'blueprint', 'north/mail', 'off'])).toMatchObject({ changed: true })
  expect(await home.run(['wish', 'blueprint', 'north/mail', '9.9.9'])).toMatchObject({ code: 1 })
  expect(await home.run(['wish', 'blueprint', 'north/mail', 'newest'])).toMatchObject({ code: 2 })
  const { stdout } = await home.run(['agent', 'show', 'north/mail'])
  expect(stdout).toContain('blueprint mail: No version requested.')
  const audit = await home.value<{ action: string }[]>(['audit', 'list', 'north'])
  expect(audit.map(({ action }) => action).slice(0, 4)).toEqual([
    'wish.withdrawn',
    'hold.lifted',
    'wish.made',
    'wish.made',
  ])
})

test('a wish, a rollout and its preview all name the new secrets that a version asks for', async () => {
  const home = await newServiceHome({ SVC_RELEASE_DIR: '/nothing-is-built-here' })
  await home.start()
  await twoVersions(home)
  await installed(home, 'mail')
  const file = join(home.folder, '2.0.0.zip')
  const secrets = '[{name: NOTIFY_TOKEN, purpose: sends the notes}, {name: EXTRA, purpose: finds more, optional: true}]'
  writeFileSync(file, await bundle({ version: '2.0.0', secrets }))
  await home.value(['blueprint', 'upload', 'north', file])
  const words = [
    "Version 2.0.0 asks for secrets that 1.0.0 did not. They must be set on the agent's machine first, or the version may not start:",
    '  svc secrets set NOTIFY_TOKEN  sends the notes',
    '  svc secrets set EXTRA  finds more (optional)',
  ].join('\n')
  const said = async (...args: string[]) => (await home.run(args)).stdout
  expect(await said('rollout', 'begin', 'north', 'mail@2.0.0', '--preview')).toContain(words)
  expect(await said('rollout', 'begin', 'north', 'mail@1.1.0', '--preview')).not.toContain('secret')
  expect(await said('wish', 'blueprint', 'north/mail', '2.0.0')).toContain(words)
  expect(await said('wish', 'blueprint', 'north/mail', '1.1.0')).not.toContain('secret')
  expect(await said('rollout', 'begin', 'north', 'mail@2.0.0')).toContain(words)
})
