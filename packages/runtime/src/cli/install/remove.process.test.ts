/**
 * Tests the first and the last step of an agent on a machine: `svc connect`, which writes a first status file, and `svc
 * remove`.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterThisTest } from '../../../../../testing/cleaning.ts'
import { agentFolder, becomes, svc, token } from '../../../testing/folder.ts'
import { type InstalledAgent, installedAgent } from '../../../testing/installed.ts'
import { serviceOfTest } from '../../../testing/service.ts'
import { whoHolds } from '../../machine/files/lock.ts'
import { identityOf } from '../../machine/process/identity.ts'

async function installed(): Promise<InstalledAgent> {
  const agent = await installedAgent(await serviceOfTest())
  afterThisTest(() => agent.remove())
  return agent
}
function own(files: Readonly<Record<string, string>> = {}) {
  const folder = agentFolder(files)
  afterThisTest(() => folder.remove())
  return folder
}

test('svc remove shows what is deleted, and deletes nothing without a yes', async () => {
  const agent = await installed()
  const asked = await svc(agent, ['remove'])
  expect(asked).toMatchObject({ code: 2, out: '' })
  for (const says of [
    'This removes mail-triage',
    agent.state,
    agent.versions,
    agent.svc,
    'Nothing was removed. Add --yes',
  ])
    expect(asked.err).toContain(says)
  expect(existsSync(agent.secrets)).toBe(true)
})

test('svc remove ends the running agent and deletes its folder; it names the service in which to delete the agent, too', async () => {
  const agent = await installed()
  await svc(agent, ['start'])
  await becomes('a start', () => agent.starts().length > 0)
  const pids = agent.starts().map(({ pid }) => pid)
  const removed = await svc(agent, ['remove', '--yes', '--dir', agent.root])
  expect(removed).toMatchObject({ code: 0, err: '' })
  expect(removed.out).toMatch(
    /^Removed mail-triage and .*\nIt is still listed in http:.*: delete the agent mail-triage there\.\n$/,
  )
  expect(existsSync(agent.root)).toBe(false)
  expect(pids.filter((pid) => identityOf(pid) !== undefined)).toEqual([])
})

test('foreign files stay, and the state on request, and an interrupted removal is finished', async () => {
  const agent = await installed()
  writeFileSync(join(agent.root, 'notes.txt'), 'mine')
  writeFileSync(join(agent.root, 'current.half'), '')
  expect((await svc(agent, ['remove', '--yes', '--keep-state'])).out).toContain(
    'stays: current.half, notes.txt, state.',
  )
  expect(readdirSync(agent.root).sort()).toEqual(['current.half', 'notes.txt', 'state'])
  expect((await svc(agent, ['remove', '--yes'])).err).toContain('There is no svc agent in')

  const broken = await installed()
  rmSync(broken.current)
  expect((await svc(broken, ['remove', '--yes'])).code).toBe(0)
  expect(existsSync(broken.root)).toBe(false)
})

test('an agent whose note of the installation is damaged still starts, says so, and is removed with its versions', async () => {
  const agent = await installed()
  writeFileSync(agent.install, '{"is":"installed"')
  const damaged = `the note of the installation (${agent.install}) is damaged`
  expect((await svc(agent, ['start'])).code).toBe(0)
  await becomes('a start', () => agent.starts().length > 0)
  expect((await svc(agent, ['doctor'])).out).toContain(`No version is changed, because ${damaged}.`)
  expect((await svc(agent, ['drill'])).err).toContain(`Nothing can be rehearsed, because ${damaged}.`)
  expect((await svc(agent, ['remove', '--yes'])).code).toBe(0)
  expect(existsSync(agent.root)).toBe(false)
})

test('only .svc is deleted from a folder connected by hand', async () => {
  const folder = own({ 'main.py': 'print()', 'state/kept': 'x', '.svc/agent.env': 'SVC_TOKEN=x\n' })
  expect((await svc(folder, ['remove', '--yes'])).out).toContain('stays: main.py, state, svc.agent.yaml.')
  expect(existsSync(folder.svc)).toBe(false)
  expect(existsSync(join(folder.root, 'state/kept'))).toBe(true)
  expect(whoHolds(folder, 'runtime')).toBeUndefined()
})

test('svc connect --yes writes a first status file, and the service learns its level at once', async () => {
  const good = await serviceOfTest()
  const folder = own()
  const connected = await svc(folder, ['connect', '--url', good.origin, '--yes'], { input: token })
  expect(connected.code).toBe(0)
  expect(connected.out).toContain(
    `Wrote ${join(folder.root, 'state/status.json')}. Your agent overwrites it with its own status.`,
  )
  expect(good.reports.at(-1)?.report).toMatchObject({ state: { level: 'ok', label: 'Hello' } })
  writeFileSync(join(folder.root, 'state/status.json'), '{"state":{"level":"warn"}}')
  await svc(folder, ['connect', '--url', good.origin, '--yes'], { input: token })
  expect(readFileSync(join(folder.root, 'state/status.json'), 'utf8'), 'one that is there stays').toContain('warn')
})

test('svc connect without a terminal names the file that the page waits for', async () => {
  const good = await serviceOfTest()
  const folder = own()
  const connected = await svc(folder, ['connect', '--url', good.origin], { input: token })
  expect(connected.out).toContain(`once your agent writes ${join(folder.root, 'state/status.json')}`)
  expect(existsSync(join(folder.root, 'state/status.json'))).toBe(false)
  expect(good.reports).toHaveLength(1)
})
