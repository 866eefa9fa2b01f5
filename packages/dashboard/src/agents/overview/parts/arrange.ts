/** Decides in which order and in which column the parts of an agent's report are shown. */
import type { AgentPage } from '@svc/api'
import { type HealthItem, type Level, levels, type Panel } from '@svc/protocol'
import { isJobItem, jobPanel, shownJobsOf } from './jobs.ts'

const rankOf = ({ level }: HealthItem): number => (level === undefined ? -1 : levels.indexOf(level))

/** The health items from the worst to the best; those without a level come last. */
export const worstFirst = (items: readonly HealthItem[]): HealthItem[] =>
  items.toSorted((a, b) => rankOf(b) - rankOf(a))

/**
 * The health items to list. An item about a binding is left out if the page shows that binding, because the service may
 * know its state better than the machine. Items about jobs are left out, because jobs have a table.
 */
export function listedHealth({ report, bindings }: Pick<AgentPage, 'report' | 'bindings'>): HealthItem[] {
  const shown = new Set(bindings.map(({ product }) => `Binding ${product}`))
  const jobs = shownJobsOf(report)
  return (report?.health ?? []).filter(
    (item) => item.name === undefined || !(shown.has(item.name) || isJobItem(item, jobs)),
  )
}

/** All panels of a report except the panel of jobs, which is shown as the table of jobs. */
export const listedPanels = (report: AgentPage['report']): Panel[] => {
  const jobs = jobPanel(report)
  return (report?.panels ?? []).filter((panel) => panel !== jobs)
}

type OverviewPart = 'bindings' | 'jobs' | 'health' | 'active' | 'panels' | 'gauges' | 'costs' | 'account' | 'versions'

/** The parts in each of the two columns of the overview. */
export interface Columns {
  wide: OverviewPart[]
  narrow: OverviewPart[]
}

/** The parts of each column in their usual order. */
const usual: Columns = {
  wide: ['active', 'bindings', 'jobs', 'health', 'panels'],
  narrow: ['gauges', 'costs', 'account', 'versions'],
}
type ArrangedPage = Pick<AgentPage, 'report' | 'bindings' | 'runs' | 'blueprint'>

const movable: readonly OverviewPart[] = ['costs', 'gauges']

/**
 * Arranges the parts of a report. Parts that need attention come first. Costs and gauges move to the wide column if
 * this makes the page shorter.
 */
export function arrange(page: ArrangedPage): Columns {
  const heights = heightsOf(page)
  const there = (part: OverviewPart) => heights[part] > 0
  const urgent = urgentOf(page)
  const wide = [...urgent, ...usual.wide.filter((part) => !urgent.includes(part))].filter(there)
  const narrow = usual.narrow.filter(there)
  const tall = (column: readonly OverviewPart[]) => column.reduce((sum, part) => sum + heights[part], 0)
  for (const part of movable.filter((each) => narrow.includes(each))) {
    if (tall(wide) + heights[part] >= tall(narrow)) continue
    wide.push(part)
    narrow.splice(narrow.indexOf(part), 1)
  }
  return { wide, narrow }
}

/** The parts that a phone shows between the strip and the changes: what needs attention, what runs, and the jobs. */
export function partsOfNow(page: Pick<AgentPage, 'report' | 'bindings'>, { wide }: Columns): OverviewPart[] {
  const now = new Set<OverviewPart>([...urgentOf(page), 'active', 'jobs'])
  return wide.filter((part) => now.has(part))
}

/** The parts that need attention, because something in them is broken, bad or a warning. */
function urgentOf(page: Pick<AgentPage, 'report' | 'bindings'>): OverviewPart[] {
  const urgent: OverviewPart[] = []
  if (page.bindings.some(({ broken }) => broken)) urgent.push('bindings')
  const isUrgent = ({ level }: { level?: Level | undefined }) => level === 'bad' || level === 'warn'
  if (shownJobsOf(page.report).some(isUrgent)) urgent.push('jobs')
  if (listedHealth(page).some(isUrgent)) urgent.push('health')
  return urgent
}

/** The heights of the parts in lines of text, roughly; 0 for a part that is not there. */
function heightsOf(page: ArrangedPage): Readonly<Record<OverviewPart, number>> {
  const { active = [], gauges = [], account = {}, applied, runtime } = page.report ?? {}
  const card = (lines: number) => (lines === 0 ? 0 : lines + 2)
  return {
    active: card(active.length * 3),
    bindings: card(page.bindings.length * 4),
    health: card(listedHealth(page).length * 1.5),
    jobs: card(jobPanel(page.report)?.rows?.length ?? 0) * 1.5,
    panels: listedPanels(page.report).length * 8,
    gauges: card(gauges.length * 2),
    costs: page.runs.kept > 0 ? 10 : 0,
    account: card(Object.keys(account).length * 1.5),
    versions: page.blueprint !== null || applied || runtime ? 8 : 0,
  }
}
