import { expect, test } from 'vitest'
import type { ProcessState } from '../state/process-note.ts'
import { isReadyToReport } from './main.ts'

const now = 1_790_000_000_000
const alive = { pid: 7, start: 'boot:1', since: now - 1000, crashes: 0, adopted: false }
const running: ProcessState = { is: 'running', ...alive }

test.each<[string, ProcessState, number | undefined, boolean]>([
  ['about to start', { is: 'waiting', crashes: 0, startAt: now }, undefined, false],
  [
    'about to start again after an end',
    { is: 'waiting', crashes: 1, startAt: now - 5, exit: { at: now - 9, code: 1 } },
    now,
    false,
  ],
  [
    'waits for its next start',
    { is: 'waiting', crashes: 3, startAt: now + 4000, exit: { at: now, code: 1 } },
    undefined,
    true,
  ],
  ['stopped', { is: 'stopped', because: 'paused' }, undefined, true],
  ['being stopped', { is: 'stopping', ...alive, because: 'asked', killAt: now }, undefined, true],
  ['running, has written', running, now - 900, true],
  ['running, wrote before its start was noted', running, now - 1050, true],
  ['running, only an earlier process has written', running, now - 60_000, false],
  ['running, nothing written', running, undefined, false],
])('%s', (_what, state, written, settled) => expect(isReadyToReport(state, written, now)).toBe(settled))
