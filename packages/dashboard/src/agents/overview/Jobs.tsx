import './jobs.css'
import type { JobRuns } from '@svc/api'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { read } from '../../data/queries.ts'
import { paths } from '../../paths.ts'
import { RunBars } from '../../ui/charts/RunBars.tsx'
import { count, Level, Text } from '../../ui/index.ts'
import { AnchorLink } from '../../ui/links.tsx'
import { Section } from '../../ui/parts.tsx'
import { AsOf } from '../parts/AsOf.tsx'
import type { Agent } from '../parts/agent.ts'
import { jobBarsOf, jobCountWords, jobsLeftOut, otherJobsItem } from './parts/job-table.ts'
import { type ShownJob, shownJobsOf } from './parts/jobs.ts'

/** Shows the jobs of a machine in one table: how each is, its last runs as a picture, and when it is due. */
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
