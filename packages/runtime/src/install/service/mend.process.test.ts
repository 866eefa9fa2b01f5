/** Tests what happens after an update of Node has removed the program that a unit and a manifest name. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { afterThisTest } from '../../../../../testing/cleaning.ts'
import { agentFolder, becomes, svc } from '../../../testing/folder.ts'
import { systemdMachine } from '../../../testing/systemd.ts'
import { hostManifest } from '../../host/agent/manifest.ts'
import { createFolders, type Folder } from '../../machine/files/folder.ts'
import { whoHolds } from '../../machine/files/lock.ts'
import { readNote } from '../../state/process-note.ts'
import { systemdUnit } from './text.ts'

const gone = '/opt/Cellar/node/20.20.0/bin/node'

function world(manifest: string) {
  const machine = systemdMachine()
  afterThisTest(machine.remove)
  const folder: Folder & { remove(): void } = agentFolder({ 'svc.agent.yaml': manifest })
  afterThisTest(folder.remove)
  afterThisTest(() => svc(folder, ['stop'], { env: { PATH: '/nowhere' } }))
  createFolders(folder)
  const file = machine.unit('svc-vela-ada.service')
  const write = (launch: readonly string[]) =>
    writeFileSync(
      file,
      systemdUnit({
        agent: 'vela-ada',
        name: 'svc-vela-ada.service',
        root: folder.root,
        launch,
        stopSeconds: 10,
        path: `${dirname(gone)}:/usr/bin:/bin`,
      }),
    )
  return { machine, folder, file, write, runs: (args: string) => machine.runs(folder, args) }
}

test('a unit and a manifest whose Node is gone are named by every command, and mended by the next start', async () => {
  const { folder, file, write, runs } = world(hostManifest({ name: 'vela-ada', node: gone, source: '/gone/main.ts' }))
  write([gone, '/gone/start.cjs'])
  for (const command of ['doctor --offline', 'status', 'why', 'service status']) {
    const said = (await runs(command)).out
    expect(said, command).toContain(`${file} starts ${gone}, which is not there`)
    expect(said, command).toContain('run "svc start"')
  }
  expect((await runs('start')).out).toBe(`Wrote ${file} again: it started ${gone}.\nStarted svc-vela-ada.service.\n`)
  expect(whoHolds(folder, 'runtime')?.what).toBe('svc run')
  // On a busy machine the worker renews the manifest, and starts the agent, only after the runtime has started.
  await becomes('an agent that runs', () => readNote(folder)?.state?.is === 'running')
  for (const written of [file, folder.manifest]) expect(readFileSync(written, 'utf8'), written).not.toContain('/gone/')
  expect(readFileSync(file, 'utf8')).not.toContain(gone)
  expect(readFileSync(folder.manifest, 'utf8')).not.toContain(gone)
  const checks = JSON.parse((await runs('doctor --offline --json')).out).checks
  for (const name of ['Unit', 'Program', 'Process'])
    expect(
      checks.find((check: { name: string }) => check.name === name),
      name,
    ).toMatchObject({ ok: true })
})

test('a start says "Started" only if the runtime runs, and otherwise what the service manager says', async () => {
  const { folder, machine, write, runs } = world(
    'name: vela-ada\nversion: 1.0.0\nruntime: {kind: process, command: [sleep, "60"]}\n',
  )
  mkdirSync(`${folder.root}/bin`)
  const program = `${folder.root}/bin/node`
  writeFileSync(program, '#!/bin/sh\nexit 1\n')
  chmodSync(program, 0o755)
  write([program])
  execFileSync('systemctl', ['--user', 'daemon-reload'], { env: { ...process.env, ...machine.env } })
  const started = await runs('start')
  expect(started).toMatchObject({ code: 1, out: '' })
  expect(started.err).toContain("the agent's runtime does not run: its service manager says active")
  expect(whoHolds(folder, 'runtime')).toBeUndefined()
  const installed = await runs('service install --start --python /bin/false')
  expect(installed).toMatchObject({ code: 1, out: '' })
  expect(installed.err).toContain('does not run')
})
