import { expect, test } from 'vitest'
import { reporting } from '../../../testing/reporting.ts'
import { onEveryEngine } from '../../../testing/stores.ts'
import { newTestWorkspace, testStart } from '../../../testing/test-workspace.ts'
import { jobRuns } from './job-runs.ts'

const noon = testStart / 1000
const run = (job: string, minutesAgo: number, more: object = {}) => {
  const started = noon - minutesAgo * 60
  return { id: `${job}/${started}`, kind: 'job', status: 'ok', started, ended: started + 30, ...more }
}

onEveryEngine('the runs of jobs', (open) => {
  test('are the last thirty of each, the oldest first, among the kept runs of the agent', async () => {
    const w = await newTestWorkspace(await open(), { people: false })
    const { report } = reporting(w)
    const often = Array.from({ length: 700 }, (_, at) => run('poll', 1000 - at))
    await report({
      runs: [
        ...often,
        run('backup', 900, { status: 'failed', log: 'failed/backup' }),
        run('backup', 500, { status: 'failed', log: 'failed/backup' }),
        run('backup', 100, { status: 'running', ended: undefined, log: 'job/backup' }),
        run('__proto__', 50),
        { id: 'no-job/1', kind: 'task', started: noon },
        { id: 'plain', kind: 'job', started: noon },
      ],
    })
    const jobs = await jobRuns(w.store.db, w.agent)
    expect(jobs.map(({ job, runs }) => [job, runs.length])).toEqual([
      ['__proto__', 1],
      ['backup', 3],
      ['poll', 30],
    ])
    const [, backup, poll] = jobs
    expect(backup?.runs.map(({ status, seconds }) => [status, seconds])).toEqual([
      ['failed', 30],
      ['failed', 30],
      ['running', null],
    ])
    expect(backup?.printed, 'the newest run that names it').toBe(`backup/${noon - 500 * 60}`)
    expect(poll?.printed).toBeNull()
    expect(poll?.runs.at(-1)?.started).toBe(noon - 301 * 60)
  })
})
