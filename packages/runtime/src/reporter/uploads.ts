/**
 * Sends the logs that were requested (2.8, 3.6), one at a time. An upload that fails for a reason that may pass is
 * tried again with the next report while the service may still accept it (D7).
 */
import type { Manifest } from '@svc/blueprint'
import { limits } from '@svc/protocol'
import { wholeSeconds } from '../machine/base/time.ts'
import { postJson, refusalOf, type SendResult } from '../machine/client/service-client.ts'
import type { ServiceConnection } from '../machine/files/env.ts'
import type { Folder } from '../machine/files/folder.ts'
import { withTurnOnFullDisk } from '../machine/files/lock.ts'
import { noSuchLog, readLogFile } from '../state/logs/read.ts'
import { type CommandEntry, type CommandMemory, changeJournal, knownJournal, withEntry } from './commands/journal.ts'

/** The time limit of an upload in seconds. It is longer than that of a report, since a log can be much larger. */
const uploadSeconds = 60

/** The folder, and the entries of its journal that could not be written to the disk. */
interface UploadContext {
  readonly folder: Folder
  readonly memory: CommandMemory
}

/**
 * Sends the logs that were requested, at most as many as the service accepts in a minute. Stops at an upload that must
 * be tried again later. Requests that are too old are settled without an upload.
 */
export async function uploadLogs(
  { folder, memory }: UploadContext,
  manifest: Manifest,
  connection: ServiceConnection,
  { signal, say }: { signal: AbortSignal; say: (line: string) => void },
): Promise<void> {
  for (const entry of logRequests({ folder, memory }).slice(0, limits.logsPerMinute)) {
    const name = typeof entry.payload?.name === 'string' ? entry.payload.name : ''
    const now = wholeSeconds(Date.now())
    if (now - entry.received > limits.logAnswerSeconds) {
      settle({ folder, memory }, entry, false, 'Too late.')
      continue
    }
    const text = readLogFile(folder, manifest, name) ?? noSuchLog
    const body = JSON.stringify({ command: entry.id, name, text })
    const sent = await postJson(connection, '/api/agent/v1/log', body, { signal, seconds: uploadSeconds })
    const verdict = judgeUpload(sent)
    if (verdict.is === 'again') return say(`log ${JSON.stringify(name)} not sent: ${verdict.why}; tried again later`)
    settle({ folder, memory }, entry, verdict.is === 'taken', verdict.is === 'taken' ? 'Sent.' : verdict.why)
    say(
      verdict.is === 'taken'
        ? `log ${JSON.stringify(name)} sent`
        : `log ${JSON.stringify(name)} not taken: ${verdict.why}`,
    )
  }
}

/** The log commands whose logs were not sent yet. There are none while the journal is unusable, as each report says. */
function logRequests({ folder, memory }: UploadContext): readonly CommandEntry[] {
  try {
    return knownJournal(folder, memory).filter(waitsForUpload)
  } catch {
    return []
  }
}

/** True for a log command whose log was not sent yet. */
export const waitsForUpload = (e: CommandEntry): boolean => e.type === 'log' && e.answered === undefined

type UploadVerdict = { readonly is: 'taken' } | { readonly is: 'refused' | 'again'; readonly why: string }

/** Judges the answer to an upload. `again` means that another try may succeed. */
function judgeUpload(sent: SendResult): UploadVerdict {
  if (sent.is === 'lost') return { is: 'again', why: sent.why }
  const { status, body } = sent
  if (status >= 200 && status < 300) return { is: 'taken' }
  const final = status === 400 || status === 404 || status === 413
  return { is: final ? 'refused' : 'again', why: refusalOf(status, body).message }
}

/** Marks the log command as answered. It gets no ack, since the upload is its answer (3.2). */
function settle(
  { folder, memory }: UploadContext,
  { payload: _, ...entry }: CommandEntry,
  ok: boolean,
  message: string,
): void {
  const settled = { ...entry, answered: wholeSeconds(Date.now()), ok, message }
  withTurnOnFullDisk(folder, 'svc report', () =>
    changeJournal(folder, memory, (journal) => withEntry(journal, settled)),
  )
}
