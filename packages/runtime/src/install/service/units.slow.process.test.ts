/**
 * Tests the agent as a service of the machine: a unit belongs to a folder, and every command finds it whatever its
 * name is. `npm test` leaves this out. packages/runtime/src/install/service/text.test.ts proves the same rules.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { afterThisTest } from '../../../../../testing/cleaning.ts'
import { agentFolder, svc, token } from '../../../testing/folder.ts'
import { type Machine, systemdMachine } from '../../../testing/systemd.ts'
import { maxEnvBytes } from '../../machine/files/env.ts'
import { createFolders, type Folder } from '../../machine/files/folder.ts'
import { whoHolds } from '../../machine/files/lock.ts'
import { ownIdentity } from '../../machine/process/identity.ts'
import { writeInstall } from '../../state/install-note.ts'
import { systemdUnit } from './text.ts'

function machine(linger?: string): Machine {
  const made = systemdMachine(linger)
  afterThisTest(made.remove)
  return made
}
const off = { SVC_TEST_SYSTEMD_OFF: '1' }

const manifest = `name: nightly-backup
version: 1.0.0
runtime:
  kind: process
  command: [${JSON.stringify(process.execPath)}, -e, "setInterval(() => {}, 1000)"]
`
/** Makes the folder of an agent of the blueprint nightly-backup. With a name, the agent was installed with a code. */
function agent(name?: string): Folder {
  const folder = agentFolder({ 'svc.agent.yaml': manifest })
  afterThisTest(() => folder.remove())
  afterThisTest(() => svc(folder, ['stop'], { env: { PATH: '/nowhere' } }))
  createFolders(folder)
  if (name !== undefined)
    writeInstall(folder, {
      is: 'installed',
      url: 'http://127.0.0.1:9',
      agent: name,
      blueprint: 'nightly-backup',
      version: '1.0.0',
      at: 1,
      ...ownIdentity(),
      madeFolder: true,
    })
  return folder
}
const unitCheck = async (ran: Promise<{ out: string }>) =>
  JSON.parse((await ran).out).checks.find((c: { name: string }) => c.name === 'Unit')

test('an agent with another name than its blueprint: install, status, doctor, stop, start, restart and uninstall agree', async () => {
  const { runs, units, unit, calls } = machine('no')
  const folder = agent('backup-laptop')
  const file = unit('svc-backup-laptop.service')
  expect((await runs(folder, 'service status')).out).toContain('No service is installed')
  const installed = await runs(folder, 'service install --start')
  expect(installed).toMatchObject({ code: 0, err: '', out: expect.stringContaining('loginctl enable-linger') })
  expect(units()).toEqual(['svc-backup-laptop.service'])
  const written = readFileSync(file, 'utf8')
  expect(written).toContain(`"run" "--dir" "${folder.root}"`)
  const changes = calls().filter((call) => / (daemon-reload|enable|restart)/.test(call))
  const name = 'svc-backup-laptop.service'
  expect(changes).toEqual(['--user daemon-reload', `--user enable ${name}`, `--user restart ${name}`])
  expect((await runs(folder, 'service status')).out).toContain('svc-backup-laptop.service (systemd user): active')
  expect(await unitCheck(runs(folder, 'doctor --offline --json'))).toEqual({
    name: 'Unit',
    ok: true,
    message: file,
  })
  expect((await runs(folder, 'stop')).out).toBe('Stopped.\n')
  expect(calls().at(-1)).toBe(`--user stop ${name}`)
  const status = JSON.parse((await runs(folder, 'service status --json')).out)
  expect(status).toMatchObject({ installed: true, kind: 'systemd user', state: 'inactive', file })

  const older = `ExecStart="${process.execPath}" "-e" "require(process.argv[1])" "${folder.runtime}" "run" "--dir" "${folder.root}"`
  writeFileSync(file, written.replace(/^ExecStart=.*$/m, older))
  expect(await unitCheck(runs(folder, 'doctor --offline --json')), 'as an older svc wrote it').toMatchObject({
    ok: false,
    message: expect.stringContaining(`run "svc service install --dir ${folder.root}"`),
  })
  await runs(folder, 'service install')
  expect(readFileSync(file, 'utf8')).toBe(written)
  expect((await runs(folder, 'start')).out).toBe('Started svc-backup-laptop.service.\n')
  expect((await runs(folder, 'why')).out, 'people know it by its own name').toContain('backup-laptop is not paused')
  const before = whoHolds(folder, 'runtime')?.pid
  expect((await runs(folder, 'restart')).out).toBe('Started svc-backup-laptop.service.\n')
  expect(whoHolds(folder, 'runtime')?.pid).not.toBe(before)
  expect((await runs(folder, 'service uninstall')).out).toContain(`Removed ${file}.`)
  expect(units()).toEqual([])
  expect(whoHolds(folder, 'runtime')).toBeUndefined()
  expect((await runs(folder, 'service uninstall')).code).toBe(1)
})

test('a unit that an earlier version named after the blueprint is found, and rewritten under its name', async () => {
  const { runs, units, unit, calls } = machine()
  const folder = agent('backup-laptop')
  const facts = { agent: 'nightly-backup', name: 'x', root: folder.root, stopSeconds: 10, path: '/usr/bin:/bin' }
  writeFileSync(unit('svc-nightly-backup.service'), systemdUnit({ ...facts, launch: [process.execPath, 'old.pyz'] }))
  expect((await runs(folder, 'service status')).out).toContain('svc-nightly-backup.service (systemd user): inactive')
  expect((await runs(folder, 'service install --start')).code).toBe(0)
  expect(units()).toEqual(['svc-nightly-backup.service'])
  expect((await runs(folder, 'stop')).out).toBe('Stopped.\n')
  expect(calls().at(-1)).toBe('--user stop svc-nightly-backup.service')
  expect((await runs(folder, 'service uninstall')).code).toBe(0)
  expect(units()).toEqual([])
})

