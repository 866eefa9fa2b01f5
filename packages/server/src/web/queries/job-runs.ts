/** The last runs of each job of a host agent, from its kept runs (2.2). */
import { setImmediate } from 'node:timers/promises'
import type { JobRun, JobRuns } from '@svc/api'
import { failedLogName, type Run, runSeconds } from '@svc/protocol'
import type { Db } from '../../platform/db/open.ts'

/** The number of runs of a job that are shown. */
const maxRuns = 30
/** The number of runs that are read in one turn of the event loop. */
const runsAtOnce = 200

export async function jobRuns(db: Db, agent: { id: string }): Promise<JobRuns[]> {
  const jobs = new Map<string, JobRuns>()
  // A report may add runs between two pieces, so each piece continues after the last row, and not at an offset.
  for (let last: { place: number; seq: number } | undefined; ; ) {
    const { place, seq } = last ?? { place: 0, seq: 0 }
    const rows = await db
      .selectFrom('run')
      .select(['body', 'place', 'seq'])
      .where('agent_id', '=', agent.id)
      .$if(last !== undefined, (query) =>
        query.where('place', '<=', place).where((eb) => eb.or([eb('place', '<', place), eb('seq', '<', seq)])),
      )
      .orderBy('place', 'desc')
      .orderBy('seq', 'desc')
      .limit(runsAtOnce)
      .execute()
    for (const { body } of rows) take(jobs, JSON.parse(body) as Run)
    last = rows.at(-1)
    if (rows.length < runsAtOnce) break
    await setImmediate()
  }
  const all = [...jobs.values()]
  for (const { runs } of all) runs.reverse()
  return all.sort((a, b) => (a.job < b.job ? -1 : 1))
}

/** Adds a run to those of its job. Newer runs come first. */
function take(jobs: Map<string, JobRuns>, run: Run): void {
  const name = jobOf(run)
  if (name === undefined) return
  const job = jobs.get(name) ?? { job: name, runs: [], printed: null }
  jobs.set(name, job)
  if (job.runs.length < maxRuns) job.runs.push(jobRunOf(run))
  if (job.printed === null && run.log === failedLogName(name)) job.printed = run.id
}

/** The job of a run; undefined for a run that is not of a job. The host agent puts the job in front of the id. */
export function jobOf({ kind, id }: Run): string | undefined {
  const end = id.indexOf('/')
  return kind === 'job' && end > 0 ? id.slice(0, end) : undefined
}

const jobRunOf = (run: Run): JobRun => ({
  id: run.id,
  started: run.started ?? null,
  seconds: runSeconds(run) ?? null,
  status: run.status ?? null,
})
