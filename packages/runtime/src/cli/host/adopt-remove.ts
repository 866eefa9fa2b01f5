/** `svc adopt --remove`: puts the crontab lines back as they were, and removes the host agent from this machine. */
import { existsSync } from 'node:fs'
import { planRemoval, tableDiff } from '../../host/adopt/plan.ts'
import { hasChangedTable, readTable, replaceTable } from '../../host/adopt/table.ts'
import { forgetAdopted } from '../../host/agent/adopted.ts'
import { forgetLines } from '../../host/jobs/seen.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { commandHint } from '../../machine/hint.ts'
import { carryOut, plannedLines, removalPlan, removedLines } from '../install/remove.ts'
import { confirm, isInteractive } from '../kit/ask.ts'
import { exits, printResult, Refusal, warn } from '../kit/output.ts'

interface RemoveOptions {
  readonly yes?: boolean
  readonly json?: boolean
  readonly dryRun?: boolean
}

/**
 * Unwraps the lines that `svc adopt` has wrapped, also if others were changed since, and then removes the agent. The
 * records of jobs stay. A table that cannot be read matters only if svc may have changed it.
 */
export async function unadopt(folder: Folder, { yes, json, dryRun }: RemoveOptions): Promise<void> {
  const table = await readTable({ any: true })
  const isOthers = !table.ok && !hasChangedTable(folder)
  const agent = existsSync(folder.svc) ? removalPlan(folder, true) : undefined
  if (!table.ok && !(isOthers && agent)) throw new Refusal(whyNothing(folder, table.why, agent !== undefined))
  const crontab = planRemoval(table.ok ? table.text : '')
  const diff = tableDiff(crontab, 'crontab without these jobs')
  if (crontab.changes.length === 0 && agent === undefined)
    throw new Refusal(`No crontab line has to be put back, and there is no agent in ${folder.root}.`)
  if (!table.ok) warn(`The crontab ${table.why}. svc has never changed it, so it stays as it is.`)
  const plan = [
    ...(crontab.changes.length > 0 ? [`The crontab changes:\n${diff}`] : []),
    ...(agent ? plannedLines(agent, folder) : []),
  ]
  if (dryRun) {
    printResult(json, { removed: false, folder: folder.root, crontabDiff: diff }, () => [
      ...plan,
      'Nothing was removed.',
    ])
    return
  }
  if (!yes) {
    warn(plan.join('\n'))
    if (json || !isInteractive()) throw new Refusal('Nothing was removed. Add --yes to remove it.', exits.usage)
    if (!(await confirm('Put the lines back, and remove the agent?'))) throw new Refusal('Nothing was removed.')
  }
  if (table.ok && crontab.changes.length > 0)
    await replaceTable(folder, { expected: table.text, next: crontab.text, coding: table.coding })
  if (agent) await carryOut(folder, agent)
  forgetLines(folder.state)
  forgetAdopted(folder)
  const names = crontab.changes.map(({ name }) => name)
  printResult(json, { removed: true, folder: folder.root, unwrapped: names.length, crontabDiff: diff }, () => [
    ...(names.length === 0 ? [] : [`Each of these crontab lines is as it was: ${names.join(', ')}.`]),
    ...(agent ? removedLines(folder, agent) : []),
  ])
}

/** The sentences if lines of the table may have to be put back, but it cannot be read. */
const whyNothing = (folder: Folder, why: string, hasAgent: boolean): string =>
  [
    `The crontab ${why}. Lines of it may have to be put back, so nothing was removed.`,
    ...(hasAgent
      ? [
          `To remove the agent alone: ${commandHint('remove --keep-state', folder.root)}. The lines then still run their commands.`,
        ]
      : []),
  ].join(' ')
