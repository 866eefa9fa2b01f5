import { expect, test } from 'vitest'
import { RateWindow } from '../platform/limits/window.ts'
import { judgeCall } from './admission.ts'
import { newRowNumbers } from './report-store/row-numbers.ts'
import type { Caller } from './reports/lookup.ts'

const caller: Caller = {
  agentId: 'a',
  workspaceId: 'w',
  activated: true,
  tokenHash: 'hash',
  rowNumbers: newRowNumbers(),
}
const inactive = { ...caller, activated: false }
/**
 * Makes the gate that a test passes to `judgeCall`, the function that admits or refuses a call. The gate counts how
 * many calls `judgeCall` checked against the rate limit.
 */
function gate({ retryAfter = 0, full = false } = {}) {
  let counted = 0
  const take = () => {
    counted++
    return retryAfter
  }
  return { window: { take }, queue: { full }, maxBytes: 1, counted: () => counted }
}

test.each<[string, Caller | undefined, object, object, number]>([
  ['its token, before anything else', undefined, { retryAfter: 7, full: true }, { code: 'token_unknown' }, 0],
  [
    'its workspace, before its rate is checked',
    inactive,
    { retryAfter: 7, full: true },
    { code: 'workspace_inactive' },
    0,
  ],
  [
    'its rate, before overload is checked',
    caller,
    { retryAfter: 7, full: true },
    { code: 'rate_limited', retryAfter: 7 },
    1,
  ],
  ['overload, and it still counts for the rate', caller, { full: true }, { code: 'unavailable' }, 1],
])('a call is refused because of %s (D15)', (_name, who, state, refused, counted) => {
  const at = gate(state)
  expect(judgeCall(who, at, 0)).toEqual({ ok: false, ...refused })
  expect(at.counted()).toBe(counted)
})

test('any other call is admitted', () => expect(judgeCall(caller, gate(), 0)).toEqual({ ok: true, caller }))

test('calls of one agent never count for another', () => {
  const window = new RateWindow(1)
  const at = { ...gate(), window }
  const codes = ['a', 'a', 'b'].map((agentId) => {
    const judged = judgeCall({ ...caller, agentId }, at, 0)
    return judged.ok ? 'goes on' : judged.code
  })
  expect(codes).toEqual(['goes on', 'rate_limited', 'goes on'])
})
