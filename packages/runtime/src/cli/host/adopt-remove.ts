/**
 * `svc adopt --remove`: puts the crontab lines back as they were, and removes the host agent from this machine. With
 * `--only` it removes one section, and the agent goes on with the other one.
 */
import { existsSync } from 'node:fs'
import { planRemoval, tableDiff } from '../../host/adopt/plan.ts'
import { hasChangedTable, readTable, replaceTable } from '../../host/adopt/table.ts'
import { type AdoptedNote, forgetAdopted, readAdopted, writeAdopted } from '../../host/agent/adopted.ts'
import { forgetLines } from '../../host/jobs/seen.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { withTurn } from '../../machine/files/lock.ts'
import { commandHint } from '../../machine/hint.ts'
import { carryOutRemoval, plannedLines, removalPlan, removedLines } from '../install/remove.ts'
import { confirm, isInteractive } from '../kit/ask.ts'
import { exits, printResult, Refusal, warn } from '../kit/output.ts'
import type { SectionName } from './adopt-sections.ts'

interface RemoveOptions {
  readonly yes?: boolean
  readonly json?: boolean
  readonly dryRun?: boolean
}

/** Removes the section `only` or, if that is undefined, the agent with both sections. */
export const unadopt = (folder: Folder, only: SectionName | undefined, options: RemoveOptions): Promise<void> =>
  only === undefined ? removeAll(folder, options) : removeSection(folder, only, options)

/**
 * Unwraps the crontab lines that `svc adopt` has wrapped, and then removes the agent. The records of jobs stay. If the
 * crontab cannot be read, the removal is refused, unless svc has never changed the crontab and there is an agent.
 */
async function removeAll(folder: Folder, options: RemoveOptions): Promise<void> {
  const table = await readTable({ any: true })
  const isOthers = !table.ok && !hasChangedTable(folder)
  const agent = existsSync(folder.svc) ? removalPlan(folder, true) : undefined
  if (!table.ok && !(isOthers && agent)) throw new Refusal(whyNothing(folder, table.why, agent !== undefined))
  const crontab = planRemoval(table.ok ? table.text : '')
  const diff = tableDiff(crontab, 'crontab without these jobs')
  if (crontab.changes.length === 0 && agent === undefined)
    throw new Refusal(`No crontab line has to be put back, and there is no agent in ${folder.root}.`)
  if (!table.ok) warn(unchangedTable(table.why))
  const plan = [...diffLines(crontab, diff), ...(agent ? plannedLines(agent, folder) : [])]
  const said = { folder: folder.root, crontabDiff: diff }
  if (!(await isAgreed(plan, said, 'Put the lines back, and remove the agent?', options))) return
  await putBack(folder, table, crontab)
  if (agent) await carryOutRemoval(folder, agent)
  forgetLines(folder.state)
  forgetAdopted(folder)
  const unwrapped = crontab.changes.length
  printResult(options.json, { removed: true, unwrapped, ...said }, () => [
    ...putBackLines(crontab),
    ...(agent ? removedLines(folder, agent) : []),
  ])
}

const sectionWords: Readonly<Record<SectionName, string>> = { jobs: 'Jobs', ai: 'AI sessions' }

/** Removes a section. The agent stays, with its connection, its records and the choices about the other section. */
async function removeSection(folder: Folder, only: SectionName, options: RemoveOptions): Promise<void> {
  const words = sectionWords[only]
  const table = only === 'jobs' ? await readTable({ any: true }) : undefined
  if (table && !table.ok && hasChangedTable(folder)) throw new Refusal(whyNothing(folder, table.why, false))
  const crontab = planRemoval(table?.ok ? table.text : '')
  const note = mustShow(folder, only, crontab.changes.length > 0)
  const diff = tableDiff(crontab, 'crontab without these jobs')
  if (table && !table.ok) warn(unchangedTable(table.why))
  const plan = [...diffLines(crontab, diff), `${words} are no longer shown. The agent stays.`]
  const said = { folder: folder.root, section: only, crontabDiff: diff }
  if (!(await isAgreed(plan, said, `Stop showing ${words}?`, options))) return
  if (table) await putBack(folder, table, crontab)
  withTurn(folder, 'svc adopt', () => writeAdopted(folder, { ...note, [only]: false }))
  if (only === 'jobs') forgetLines(folder.state)
  printResult(options.json, { removed: true, unwrapped: crontab.changes.length, ...said }, () => [
    ...putBackLines(crontab),
    `${words} are no longer shown. To show them again: ${commandHint(`adopt --only ${only}`)}`,
  ])
}

/**
 * Returns the note of the agent. Refuses if the agent does not show this section, or shows only this section. With
 * `hasLines`, jobs are in the crontab, so this section may be removed even if it is not shown.
 */
function mustShow(folder: Folder, only: SectionName, hasLines: boolean): AdoptedNote {
  const whole = `To remove the agent with all it shows: ${commandHint('adopt --remove')}`
  const note = existsSync(folder.svc) ? readAdopted(folder) : undefined
  if (note === undefined) throw new Refusal(`Nobody knows what ${folder.root} shows, so nothing was removed. ${whole}`)
  const words = sectionWords[only]
  if (!note[only] && !hasLines) throw new Refusal(`${words} are not shown, so nothing was removed. ${whole}`)
  if (!(only === 'jobs' ? note.ai : note.jobs))
    throw new Refusal(`The agent shows nothing but ${words}, so nothing was removed. ${whole}`)
  return note
}

/**
 * Shows the plan, and asks unless `yes` is set. Returns false for a dry run, which only prints the plan. Refuses if the
 * person says no or cannot be asked.
 */
async function isAgreed(
  plan: readonly string[],
  said: object,
  question: string,
  { yes, json, dryRun }: RemoveOptions,
): Promise<boolean> {
  if (dryRun) {
    printResult(json, { removed: false, ...said }, () => [...plan, 'Nothing was removed.'])
    return false
  }
  if (yes) return true
  warn(plan.join('\n'))
  if (json || !isInteractive()) throw new Refusal('Nothing was removed. Add --yes to remove it.', exits.usage)
  if (!(await confirm(question))) throw new Refusal('Nothing was removed.')
  return true
}

type Table = Awaited<ReturnType<typeof readTable>>
type Removal = ReturnType<typeof planRemoval>

async function putBack(folder: Folder, table: Table, { changes, text }: Removal): Promise<void> {
  if (table.ok && changes.length > 0)
    await replaceTable(folder, { expected: table.text, next: text, coding: table.coding })
}

const diffLines = ({ changes }: Removal, diff: string): string[] =>
  changes.length > 0 ? [`The crontab changes:\n${diff}`] : []

const putBackLines = ({ changes }: Removal): string[] =>
  changes.length === 0
    ? []
    : [`Each of these crontab lines is as it was: ${changes.map(({ name }) => name).join(', ')}.`]

const unchangedTable = (why: string): string => `The crontab ${why}. svc has never changed it, so it stays as it is.`

/** The refusal for a crontab that cannot be read although lines of it may have to be put back. */
const whyNothing = (folder: Folder, why: string, hasAgent: boolean): string =>
  [
    `The crontab ${why}. Lines of it may have to be put back, so nothing was removed.`,
    ...(hasAgent
      ? [
          `To remove the agent alone: ${commandHint('remove --keep-state', folder.root)}. The lines then still run their commands.`,
        ]
      : []),
  ].join(' ')