test('two agents of one blueprint, in two folders, are two services', async () => {
  const { runs, units } = machine()
  const [one, two] = [agent(), agent()]
  for (const folder of [one, two]) expect((await runs(folder, 'service install --start')).code).toBe(0)
  const own = /^svc-nightly-backup-[0-9a-f]{8}\.service$/
  expect(units()).toEqual([expect.stringMatching(own), 'svc-nightly-backup.service'])
  expect((await runs(one, 'stop')).code).toBe(0)
  expect(whoHolds(two, 'runtime')).toBeDefined()
  expect((await runs(two, 'service uninstall')).code).toBe(0)
  expect(units()).toEqual(['svc-nightly-backup.service'])
})

test('the name can be chosen and changed; one that another folder uses is refused', async () => {
  const { runs, units } = machine()
  const [one, two] = [agent(), agent()]
  await runs(one, 'service install --name night')
  await runs(one, 'service install --name nights --start')
  expect(units()).toEqual(['svc-nights.service'])
  expect((await runs(one, 'service status')).out).toContain('svc-nights.service (systemd user): active')
  const refused = await runs(two, 'service install --name nights')
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toContain(`starts ${one.root}. Choose another name with --name.`)
  expect((await runs(two, 'service install --name ../x')).code).toBe(2)
  expect(units()).toEqual(['svc-nights.service'])
})

test('an installation that the service manager refuses leaves what was there before', async () => {
  const { runs, units, unit } = machine()
  const folder = agent()
  const refused = await runs(folder, 'service install --start', off)
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toContain('Failed to connect to bus: No medium found')
  expect(refused.err).toContain(`svc start --dir ${folder.root}`)
  expect(units()).toEqual([])
  expect((await runs(folder, 'start', off)).out).toMatch(/^Started\. /)
  await runs(folder, 'stop', off)

  await runs(folder, 'service install')
  const before = readFileSync(unit('svc-nightly-backup.service'), 'utf8')
  expect((await runs(folder, 'service install --python --start', { SVC_TEST_SYSTEMD_NO: 'restart' })).code).toBe(1)
  expect(readFileSync(unit('svc-nightly-backup.service'), 'utf8')).toBe(before)

  await runs(folder, 'service install --start')
  const renamed = await runs(folder, 'service install --name other --start', { SVC_TEST_SYSTEMD_NO: 'restart' })
  expect(renamed).toMatchObject({ code: 1, err: expect.stringContaining('its file is as it was before') })
  expect(units()).toEqual(['svc-nightly-backup.service'])
  expect((await runs(folder, 'service status')).out).toContain('svc-nightly-backup.service (systemd user): active')
})

test('a unit that has another name stays if the new one cannot be written', async () => {
  const { runs, units } = machine()
  const folder = agent()
  await runs(folder, 'service install --start')
  // The address of a service makes an installation remember the proxy, and the file for it cannot be written.
  const env = `SVC_URL=https://svc.example.com\nSVC_TOKEN=${token}\n#`
  writeFileSync(folder.env, env.padEnd(maxEnvBytes - 50, 'x'), { mode: 0o600 })
  const refused = await runs(folder, 'service install --name other --start', {
    HTTPS_PROXY: `http://${'p'.repeat(200)}`,
  })
  expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining('Nothing was changed.') })
  expect(units()).toEqual(['svc-nightly-backup.service'])
  expect((await runs(folder, 'service status')).out).toContain('svc-nightly-backup.service (systemd user): active')
})

test('if the manager of a unit does not answer, the agent starts in the background, and the remedy is named', async () => {
  const { runs, units } = machine()
  const folder = agent()
  await runs(folder, 'service install')
  const wayOut = '"svc service uninstall'
  expect((await runs(folder, 'service status', off)).out).toContain(wayOut)
  const check = await unitCheck(runs(folder, 'doctor --offline --json', off))
  expect(check).toMatchObject({ ok: false, message: expect.stringContaining(wayOut) })
  expect(check?.message).toContain('the agent will not start after a reboot')
  expect((await runs(folder, 'status', off)).out).toMatch(/^Unit .*does not answer here.*svc service uninstall/m)
  const started = await runs(folder, 'start', off)
  expect(started).toMatchObject({ code: 0, err: '' })
  expect(started.out).toContain('Started. Running since')
  expect(started.out).toContain('does not restart after a reboot')
  expect(started.out).toContain('svc service uninstall')
  expect(await unitCheck(runs(folder, 'doctor --offline --json', off)), 'while it runs').toMatchObject({
    ok: true,
    warns: true,
    message: expect.stringMatching(/will not start after a reboot.*svc service uninstall/),
  })
  const status = JSON.parse((await runs(folder, 'status --json', off)).out)
  expect(status.unit).toMatchObject({ answers: false, message: expect.stringContaining(wayOut) })
  expect((await runs(folder, 'stop', off)).out).toBe('Stopped.\n')
  expect((await runs(folder, 'service uninstall', off)).code).toBe(0)
  expect(units()).toEqual([])
  expect(existsSync(folder.root)).toBe(true)
})
