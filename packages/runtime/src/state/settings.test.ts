import { chmodSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Manifest } from '@svc/blueprint'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { agentFolder } from '../../testing/folder.ts'
import { readStatus } from '../status/file.ts'
import { fillSettings } from './settings.ts'

let folder: ReturnType<typeof agentFolder>
beforeEach(() => {
  folder = agentFolder({ '.svc/agent.env': 'SVC_TOKEN=x\n' })
})
afterEach(() => folder.remove())

const settings = [{ key: 'every', label: 'Every', type: 'number', default: 10 }] as unknown as Manifest['settings']
const started = (...command: string[]) => ({ kind: 'process', command }) as unknown as Manifest['runtime']
const modeAfter = (command: string) => {
  fillSettings(folder, { settings, ...(command && { runtime: started(command) }) } as Manifest)
  return (statSync(folder.settings).mode & 0o777).toString(8)
}

test('only the owner may read the settings file, even if an earlier version left it open to everybody (D54)', () => {
  expect(modeAfter('python3')).toBe('600')
  chmodSync(folder.settings, 0o644)
  expect(modeAfter('python3')).toBe('600')
})

test('an agent that runs as another user still reads its settings, and a group that a person added keeps its right (D54)', () => {
  expect(modeAfter('/usr/bin/sudo')).toBe('644')
  chmodSync(folder.settings, 0o640)
  writeFileSync(folder.settings, '{}')
  expect(modeAfter('python3')).toBe('640')
})

test('the status file is not read through a link that leads out of the folder or into .svc (3.6, D52)', () => {
  const file = join(folder.root, 'status.json')
  symlinkSync('.svc/agent.env', file)
  expect(readStatus(folder, file).is).toBe('unreadable')
  symlinkSync('/etc/passwd', join(folder.root, 'other.json'))
  expect(readStatus(folder, join(folder.root, 'other.json')).is).toBe('unreadable')
  writeFileSync(join(folder.root, 'real.json'), '{}')
  symlinkSync('real.json', join(folder.root, 'inside.json'))
  expect(readStatus(folder, join(folder.root, 'inside.json')).is).toBe('bytes')
})
