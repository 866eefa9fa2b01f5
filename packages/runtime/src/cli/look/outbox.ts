/**
 * `svc outbox`: shows the last report that was sent from the agent's folder, and the service's answer. Characters that
 * could control a terminal are removed from the output for people, and escaped in the output of `--json`.
 */
import { Command } from 'commander'
import { timeText } from '../../machine/base/time.ts'
import { examples } from '../../machine/hint.ts'
import { owedAcks, readJournal } from '../../reporter/commands/journal.ts'
import { readOutbox } from '../../reporter/outbox.ts'
import { waitsForUpload } from '../../reporter/uploads.ts'
import { type CommonOptions, existingFolder, withCommonOptions } from '../kit/folder.ts'
import { printResult, Refusal } from '../kit/output.ts'

export const outbox = (): Command =>
  withCommonOptions(new Command('outbox'))
    .summary('show the last report of this agent and its answer')
    .description(
      "Shows the last report that was sent from the agent's folder, its answer, and the answers to commands that are still to be sent. Characters that could control the terminal are left out; --json contains them, escaped.",
    )
    .addHelpText('after', examples('outbox', 'outbox --json | jq -r .report | jq .state'))
    .action(({ dir, json }: CommonOptions) => {
      const folder = existingFolder(dir)
      const last = readOutbox(folder)
      if (!last) throw new Refusal('Nothing has been reported from this folder yet.')
      const journal = readJournal(folder)
      const acks = owedAcks(journal)
      const uploads = journal.filter(waitsForUpload).map(({ id, payload }) => ({ id, name: payload?.name }))
      printResult(json, { ...last, acks, uploads }, () => [
        `Sent ${timeText(last.sent)} to ${last.origin} (${Buffer.byteLength(last.report)} bytes):`,
        last.report,
        '',
        last.status === undefined ? `No answer: ${last.failure ?? 'it is being sent'}.` : `Answer (${last.status}):`,
        ...(last.answer === undefined ? [] : [last.answer]),
        ...(last.failure !== undefined && last.status !== undefined
          ? ['', `Not counted as answered: ${last.failure}.`]
          : []),
        '',
        acks.length === 0 ? 'No answers to commands are waiting.' : `Waiting to be sent: ${JSON.stringify(acks)}`,
        ...(uploads.length === 0 ? [] : [`Logs waiting to be sent: ${JSON.stringify(uploads)}`]),
      ])
    })
