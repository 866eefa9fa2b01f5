import type { AppliedUpdate, RuntimeInfo } from '@svc/protocol'
import { expect, test } from 'vitest'
import { judgeRuntimeRequest, judgeRuntimeWish } from './judge.ts'
import type { RuntimeHold, RuntimeWish } from './kept.ts'

const at = 1_790_000_000_000
const served = { version: '2.0.0', sha256: 'f'.repeat(64), serial: 7, signed: true }
const old: AppliedUpdate = { version: '1.0.0', outcome: 'ok', message: '0.9.0 -> 1.0.0, 2026-11-01T00:00:00Z: updated' }
const good: AppliedUpdate = {
  version: '2.0.0',
  outcome: 'ok',
  message: '1.0.0 -> 2.0.0, 2026-11-21T12:00:00Z: updated',
}
const failed: AppliedUpdate = {
  version: '1.0.0',
  outcome: 'failed',
  message: '1.0.0 -> 2.0.0, 2026-11-21T12:00:00Z: no ssh-keygen',
}
const back: AppliedUpdate = {
  ...failed,
  outcome: 'rolled_back',
  message: '1.0.0 -> 2.0.0, 2026-11-21T12:05:00Z: no good report',
}
const wish: RuntimeWish = { version: '2.0.0', at, by: 'Ada', mark: old }
const runs = (version: string, applied?: AppliedUpdate): RuntimeInfo => ({ version, ...(applied && { applied }) })

interface Facts {
  runtime: RuntimeInfo | undefined
  served?: string | undefined
  mark?: AppliedUpdate | null
  runsSince?: number
}

test.each<[string, Facts, ReturnType<typeof judgeRuntimeWish>]>([
  ['1: a newer release drops it', { runtime: runs('1.0.0', old), served: '2.1.0' }, 'dropped'],
  ['1 before 3: even when the runtime has just met it', { runtime: runs('2.0.0', good), served: '2.1.0' }, 'dropped'],
  ['1 before 4: even when the attempt failed', { runtime: runs('1.0.0', failed), served: '2.1.0' }, 'dropped'],
  ['1: an older release drops it', { runtime: runs('1.0.0', old), served: '1.9.0' }, 'dropped'],
  ['1: no release drops it', { runtime: runs('1.0.0', old), served: undefined }, 'dropped'],
  ['1: even when the report has no runtime', { runtime: undefined, served: '2.1.0' }, 'dropped'],
  ['2: the outcome from before the request changes nothing', { runtime: runs('1.0.0', old) }, 'stands'],
  ['2 before 3: nor on trial, where the old outcome is ok', { runtime: runs('2.0.0', old) }, 'stands'],
  ['2: nor when the old outcome was a failure', { runtime: runs('1.0.0', failed), mark: failed }, 'stands'],
  [
    '2: an outcome is recognised by outcome and message, not by version',
    { runtime: runs('1.0.0', { ...old, version: '3.0.0' }) },
    'stands',
  ],
  ['2: no attempt yet, none before', { runtime: runs('1.0.0'), mark: null }, 'stands'],
  ['2: a report that leaves the outcome out', { runtime: runs('1.0.0') }, 'stands'],
  ['2: a report without a runtime', { runtime: undefined }, 'stands'],
  ['3: ok, and it runs the version', { runtime: runs('2.0.0', good) }, 'met'],
  ['3: the first attempt of its life', { runtime: runs('2.0.0', good), mark: null }, 'met'],
  ['4: rolled back', { runtime: runs('1.0.0', back) }, 'held'],
  ['4: failed', { runtime: runs('1.0.0', failed) }, 'held'],
  ['4: failed in other words than before', { runtime: runs('1.0.0', back), mark: failed }, 'held'],
  [
    '4: the same failure again, recognised as new by its time',
    { runtime: runs('1.0.0', { ...failed, message: 'again' }), mark: failed },
    'held',
  ],
  ['5: ok, and it runs another version', { runtime: runs('1.5.0', good) }, 'stands'],
  ['5: an unknown outcome', { runtime: runs('2.0.0', { message: 'new' }) }, 'stands'],
  [
    'D34: it ran the version for ten minutes, with the same words as before',
    { runtime: runs('2.0.0', old), runsSince: at - 600_001 },
    'met',
  ],
  ['D34: not when it ran for less', { runtime: runs('2.0.0', old), runsSince: at - 600_000 }, 'stands'],
  ['D34: not when it rolled back', { runtime: runs('1.0.0', old), runsSince: at - 900_000 }, 'stands'],
  [
    'D34 not before 4: a changed outcome counts first',
    { runtime: runs('2.0.0', { ...failed, version: '2.0.0' }), runsSince: at - 900_000 },
    'held',
  ],
  [
    'D34: also when the outcome is missing or unknown',
    { runtime: runs('2.0.0', { message: 'new' }), runsSince: at - 600_001 },
    'met',
  ],
  ['D34 not before 1', { runtime: runs('2.0.0', old), runsSince: at - 900_000, served: '2.1.0' }, 'dropped'],
])('3.4, row by row: %s', (_row, facts, verdict) => {
  const { runtime, mark = old, runsSince } = facts
  const version = 'served' in facts ? facts.served : '2.0.0'
  const standing = { ...wish, mark, ...(runsSince !== undefined && { runsSince }) }
  expect(judgeRuntimeWish(standing, runtime, version === undefined ? undefined : { version }, at)).toBe(verdict)
})

const hold: RuntimeHold = { version: '2.0.0', serial: 7, outcome: 'failed', message: 'no ssh-keygen', at }
const pinned = { version: '1.0.0', pinned: '1.0.0' }

/**
 * In the first row every condition for an update fails, and each of the next four rows meets one more condition. So
 * these rows show in which order the conditions are checked (D36). The last three rows meet all conditions.
 */
test.each<[string, Parameters<typeof judgeRuntimeRequest>, string | undefined]>([
  ['nothing is served', [undefined, hold, undefined], 'runtime_not_served'],
  ['the report names no runtime', [undefined, hold, served], 'runtime_too_old'],
  ['it runs the served version', [{ version: '2.0.0', pinned: '1.0.0' }, hold, served], 'runtime_up_to_date'],
  ['it is pinned to another', [pinned, hold, served], 'runtime_pinned'],
  ['the version is held', [{ version: '1.0.0', pinned: '2.0.0' }, hold, served], 'runtime_version_held'],
  ['another version is held', [{ version: '1.0.0' }, { ...hold, version: '1.9.0' }, served], undefined],
  ['another release was served since', [{ version: '1.0.0' }, hold, { ...served, serial: 9 }], undefined],
  ['nothing is wrong', [{ version: '1.0.0' }, undefined, served], undefined],
])('a request to update the runtime is refused when %s', (_when, facts, code) => {
  const verdict = judgeRuntimeRequest(...facts)
  expect(verdict.ok ? undefined : verdict.code).toBe(code)
})
