/**
 * Tests that a fault of the disk, or a kill, at any change of the disk leaves a whole bundle or none. `npm test` leaves
 * this out. packages/blueprint/src/bundle/unpack.test.ts proves the same rules.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { byLevel } from '../../../../testing/level.ts'
import { bundleWith } from '../../testing/hostile.ts'
import { sweepStaging } from './unpack.ts'

const program = fileURLToPath(new URL('../../testing/fault.ts', import.meta.url))
/**
 * The test kills the unpacking program at every third change of the disk, or at every change in the long form.
 */
const step = byLevel(3, 3, 1)
let root: string
let bundle: string
const whole = ['docs', 'docs/AGENT.md', 'run.sh', 'svc.agent.yaml']

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-faults-'))
  bundle = join(root, 'bundle.zip')
  const entries = [
    { name: 'docs/AGENT.md', content: 'x'.repeat(100_000), pack: 'deflate' as const },
    { name: 'run.sh' },
  ]
  writeFileSync(bundle, bundleWith(entries))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

interface Attempt {
  readonly code: string
  readonly count: number
  readonly left: readonly string[]
}
const run = (...args: string[]) =>
  spawnSync(process.execPath, [program, bundle, ...args], {
    encoding: 'utf8',
    // the program is started a dozen times, so Node caches its compiled sources
    env: { ...process.env, NODE_COMPILE_CACHE: join(root, 'compiled') },
  })

test.each(['ENOSPC', 'EIO'])(
  'a disk that fails with %s at any change leaves nothing behind, and the refusal blames the disk (I19, D26)',
  (fault) => {
    const attempts: Attempt[] = JSON.parse(run(mkdtempSync(join(root, 'each-')), fault).stdout)
    expect(attempts.length).toBeGreaterThan(15)
    expect(attempts.pop()).toMatchObject({ code: 'done', left: ['v1'] })
    for (const { code, left } of attempts) expect({ code, left }).toEqual({ code: 'disk_failed', left: [] })
  },
)

test('a kill at any change of the disk leaves the whole bundle or none, and staged files are swept (I17, D49)', () => {
  const [{ count }]: [Attempt] = JSON.parse(run(mkdtempSync(join(root, 'none-')), 'none', '0').stdout)
  const complete: number[] = []
  for (let at = count; at > 0; at -= step) {
    const above = mkdtempSync(join(root, 'killed-'))
    expect(run(above, 'SIGKILL', String(at)).signal).toBe('SIGKILL')
    const isThere = readdirSync(above).includes('v1')
    if (isThere) {
      complete.push(at)
      expect((readdirSync(join(above, 'v1'), { recursive: true }) as string[]).sort()).toEqual(whole)
    }
    sweepStaging(above)
    expect(readdirSync(above)).toEqual(isThere ? ['v1'] : [])
  }
  // Only a kill after the rename leaves a complete folder. The only later change is the sync of the parent folder.
  expect(complete).toEqual([count, count - 1].filter((at) => (count - at) % step === 0))
})
