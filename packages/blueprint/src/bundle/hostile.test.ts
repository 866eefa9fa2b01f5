import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hostile } from '../../testing/hostile.ts'
import { archiveRules, entryRules } from '../zip/profile.ts'
import { shownPath } from './findings.ts'
import { pathRules } from './paths.ts'
import { readBundle } from './read.ts'
import { unpackBundle } from './unpack.ts'

let root: string
let target: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-hostile-'))
  target = join(root, 'agent/versions/new')
  mkdirSync(join(root, 'agent/versions'), { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const elsewhere = ['/tmp/svc-evil', 'evil', '../evil']

describe('hostile bundles are refused by entry and rule, in the same way when read and when unpacked, and leave nothing (4, D49, I19)', () => {
  test.each(hostile.map((h) => [h.what, h] as const))('%s', async (_what, { bytes, file, says }) => {
    const made = bytes()
    const began = process.cpuUsage()
    const read = await readBundle(made)
    expect(process.cpuUsage(began).user / 1000).toBeLessThan(5000)
    expect(read).toMatchObject({ ok: false, code: 'bundle_refused' })
    if (read.ok) return
    const found = read.findings.filter((f) => f.file === shownPath(file) && f.message.startsWith(says))
    expect(found, JSON.stringify(read.findings.slice(0, 5))).toHaveLength(1)
    expect(await unpackBundle(made, target)).toEqual(read)
    expect(readdirSync(root, { recursive: true })).toEqual(['agent', 'agent/versions'])
    expect(elsewhere.filter((path) => existsSync(path))).toEqual([])
  })

  test('every rule of the tables has a bundle that breaks it', () => {
    const rules = [...pathRules, ...entryRules, ...archiveRules].map(([says]) => says)
    expect(rules.filter((rule) => !hostile.some(({ says }) => rule.startsWith(says)))).toEqual([])
    expect(hostile.length).toBeGreaterThan(60)
  })
})
