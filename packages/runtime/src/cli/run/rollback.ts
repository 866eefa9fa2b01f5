/**
 * `svc rollback` returns to the previous version of the agent. `svc unhold` lifts a hold, so that the version can be
 * tried again. `svc unwatch` ends the watching of the current version. The commands work without the service.
 */
import { randomUUID } from 'node:crypto'
import { Command } from 'commander'
import { wait } from '../../machine/base/time.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { holderName, tryLock, whoHolds } from '../../machine/files/lock.ts'
import { commandHint, examples } from '../../machine/hint.ts'
import { diskNote } from '../../reporter/status/disk.ts'
import { changedBy } from '../../state/changes.ts'
import { rollbackAlone, unholdAlone, unwatchAlone, updateOnDisk } from '../../updates/agent/alone.ts'
import { type AskedUpdate, askForUpdate, dropAsked, patienceMs } from '../../updates/agent/ask.ts'
import { readUpdate, type Update } from '../../updates/agent/journal.ts'
import { type AgentOnDisk, agentAt, type CommonOptions, currentAuthor, withCommonOptions } from '../kit/folder.ts'
import { printResult, Refusal } from '../kit/output.ts'
import { endLeftProcesses, requireGone, requireReplaced } from './end.ts'

export const rollback = (): Command =>
  withCommonOptions(new Command('rollback'))
    .summary("go back to the version before this agent's last update")
    .description(
      `Goes back to the version that ran before the last update. It is kept on this machine, so no network is needed. The version left behind is on hold until the service requests another one, or "${commandHint('unhold')}". The agent's data is not rolled back: it stays as the newer version left it.`,
    )
    .addHelpText('after', examples('rollback --dir /srv/mail-triage'))
    .action(async ({ dir, json }: CommonOptions) => {
      const { folder, manifest, version } = await installedAt(dir)
      const { update, ended } = await rolledBack({ folder, manifest })
      const { applied, hold, running } = update
      printResult(json, { version: running.version, applied, hold: hold ?? null }, () => [
        `${applied?.message ?? ''}`,
        `${running.version} is in place, and ${hold?.version ?? version} is on hold.${ended ? ` Its processes were ended, since no runtime watched them; "${commandHint('start')}" starts it.` : ''}`,
      ])
    })

export const unhold = (): Command =>
  withCommonOptions(new Command('unhold'))
    .summary('allow a version that was rolled back or refused to be tried again')
    .description(
      'Lifts the hold on the version that was rolled back or refused, so that it is applied again if the service still requests it.',
    )
    .addHelpText('after', examples('unhold'))
    .action(async ({ dir, json }: CommonOptions) => {
      const { folder, version } = await installedAt(dir)
      const held = updateOnDisk(folder, version)
      const names = [...new Set([held.hold?.version, ...held.rollbacks.map((r) => r.version)])].filter(Boolean)
      await done(folder, version, 'unhold')
      printResult(json, { versions: names }, () =>
        names.length > 0 ? `No longer on hold: ${names.join(', ')}.` : 'No version was on hold.',
      )
    })

export const unwatch = (): Command =>
  withCommonOptions(new Command('unwatch'))
    .summary('end the watch of the present version, so that an update need not wait for it')
    .description(
      `For 30 minutes after an update, the new version is watched, and rolled back if the agent gets worse. Meanwhile other updates wait. This ends the watch now: if the service requests another version, its update starts at once. What is given up: this version is no longer rolled back by itself. "${commandHint('rollback')}" still goes back.`,
    )
    .addHelpText('after', examples('unwatch --dir /srv/mail-triage'))
    .action(async ({ dir, json }: CommonOptions) => {
      const { folder, version } = await installedAt(dir)
      await done(folder, version, 'unwatch')
      printResult(json, { version }, () => `${version} is no longer watched.`)
    })

async function installedAt(dir: string): Promise<AgentOnDisk & { version: string }> {
  const { folder, manifest } = await agentAt(dir)
  if (!folder.installed)
    throw new Refusal(`${folder.root} was not installed from a blueprint, so there are no versions of it here.`)
  return { folder, manifest, version: manifest.version }
}

/**
 * Rolls back, and waits until no process of the version left behind runs. `ended` is true if no runtime runs, and this
 * command ended processes that a killed runtime had left.
 */
async function rolledBack(agent: AgentOnDisk): Promise<{ update: Update; ended: boolean }> {
  const { folder, manifest } = agent
  const update = await done(folder, manifest.version, 'rollback')
  const back = `${update.running.version} is in place.`
  const runs = whoHolds(folder, 'runtime')?.what === 'svc run'
  if (runs && (await requireReplaced(agent, back))) return { update, ended: false }
  const ended = await endLeftProcesses(agent, { what: 'svc rollback' })
  requireGone(folder, back)
  return { update, ended }
}

/**
 * Rolls back, lifts a hold or ends the watching. A runtime that runs in the folder does this; without one, this process
 * does it (D58).
 */
async function done(folder: Folder, running: string, what: AskedUpdate['what']): Promise<Update> {
  const asked = { id: randomUUID(), running, by: changedBy(currentAuthor()) }
  const lock = tryLock(folder, 'runtime', `svc ${what}`)
  if (!lock.ok) {
    if (lock.holder.what !== 'svc run')
      throw new Refusal(`${holderName(lock.holder)} is working in this folder. Stop it, or wait for it, and try again.`)
    return throughRuntime(folder, { ...asked, what, at: Date.now() })
  }
  try {
    if (what === 'unhold') return unholdAlone(folder, running)
    const alone = what === 'unwatch' ? unwatchAlone : rollbackAlone
    const ended = alone(folder, running, asked)
    if (!ended.ok) throw new Refusal(ended.message)
    return ended.update
  } finally {
    lock.held.release()
  }
}

async function throughRuntime(folder: Folder, asked: AskedUpdate): Promise<Update> {
  askForUpdate(folder, asked)
  const never = new AbortController().signal
  for (const end = performance.now() + patienceMs; performance.now() < end; await wait(100, never)) {
    const update = readUpdate(folder)
    if (update?.asked?.id === asked.id && update.state !== 'undoing') {
      if (!update.asked.ok) throw new Refusal(update.asked.message)
      return update
    }
    if (!whoHolds(folder, 'runtime')) break
  }
  dropAsked(folder)
  throw new Refusal(
    `The runtime did not carry it out; see ${folder.runtimeLog}. "${commandHint('stop')}", then "${commandHint(asked.what)}", do it without the runtime.${diskNote(folder)}`,
  )
}
