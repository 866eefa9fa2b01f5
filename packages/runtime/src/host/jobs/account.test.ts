import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { environments } from '../../../testing/environments.ts'
import { accountHostFolder } from './account.ts'
import { launcherScript } from './launcher.ts'

const home = mkdtempSync(join(tmpdir(), 'svc-home-'))
for (const folder of ['app', 'state']) mkdirSync(join(home, folder))
afterAll(() => rmSync(home, { recursive: true }))

test.each(environments)('svc looks for records in the folder that svc-exec holds, with %s', (_what, changes) => {
  const host = join(home, '.local/state/svc/host')
  const file = join(home, 'svc-exec')
  writeFileSync(file, launcherScript({ node: '/usr/bin/node', svc: '/usr/bin/svc', host }))
  const env = { HOME: home, LOGNAME: 'ada', USER: 'ada', ...changes(home) }
  expect(accountHostFolder(env, file)).toBe(host)
})
