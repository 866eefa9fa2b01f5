/** `svc jobs log`: starts or stops keeping the output of a job in files, by the option `--log` in the crontab. */
import { outputWords, planOutput, startsJob } from '../../host/adopt/output.ts'
import { type TablePlan, tableDiff } from '../../host/adopt/plan.ts'
import { keptTable, readTable, replaceTable } from '../../host/adopt/table.ts'
import { readAdopted, writeAdopted } from '../../host/agent/adopted.ts'
import { confirm, isInteractive } from '../kit/ask.ts'
import { exits, printResult, Refusal, warn } from '../kit/output.ts'
import { findHostFolder } from './adopt-place.ts'

export interface OutputOptions {
  readonly yes?: boolean | undefined
  readonly json?: boolean | undefined
}

/** Starts or stops keeping the output of a job, once a person agreed to the diff. */
export async function keepOutput(job: string, isKept: boolean, { yes, json }: OutputOptions): Promise<void> {
  const { folder } = findHostFolder()
  const table = await readTable()
  if (!table.ok) throw new Refusal(`The crontab ${table.why}. Nothing was changed.`)
  if (!startsJob(table.text, job)) throw new Refusal(`${job} is not in the crontab. ${byHand(job, isKept)}`)
  const plan = planOutput(table.text, job, isKept)
  const lines = plan.left.map(({ number, why }) => `Line ${number} stays as it is: it ${why}. ${byHand(job, isKept)}`)
  const answer = { name: job, log: isKept, changed: plan.changes.length, crontabDiff: tableDiff(plan, after(isKept)) }
  if (plan.changes.length === 0) {
    if (plan.left.length > 0) throw new Refusal(lines.join('\n'))
    printResult(
      json,
      answer,
      () => `The output of ${job} is ${isKept ? 'kept already' : 'not kept'}. Nothing was changed.`,
    )
    return
  }
  await mustAgree(plan, isKept, { yes, json })
  await replaceTable(folder, { expected: table.text, next: plan.text })
  // The agent reads the crontab again when this file changes, and otherwise only every five minutes.
  const adopted = readAdopted(folder)
  if (adopted !== undefined) writeAdopted(folder, adopted)
  printResult(json, answer, () => [
    ...lines,
    isKept
      ? `The output of ${job} is kept from its next run on. An admin can request it on the page.`
      : `The output of ${job} is no longer kept from its next run on. What was kept stays: ${job} can be forgotten.`,
    `The table before is in ${keptTable(folder)}.`,
  ])
}

async function mustAgree(plan: TablePlan, isKept: boolean, { yes, json }: OutputOptions): Promise<void> {
  if (yes) return
  warn(tableDiff(plan, after(isKept)))
  warn(isKept ? outputWords.kept : outputWords.mailed)
  if (json || !isInteractive()) throw new Refusal('Nothing was changed. Add --yes to change the crontab.', exits.usage)
  if (!(await confirm('Change the crontab like this?'))) throw new Refusal('Nothing was changed.')
}

const after = (isKept: boolean): string => `crontab ${isKept ? 'with' : 'without'} --log`

/** Says how a person changes a line that svc cannot change. */
const byHand = (job: string, isKept: boolean): string =>
  isKept
    ? `Where it is started, write --log behind its name: svc-exec ${job} --log -- …`
    : `Where it is started, remove --log: svc-exec ${job} -- …`
