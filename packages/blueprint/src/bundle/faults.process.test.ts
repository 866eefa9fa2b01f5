import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleWith } from '../../testing/hostile.ts'
import { sweepStaging } from './unpack.ts'

const program = fileURLToPath(new URL('../../testing/fault.ts', import.meta.url))
let root: string
let bundle: string
let changes: number
const whole = ['docs', 'docs/AGENT.md', 'run.sh', 'svc.agent.yaml']

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-faults-'))
  bundle = join(root, 'bundle.zip')
  writeFileSync(
    bundle,
    bundleWith([{ name: 'docs/AGENT.md', content: 'x'.repeat(100_000), pack: 'deflate' }, { name: 'run.sh' }]),
  )
  changes = unpack('none', 0).count
  expect(changes).toBeGreaterThan(15)
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Each with a fresh folder above, of which the names are told. */
function unpack(fault: string, at: number): { code: string; count: number; left: string[]; above: string } {
  const above = mkdtempSync(join(root, 'above-'))
  const ran = spawnSync(process.execPath, [program, bundle, join(above, 'v1'), fault, String(at)], { encoding: 'utf8' })
  const said = ran.stdout === '' ? { code: String(ran.signal ?? ran.stderr), count: 0 } : JSON.parse(ran.stdout)
  return { ...said, above, left: readdirSync(above, { recursive: true }) as string[] }
}

test.each(['ENOSPC', 'EIO'])(
  '%s at any change of the disk leaves nothing, and is told as the fault of the disk (I19, D26)',
  (fault) => {
    for (let at = 1; at <= changes; at++) {
      const { code, left } = unpack(fault, at)
      expect({ at, code, left }).toEqual({ at, code: 'disk_failed', left: [] })
    }
  },
)

test('killed at any change of the disk, there is the whole bundle or none, and what was staged is swept (I17, D49)', () => {
  let done = 0
  for (let at = 1; at <= changes; at++) {
    const { code, left, above } = unpack('SIGKILL', at)
    expect({ at, code }).toEqual({ at, code: 'SIGKILL' })
    if (left.includes('v1')) {
      done++
      expect(readdirSync(join(above, 'v1'), { recursive: true }).sort()).toEqual(whole)
    }
    sweepStaging(above)
    expect(readdirSync(above)).toEqual(left.includes('v1') ? ['v1'] : [])
  }
  expect(done).toBeGreaterThan(0)
  expect(done).toBeLessThan(changes)
})
