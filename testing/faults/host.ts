/**
 * Faults of `packages/runtime/src/host`: which jobs are due, what is reported of them, and what stays on the machine.
 */
import type { Fault } from './fault.ts'

const at = (file: string) => `packages/runtime/src/host/${file}`

export const hostFaults: readonly Fault[] = [
  {
    name: 'overdue: a run that lives does not delay the next one',
    harm: 'A backup that takes long is called overdue while it runs.',
    file: at('jobs/overdue.ts'),
    old: 'dueAfter(plans, last, lives ? 1 : 0, starts)',
    new: 'dueAfter(plans, last, 0, starts)',
    tests: [at('jobs/overdue.test.ts')],
  },
  {
    name: 'overdue: a job is overdue for a few minutes only',
    harm: 'The alert about a backup that does not run ends by itself.',
    file: at('jobs/overdue.ts'),
    old: 'due !== undefined && now > due.until',
    new: 'due !== undefined && now > due.until && now < due.until + 300',
    tests: [at('jobs/judge.test.ts')],
  },
  {
    name: 'overdue: a clock that is set back ends it',
    harm: 'A backup that does not run is said to be well again, because the machine got the time from a server.',
    file: at('jobs/overdue.ts'),
    old: 'return stays ? late.since : undefined',
    new: 'return stays && late.since < 0 ? late.since : undefined',
    tests: [at('watch/set-clock.test.ts')],
  },
  {
    name: 'overdue: a machine that slept has no time to catch up',
    harm: 'Each morning, when a laptop wakes up, all jobs of the night send a message at once.',
    file: at('jobs/overdue.ts'),
    old: ': Math.max(due, woke) + grace',
    new: ': due + grace',
    tests: [at('jobs/overdue.test.ts')],
  },
  {
    name: 'jobs: a process that has just ended is a lost run',
    harm: 'A job that ended well is bad for a few seconds, since its record is written a moment later.',
    file: at('jobs/reader.ts'),
    old: "gone.has(run.id) ? { ...run, status: 'lost' } : run",
    new: "({ ...run, status: 'lost' })",
    tests: [at('jobs/reader.test.ts')],
  },
  {
    name: 'crontab: a table that cannot be read is an empty one',
    harm: 'While crontab fails, no job is due, and a backup that does not run is not noticed.',
    file: at('watch/jobs-section.ts'),
    old: 'return { seen: before, failed: listed.why, wrong: [] }',
    new: 'return { seen: { ...before, lines: [] }, failed: listed.why, wrong: [] }',
    tests: [at('watch/jobs-section.process.test.ts')],
  },
  {
    name: 'sections: one that fails takes the others with it',
    harm: 'A damaged file of one tool hides that a backup failed.',
    file: at('watch/sections.ts'),
    old: '    } catch {\n',
    new: '    } catch (error) {\n      throw error\n',
    tests: [at('watch/jobs-part.test.ts')],
  },
]
