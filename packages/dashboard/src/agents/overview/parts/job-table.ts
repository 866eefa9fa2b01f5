/** The words and pictures of the table of jobs. Pure, and apart from jobs.ts, which the page of every agent loads. */
import type { AgentPage, JobRuns } from '@svc/api'
import { type HealthItem, limits } from '@svc/protocol'
import { type RunBar, runsAndFailedText } from '../../../ui/charts/RunBars.tsx'
import { count } from '../../../ui/time/format.ts'
import { runTone } from '../../parts/tones.ts'
import { otherJobsItemName } from './jobs.ts'

/** The item about the jobs that have no item of their own, if not all of them are well. */
export const otherJobsItem = (report: AgentPage['report']): HealthItem | undefined =>
  report?.health?.find(({ name, level }) => name === otherJobsItemName && level !== 'ok')

/** The number of jobs in words. A panel has at most 200 rows. */
export const jobCountWords = (shown: number): string =>
  shown < limits.panelItems ? count(shown, 'job') : `the first ${shown} jobs`

/**
 * The number of jobs that the table leaves out; undefined if the report does not say how many there are. The worst jobs
 * have an item each, and one item counts the others, as in `278 more, all well`.
 */
export function jobsLeftOut(report: AgentPage['report'], shown: number): number | undefined {
  if (shown < limits.panelItems) return 0
  const items = report?.health?.filter(({ name }) => name?.startsWith('Job ')).length ?? 0
  const others = /^(\d+) more\b/.exec(report?.health?.find(({ name }) => name === otherJobsItemName)?.detail ?? '')?.[1]
  return others === undefined ? undefined : Math.max(0, items + Number(others) - shown)
}

/** The bars of a job's runs, and one sentence about them. */
export function jobBarsOf({ runs }: Pick<JobRuns, 'runs'>): { bars: RunBar[]; title: string } {
  const bars = runs.map(({ seconds, status }): RunBar => ({ value: seconds, tone: runTone(status ?? '') }))
  return { bars, title: runsAndFailedText(bars) }
}
