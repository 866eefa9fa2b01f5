/** `svc adopt --remove`: puts the crontab lines back as they were, and removes the host agent from this machine. */
import { existsSync } from 'node:fs'
import { diffOf, planRemoval } from '../host/adopt/plan.ts'
import { readTable, replaceTable } from '../host/adopt/table.ts'
import { forgetLines } from '../host/jobs/seen.ts'
import type { Folder } from '../machine/files/folder.ts'
import { confirm, interactive } from './ask.ts'
import { exits, Refusal, show, warn } from './output.ts'
import { carryOut, planFor, removedLines, shown } from './remove.ts'

/**
 * Unwraps the lines that `svc adopt` has wrapped, also if others were changed since, and then removes the agent. The
 * records of jobs stay.
 */
export async function unadopt(folder: Folder, { yes, json }: { yes?: boolean; json?: boolean }): Promise<void> {
  const table = await readTable()
  if (!table.ok) throw new Refusal(`The crontab ${table.why}. Nothing was removed.`)
  const crontab = planRemoval(table.text)
  const agent = existsSync(folder.svc) ? planFor(folder, true) : undefined
  if (crontab.changes.length === 0 && agent === undefined)
    throw new Refusal(`No crontab line has to be put back, and there is no agent in ${folder.root}.`)
  if (!yes) {
    if (crontab.changes.length > 0) warn(`The crontab changes:\n${diffOf(crontab)}`)
    if (agent) warn(shown(agent, folder).join('\n'))
    if (json || !interactive()) throw new Refusal('Nothing was removed. Add --yes to remove it.', exits.usage)
    if (!(await confirm('Put the lines back, and remove the agent?'))) throw new Refusal('Nothing was removed.')
  }
  if (crontab.changes.length > 0) await replaceTable(folder, { expected: table.text, next: crontab.text })
  if (agent) await carryOut(folder, agent)
  forgetLines(folder.state)
  const names = crontab.changes.map(({ name }) => name)
  show(json, { removed: true, folder: folder.root, unwrapped: names.length, crontabDiff: diffOf(crontab) }, () => [
    ...(names.length === 0 ? [] : [`Each of these crontab lines is as it was: ${names.join(', ')}.`]),
    ...(agent ? removedLines(folder, agent) : []),
  ])
}
