/**
 * `svc rollback-runtime`: returns to the previous version of svc (3.5). The command needs no network, and works whether
 * or not a runtime runs in the folder.
 */
import { Command } from 'commander'
import { askForPrevious, type BackRequest, dropAskedBack } from '../../launcher/back.ts'
import { keepRuntime } from '../../launcher/keeper.ts'
import { wait } from '../../machine/base/time.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { type Holder, holderName, tryLock } from '../../machine/files/lock.ts'
import { sha256OfFile } from '../../machine/files/sha256.ts'
import { commandHint, examples } from '../../machine/hint.ts'
import { readRuntimeNote } from '../../state/versions/runtime-note.ts'
import { readInsideRelease } from '../../updates/runtime/release.ts'
import { type CommonOptions, currentAuthor, existingFolder, withCommonOptions } from '../kit/folder.ts'
import { printResult, Refusal } from '../kit/output.ts'

/**
 * The real seconds (not shortened by SVC_TIME_SCALE) that the command waits until the running launcher has rolled back.
 */
const patienceSeconds = 30

export const rollbackRuntime = (): Command =>
  withCommonOptions(new Command('rollback-runtime'))
    .summary('go back to the previous version of svc itself')
    .description(
      'Puts the previous svc of this folder back in place. A running runtime switches to it immediately, and the agent is not affected.\nThe version left behind is on hold until the service requests another one. Needs no connection.',
    )
    .addHelpText('after', examples('rollback-runtime --dir /srv/mail-triage'))
    .action(async ({ dir, json }: CommonOptions) => {
      const folder = existingFolder(dir)
      const lock = tryLock(folder, 'runtime', 'svc rollback-runtime')
      if (!lock.ok) await askRunning(folder, lock.holder)
      else {
        try {
          goBack(folder)
        } finally {
          lock.held.release()
        }
      }
      const { applied, hold } = readRuntimeNote(folder)
      printResult(json, { ...applied, hold: hold?.version ?? null }, () => [
        `svc ${applied?.version} is back. ${hold?.version} is on hold until the service requests another version, or its file is put in place here.`,
        ...(lock.ok ? [`It takes effect at the next start: ${commandHint('start')}`] : []),
      ])
    })

function goBack(folder: Folder): void {
  const keeper = keepRuntime(folder, { program: folder.runtime, say: () => {}, changed: () => {} })
  const { trial } = readRuntimeNote(folder)
  keeper.settle()
  // If an earlier `svc rollback-runtime` was killed halfway, `settle` has now finished its rollback.
  if (trial?.is === 'undoing' && isBack(folder)) return
  if (!keeper.back(wayBack(folder)) || !isBack(folder))
    throw new Refusal(
      `The previous svc could not be put back: ${readRuntimeNote(folder).applied?.message ?? 'no space?'}.`,
    )
}

function isBack(folder: Folder): boolean {
  const { trial, applied } = readRuntimeNote(folder)
  return trial === undefined && applied?.outcome === 'rolled_back'
}

/** Asks the running launcher to roll back. The launcher then replaces its worker at once. */
async function askRunning(folder: Folder, holder: Holder): Promise<void> {
  if (holder.what !== 'svc run') throw new Refusal(`${holderName(holder)} is working in this folder; stop it first.`)
  const before = readRuntimeNote(folder).applied?.message
  const asked = wayBack(folder)
  askForPrevious(folder, asked)
  const never = new AbortController().signal
  for (const end = performance.now() + patienceSeconds * 1000; performance.now() < end; await wait(100, never)) {
    const { applied, trial } = readRuntimeNote(folder)
    if (trial || applied === undefined || applied.message === before) continue
    if (applied.outcome === 'rolled_back') return
    throw new Refusal(`The previous svc could not be put back: ${applied.message}.`)
  }
  dropAskedBack(folder)
  throw new Refusal(
    `${holderName(holder)} did not switch back within ${patienceSeconds} s. Stop it and try again: ${['stop', 'rollback-runtime', 'start'].map((each) => commandHint(each)).join('; ')}`,
  )
}

function wayBack(folder: Folder): BackRequest {
  const asked = { by: currentAuthor().user ?? 'a person', at: Date.now() }
  const { trial } = readRuntimeNote(folder)
  if (trial) return { ...asked, from: trial.from, to: trial.to }
  const from = releaseAt(folder.runtimePrevious)
  const to = releaseAt(folder.runtime)
  if (!from || !to)
    throw new Refusal(
      `There is no ${from ? folder.runtime : folder.runtimePrevious}, so there is nothing to go back to.`,
    )
  if (from.sha256 === to.sha256)
    throw new Refusal(`${folder.runtimePrevious} is the running svc, so there is nothing to go back to.`)
  return { ...asked, from, to }
}

function releaseAt(file: string): BackRequest['from'] | undefined {
  const sha256 = sha256OfFile(file)
  return sha256 === undefined ? undefined : { version: readInsideRelease(file)?.version ?? 'unknown', sha256 }
}
