import './jobs.css'
import type { AgentPage, JobRuns } from '@svc/api'
import { type HealthItem, limits } from '@svc/protocol'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { read } from '../../data/queries.ts'
import { paths } from '../../paths.ts'
import { type RunBar, RunBars, runsAndFailedText } from '../../ui/charts/RunBars.tsx'
import { count, Level, Text } from '../../ui/index.ts'
import { AnchorLink } from '../../ui/links.tsx'
import { Section } from '../../ui/parts.tsx'
import { AsOf } from '../parts/AsOf.tsx'
import type { Agent } from '../parts/agent.ts'
import { runTone } from '../parts/tones.ts'
import { otherJobsItemName, type ShownJob, shownJobsOf } from './parts/jobs.ts'

/** Shows the jobs of a machine in one table: the level of each job, its last runs as a picture, and when it is due. */
export default function Jobs({ agent }: { agent: Agent }) {
  const { slug, page } = agent
  const jobs = useMemo(() => shownJobsOf(page.report), [page.report])
  const { data } = useQuery({
    ...read('GET /w/:slug/agents/:name/jobs', { slug, name: page.name }),
    enabled: page.runs.kept > 0,
  })
  const rest = otherJobsItem(page.report)
  const left = jobsLeftOut(page.report, jobs.length)
  const runs = useMemo(() => new Map((data ?? []).map((one) => [one.job, one])), [data])
  return (
    <Section
      title="Jobs"
      flush
      aside={
        <>
          <AsOf agent={agent} /> {jobCountWords(jobs.length)}
        </>
      }
    >
      <table className="ag-table ag-jobs">
        <thead>
          <tr>
            <th scope="col">Level</th>
            <th scope="col">Job</th>
            <th scope="col" className="ag-jobs-runs">
              Last runs
            </th>
            <th scope="col">Last run</th>
            <th scope="col" data-numeric>
              Duration
            </th>
            <th scope="col">Next run</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <JobRow key={job.name} agent={agent} job={job} runs={runs.get(job.name)} />
          ))}
        </tbody>
      </table>
      {left !== 0 && (
        <p className="ag-nothing">
          {left === undefined ? 'There may be more.' : `${count(left, 'more job')}.`} <code>svc jobs</code> on the
          machine shows all.
        </p>
      )}
      {rest?.level && (
        <p className="ag-nothing">
          <Level level={rest.level} /> <Text>{rest.detail ?? ''}</Text>
        </p>
      )}
    </Section>
  )
}

function JobRow({ agent: { slug, page }, job, runs }: { agent: Agent; job: ShownJob; runs: JobRuns | undefined }) {
  const { name, level, last, took, next, detail } = job
  const needsYou = level === 'bad' || level === 'warn'
  const chart = runs && jobBarsOf(runs)
  return (
    <tr>
      <td className="ag-jobs-level">{level && <Level level={level} />}</td>
      <th scope="row">
        <AnchorLink to={paths.agent} params={{ slug, name: page.name }} search={{ tab: 'runs', job: name }}>
          <Text>{name}</Text>
        </AnchorLink>
      </th>
      <td className="ag-jobs-runs">{chart && <RunBars title={chart.title} bars={chart.bars} />}</td>
      <td data-label="Last run">
        <Text>{needsYou && detail !== undefined ? detail : last}</Text>
      </td>
      <td data-label="Duration" data-numeric>
        <Text>{took}</Text>
      </td>
      <td data-label="Next run">
        <Text>{next}</Text>
      </td>
    </tr>
  )
}

/**
 * Returns the health item about the jobs that have no item of their own; undefined if there are none, or all are well.
 */
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
