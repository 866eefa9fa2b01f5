import type { StatusFile } from '@svc/protocol'
import { expect, test } from 'vitest'
import type { ProcessState } from '../../state/process-note.ts'
import { noRuns, withEndedRuns } from './open-runs.ts'

const now = 1_800_000_000_000
const second = now / 1000
const alive = (started: number) => ({
  ...{ pid: 7, start: 'b:1', since: started * 1000, crashes: 0, adopted: false, started: `${started}` },
})
const running = (started: number): ProcessState => ({ is: 'running', ...alive(started) })
const stopped = (because: 'paused' | 'asked' | 'replaced' | 'ended'): ProcessState => ({
  ...{ is: 'stopped', because, exit: { at: now - 60_000 }, started: `${second - 3600}` },
})
const crashed: ProcessState = {
  ...{ is: 'waiting', crashes: 1, startAt: now, exit: { at: now - 60_000, code: 1 }, started: `${second - 3600}` },
}
const status: StatusFile = {
  state: { level: 'ok', label: 'Working' },
  active: [{ kind: 'triage' }],
  runs: [
    { id: 'open', status: 'running', started: second - 3600, kind: 'triage' },
    { id: 'own words', status: 'Pending', started: second - 30 },
    { id: 'over', status: 'done', started: second - 7200, ended: second - 7000 },
    { id: 'no end', status: 'done', started: second - 7200 },
  ],
}
type Row = readonly [what: string, process: ProcessState | undefined, writtenAgo: number | undefined, ends: string]

/**
 * Each row ends with the status and the age of the open run, in seconds, and with whether runs in progress are shown.
 */
test.each<Row>([
  ['a process that runs', running(second - 3600), 10, 'running, active'],
  ['a process that svc does not start', undefined, 10, 'running, active'],
  ['a paused agent whose process ended', stopped('paused'), 300, 'stopped 60'],
  ['an agent that was stopped', stopped('asked'), 300, 'stopped 60'],
  ['an update', stopped('replaced'), 300, 'stopped 60'],
  ['a process that ended by itself', stopped('ended'), 300, 'lost 60'],
  ['a crash', crashed, 300, 'lost 60'],
  ['an end at an unknown time', { ...crashed, exit: { at: 0 } }, 300, 'lost 300'],
  ['a new process that has not written yet', running(second - 5), 300, 'lost 300'],
  ['a new process that has written', running(second - 300), 5, 'running, active'],
  [
    'a process that ends',
    { is: 'stopping', ...alive(second - 3600), because: 'paused', killAt: 0 },
    300,
    'running, active',
  ],
  ['a clock that was set back after the start', running(second + 10_800), 5, 'running, active'],
  ['a file that cannot be read', running(second - 5), undefined, 'running, active'],
])('%s', (_what, process, writtenAgo, ends) => {
  const writtenAt = writtenAgo === undefined ? undefined : now - writtenAgo * 1000
  const { status: told } = withEndedRuns(noRuns, { status, writtenAt, process, now })
  const [open, own, ...rest] = told.runs ?? []
  const age = open?.ended === undefined ? '' : ` ${second - open.ended}`
  expect(`${open?.status}${age}${told.active ? ', active' : ''}`).toBe(ends)
  expect(own?.ended === undefined).toBe(open?.ended === undefined)
  expect(own?.ended ?? own?.started).toBeGreaterThanOrEqual(own?.started ?? 0)
  expect(rest).toEqual(status.runs?.slice(2))
  expect(told.state).toEqual(status.state)
})

test('a run that nobody writes about after a restart is ended, until the agent writes about it', () => {
  const report = (kept: typeof noRuns, process: ProcessState, runs: StatusFile['runs'], writtenAgo = 1) =>
    withEndedRuns(kept, { status: runs ? { runs } : {}, writtenAt: now - writtenAgo * 1000, process, now })
  const [open] = status.runs ?? []
  const first = report(noRuns, running(second - 3600), open && [open], 300)
  expect(first.status.runs).toEqual([open])
  const restarted = report(first.kept, running(second - 60), [{ id: 'new', status: 'running', started: second - 50 }])
  expect(restarted.status.runs?.map(({ id, status }) => `${id} ${status}`)).toEqual(['new running', 'open lost'])
  const next = report(restarted.kept, running(second - 60), [])
  expect(next.status.runs).toEqual([{ ...open, status: 'lost', ended: second - 300 }])
  expect(report(next.kept, running(second - 60), undefined).status.runs).toHaveLength(1)
  const taken = report(next.kept, running(second - 60), [{ id: 'open', status: 'done', ended: second }])
  expect(taken.status.runs).toEqual([{ id: 'open', status: 'done', ended: second }])
  expect(report(taken.kept, running(second - 60), []).status.runs).toEqual([])
})

const uuid = '00000000-0000-7000-8000-000000000001'
test.each([
  ['job', `backup/${now}-0a1b2c3d`],
  ['claude', `claude:${uuid}`],
  ['codex', `codex:${uuid}`],
  ['opencode', 'opencode:ses_de0c4cfc9ffebI32M1j71K3evM'],
])('a run of the kind %s goes on without the host agent', (kind, id) => {
  const runs = [{ id, kind, status: 'running', started: second - 60 }]
  const told = withEndedRuns(noRuns, { status: { runs }, writtenAt: now - 5000, process: stopped('paused'), now })
  expect(told.status.runs).toEqual(runs)
})

test('the end of a run stays the same in each report', () => {
  const at = (kept: typeof noRuns, process: ProcessState, later: number) =>
    withEndedRuns(kept, { status, writtenAt: now - 300_000, process, now: now + later })
  const down = at(noRuns, crashed, 0)
  const up = at(down.kept, running(second - 5), 10_000)
  expect(up.status.runs?.[0]).toEqual(down.status.runs?.[0])
})
