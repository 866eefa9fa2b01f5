/**
 * Tests that no damaged bundle throws, takes long or leaves a file. `npm test` leaves this out.
 * packages/blueprint/src/bundle/hostile.test.ts proves the same rules.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { level } from '../../../../testing/level.ts'
import { good, mutatedBundle } from '../../testing/mutate.ts'
import { readBundle } from './read.ts'
import { unpackBundle } from './unpack.ts'

const long = level === 'long'
const rounds = long ? 200_000 : 1000
const first = Number(process.env.SVC_TEST_SEED ?? 1)
/**
 * The maximum CPU time in milliseconds for reading one bundle. Unlike elapsed time, CPU time does not depend on other
 * programs.
 */
const maxMs = 2000
/** The folder of a file system in memory, in which syncing costs nothing. */
const memory = '/dev/shm'
const maxMemory = 400 * 1024 * 1024

test(`${rounds} damaged bundles: none throws, takes long or leaves a file, and reading and unpacking agree`, {
  timeout: long ? 3_600_000 : 300_000,
}, async () => {
  const root = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'svc-mutated-'))
  const target = join(root, 'a/b/new')
  mkdirSync(join(root, 'a/b'), { recursive: true })
  const before = process.memoryUsage().rss
  let accepted = 0
  for (let seed = first; seed < first + rounds; seed++) {
    const bytes = mutatedBundle(seed)
    const began = process.cpuUsage()
    const read = await readBundle(bytes)
    expect(process.cpuUsage(began).user / 1000, `seed ${seed}`).toBeLessThan(maxMs)
    const unpacked = await unpackBundle(bytes, target)
    expect(unpacked, `seed ${seed}`).toEqual(read)
    if (read.ok) {
      accepted++
      for (const { path, size, executable } of read.value.entries) {
        const stat = statSync(join(target, path))
        expect([stat.size, stat.mode & 0o7777], `seed ${seed}`).toEqual([size, executable ? 0o755 : 0o644])
      }
      rmSync(target, { recursive: true })
    }
    expect(readdirSync(root, { recursive: true }), `seed ${seed}`).toEqual(['a', 'a/b'])
  }
  expect(process.memoryUsage().rss - before).toBeLessThan(maxMemory)
  expect(accepted).toBeGreaterThan(0) // at least one damaged bundle was accepted, so unpacking was tested, too
  expect(accepted).toBeLessThan(rounds / 2)
  rmSync(root, { recursive: true })
})

test('the bundle that is damaged here is good', async () => {
  expect(await readBundle(good)).toMatchObject({ ok: true, value: { manifest: { instructions: 'docs/AGENT.md' } } })
})
