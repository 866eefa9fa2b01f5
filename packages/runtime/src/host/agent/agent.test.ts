import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readManifest } from '@svc/blueprint'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFolder } from '../../machine/files/durable.ts'
import { type Folder, folderAt } from '../../machine/files/folder.ts'
import { readAdopted, writeAdopted } from './adopted.ts'
import { hostManifest, manifestFor, nameInManifest, renewManifest, writeManifest } from './manifest.ts'

let folder: Folder
beforeEach(() => {
  folder = folderAt(mkdtempSync(join(tmpdir(), 'svc-host-')))
})
afterEach(() => rmSync(folder.root, { recursive: true, force: true }))

test('the manifest of the host agent is one that the runtime reads', () => {
  const text = hostManifest({ name: 'vela-ada', node: '/opt/my "node"/bin/node' }, '1.4.0')
  const read = readManifest(text, { for: 'report' })
  expect(read).toMatchObject({
    ok: true,
    value: {
      name: 'vela-ada',
      version: '1.4.0',
      runtime: {
        restart: 'always',
        command: [
          '/opt/my "node"/bin/node',
          '--optimize-for-size',
          '-e',
          'require(path.resolve(process.argv[1]))',
          '.svc/runtime/svc.pyz',
          'watch',
        ],
      },
      status: 'state/status.json',
      logs: [
        { name: 'job/*', path: 'state/jobs/*/last.log' },
        { name: 'failed/*', path: 'state/jobs/*/failed.log' },
      ],
      controls: [],
      settings: [
        { key: 'waiting_minutes', type: 'number', min: 0, max: 1440, default: 5 },
        { key: 'prices', type: 'text' },
      ],
    },
  })
  expect(hostManifest({ name: 'a', node: 'n', source: '/src/main.ts' })).toContain(
    'command: ["n","--optimize-for-size","/src/main.ts","watch"]',
  )
  expect(hostManifest({ name: 'a', node: 'n' }, 'dev')).toContain('version: 0.0.0\n')
})

test('a manifest of another svc is replaced, and the name stays', () => {
  expect(renewManifest(folder)).toBe(false)
  expect(existsSync(folder.manifest)).toBe(false)
  writeFileSync(folder.manifest, 'name: vela-ada\nversion: 1.0.0\n')
  expect(nameInManifest(folder)).toBe('vela-ada')
  expect(renewManifest(folder)).toBe(true)
  expect(readFileSync(folder.manifest, 'utf8')).toBe(manifestFor(folder, 'vela-ada'))
  expect(renewManifest(folder)).toBe(false)
  expect(writeManifest(folder, manifestFor(folder, 'vela-ada'))).toBe(false)
})

test('what a person chose to show is kept, and only its owner can read it', () => {
  expect(readAdopted(folder)).toBeUndefined()
  const chosen = { jobs: true, ai: false, names: 'folder' as const, folders: ['/home/ada/.claude'] }
  writeAdopted(folder, chosen)
  expect(readAdopted(folder)).toEqual(chosen)
  expect(statSync(join(folder.state, 'adopted.json')).mode & 0o777).toBe(0o600)
})

test.each([
  ['is damaged', '{"jobs":tr', undefined],
  ['is no object', '[true]', undefined],
  ['has other types', '{"jobs":"yes","ai":1}', { jobs: false, ai: false, names: 'number', folders: [] }],
])('nothing is shown if the note %s', (_what, text, expected) => {
  createFolder(folder.state)
  writeFileSync(join(folder.state, 'adopted.json'), text)
  expect(readAdopted(folder)).toEqual(expected)
})

test('a note of another version is read, and what only that version knows is kept when it is written again', () => {
  createFolder(folder.state)
  const file = join(folder.state, 'adopted.json')
  // The note as commit 5d009b65 wrote it, before there were AI sessions.
  writeFileSync(file, '{"jobs":true,"ai":false,"names":"number","folders":[]}\n')
  expect(readAdopted(folder)).toEqual({ jobs: true, ai: false, names: 'number', folders: [] })
  const newer = { jobs: true, ai: true, names: 'folder', folders: ['some-tool=/srv/tool'], containers: ['web'] }
  writeFileSync(file, JSON.stringify(newer))
  const read = readAdopted(folder)
  expect(read).toEqual({ jobs: true, ai: true, names: 'folder', folders: ['some-tool=/srv/tool'] })
  if (read) writeAdopted(folder, { ...read, jobs: false })
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...newer, jobs: false })
})
