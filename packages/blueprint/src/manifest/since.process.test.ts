/**
 * Tests what an old svc does with a manifest that uses a later addition to the format. A `svc.pyz` that was built for
 * version 0.1.0 stands for all old versions.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { afterThisTest } from '../../../../testing/cleaning.ts'
import { examineFolder } from '../index.ts'
import { manifestAdditions, neededSvc } from './since.ts'

const old = fileURLToPath(new URL('../../testing/old/svc-0.1.0.pyz', import.meta.url))

function folder(line: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'svc-since-'))
  afterThisTest(() => rmSync(dir, { recursive: true, force: true }))
  writeFileSync(join(dir, 'main.py'), 'print("works")\n')
  writeFileSync(
    join(dir, 'svc.agent.yaml'),
    `name: mail\nversion: 1.0.0\nruntime: {kind: process, command: [python3, main.py]}\n${line}\n`,
  )
  return dir
}

/** Runs the old version's `svc check` on a folder, and returns its result. */
const checked = (dir: string) =>
  new Promise<{ ok: boolean }>((resolve, reject) => {
    execFile(process.execPath, ['-e', 'require(process.argv[1])', old, 'check', dir, '--json'], (_error, out, err) => {
      if (out === '') reject(new Error(err))
      else resolve(JSON.parse(out))
    })
  })

const forms: [line: string, since: string | undefined][] = [
  ['state: [data, notes.txt]', undefined],
  ['needs: [restic]', '0.2.0'],
  ['needs: []', '0.2.0'],
  ['state: [data.d/]', '0.2.0'],
  ['state: [data]\nlogs: [{name: printed, path: data/printed.log, output: true}]', '0.2.0'],
]

test.each(forms)('svc 0.1.0 refuses manifests that need a newer version, and no others: %s', async (line, since) => {
  const dir = folder(line)
  const { findings, manifest } = examineFolder(dir)
  expect(findings).toEqual([])
  expect(manifest && neededSvc(manifest)?.version).toBe(since)
  expect((await checked(dir)).ok).toBe(since === undefined)
})

test('this file tests every addition', () => {
  const tried = forms.flatMap(([line]) => {
    const { manifest } = examineFolder(folder(line))
    return (manifest && neededSvc(manifest)?.because) ?? []
  })
  expect(new Set(tried)).toEqual(new Set(manifestAdditions.map(({ what }) => what)))
})
