/** Reads the jobs of a host agent from its panel and its health items. */
import type { AgentPage } from '@svc/api'
import type { HealthItem, Level, Panel } from '@svc/protocol'

type TablePanel = Extract<Panel, { type: 'table' }>

/** The headings of the panel that `svc watch` writes. */
const headings = ['Job', 'Last', 'Took', 'Next'] as const

/** A row of the table of jobs. */
export interface ShownJob {
  name: string
  /** The level of the job; undefined if the report does not say it, since only the worst 22 jobs have an item. */
  level: Level | undefined
  last: string
  took: string
  next: string
  /** The detail of the job's health item. */
  detail: string | undefined
}

/** The panel with the jobs; undefined for an agent that is not a host agent. */
export const jobPanel = (report: AgentPage['report']): TablePanel | undefined =>
  report?.panels?.find(
    (panel): panel is TablePanel => panel.type === 'table' && panel.title === 'Jobs' && hasHeadings(panel),
  )

const hasHeadings = ({ columns = [] }: TablePanel): boolean => headings.every((words, at) => columns[at] === words)

/** The jobs of an agent in the order of its panel, which lists the worst first; empty if it reports no jobs. */
export function shownJobsOf(report: AgentPage['report']): ShownJob[] {
  const items = new Map((report?.health ?? []).map((item) => [item.name, item]))
  const rest = items.get(otherJobsItemName)
  return (jobPanel(report)?.rows ?? []).map((cells): ShownJob => {
    const [name = '', last = '', took = '', next = ''] = cells.map((cell) =>
      typeof cell === 'string' ? cell : cell.text,
    )
    const item = items.get(`Job ${name}`)
    const level = item?.level ?? (item === undefined && rest?.level === 'ok' ? 'ok' : undefined)
    return { name, level, last, took, next, detail: item?.detail }
  })
}

/** The name of the item about the jobs that have no item of their own. */
export const otherJobsItemName = 'Jobs'

/** True for a health item that the table of jobs shows. */
export function isJobItem({ name = '' }: HealthItem, jobs: readonly ShownJob[]): boolean {
  if (jobs.length === 0) return false
  return name === otherJobsItemName || (name.startsWith('Job ') && jobs.some((job) => `Job ${job.name}` === name))
}
