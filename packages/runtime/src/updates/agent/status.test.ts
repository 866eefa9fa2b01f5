import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { folderAt } from '../../machine/files/folder.ts'
import { readStatus } from '../../reporter/status/file.ts'
import { statusReader } from './status.ts'

test('a status that the agent writes during a look does not make the old content fresh (D28)', () => {
  const root = mkdtempSync(join(tmpdir(), 'svc-status-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const file = join(root, 'status.json')
  const write = (level: string) => writeFileSync(file, JSON.stringify({ state: { level, label: level } }))
  write('ok')
  utimesSync(file, Date.now() / 1000 - 60, Date.now() / 1000 - 60)
  const started = String(Date.now() / 1000 - 30)
  const look = statusReader(folderAt(root), { status: 'status.json', state: [] }, (...args) => {
    const read = readStatus(...args)
    write('bad')
    return read
  })
  const see = () => look({ is: 'running', pid: 1, start: '1', adopted: false, crashes: 0, since: 0, started })
  expect(see()).toMatchObject({ fresh: false, status: { state: { level: 'ok' } } })
  expect(see()).toMatchObject({ fresh: true, status: { state: { level: 'bad' } } })
})
