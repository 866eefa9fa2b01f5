/**
 * Tests updates with the real service: a blueprint is uploaded, an agent is installed with a code, a new version is
 * wished and run, and a wish for the previous version rolls it back. `npm test` leaves this out.
 * packages/runtime/src/updates/agent/update.process.test.ts proves the same rules.
 */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newServiceHome } from '../../../../server/testing/service-process.ts'
import { bundle, bundleManifest } from '../../../testing/blueprint.ts'
import { becomes, starts, svc } from '../../../testing/folder.ts'
import { agentIn, password } from '../../../testing/installed.ts'
import { expectWhole, learnFiles, versionOf } from '../../../testing/updates.ts'
import { readUpdate } from './journal.ts'

test('an admin names a version and the agent runs it; the admin names the previous one, and it is restored from the disk', async () => {
  const above = realpathSync(mkdtempSync(join(tmpdir(), 'svc-whole-way-')))
  onTestFinished(() => rmSync(above, { recursive: true, force: true, maxRetries: 5 }))
  const manifest = bundleManifest.replace(/bindings: .*\n/, '')
  const old = await learnFiles(await bundle({ 'svc.agent.yaml': manifest }))
  const next = await learnFiles(await versionOf('1.5.0', {}, manifest))
  const home = await newServiceHome()
  await home.start()
  await home.value(['workspace', 'create', 'north'])
  await home.value(['workspace', 'activate', 'north', 'svc'])
  for (const packed of [old, next]) {
    const file = join(above, `${packed.manifest.version}.zip`)
    writeFileSync(file, packed.bytes)
    await home.value(['blueprint', 'upload', 'north', file])
  }
  const { code } = await home.value<{ code: string }>(['code', 'issue', 'north', 'mail-triage@1.4.0'])
  const ran = await svc({ ...agentIn(above) }, ['init', '--url', home.url, '--code', code], {
    env: { MAIL_PASSWORD: password },
  })
  expect(ran, ran.err).toMatchObject({ code: 0 })
  const agent = agentIn(join(above, 'mail-triage'))
  onTestFinished(() => agent.remove())
  // The service asks for a report every 30 s, and refuses more than one per second, so durations are only divided by
  // 20.
  const running = starts(agent, ['run'], { scale: 0.05 })
  onTestFinished(() => running.end('SIGKILL').then(() => {}))
  const wish = (version: string) => home.value(['wish', 'blueprint', 'north/mail-triage', version])
  await becomes('the old version', () => agent.starts().length === 1)
  await wish('1.5.0')
  await becomes('kept', () => readUpdate(agent)?.state === 'watching')
  expect(expectWhole(agent, [old, next])).toBe('1.5.0')
  await becomes('the service heard of it', () => running.lines.some((line) => line.includes('kept')))
  await wish('1.4.0')
  await becomes('back', () => readUpdate(agent)?.running.version === '1.4.0')
  expect(expectWhole(agent, [old, next])).toBe('1.4.0')
  expect(readUpdate(agent)).toMatchObject({ applied: { outcome: 'ok' }, previous: { version: '1.5.0' } })
  expect(running.lines.filter((line) => line.includes('fetching'))).toHaveLength(1)
  await running.end()
})
