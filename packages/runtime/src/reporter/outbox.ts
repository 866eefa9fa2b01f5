/**
 * Keeps the last report exactly as it was sent, and its answer, for the person at the machine (`svc outbox`). The token
 * is in neither of them; if an answer repeats the token, it is masked.
 */
import { cut } from '@svc/protocol'
import { number, object } from '@svc/protocol/fields'
import { createFolders, type Folder } from '../machine/files/folder.ts'
import { anyText, describeNote, type NoteValue } from '../machine/files/note.ts'

const outbox = object(
  {
    origin: anyText,
    /** When the report was sent, in Unix seconds. */
    sent: number(),
    /** The body of the report, byte for byte. */
    report: anyText,
    /** The HTTP status of the answer; absent if there was no answer. */
    status: number(),
    answer: anyText,
    /** Why the report does not count as answered (D17). */
    failure: anyText,
    /** When the last successful report was sent, in Unix seconds; absent if there was none. */
    reached: number(),
  },
  'origin',
  'sent',
  'report',
)
export type Outbox = NoteValue<typeof outbox>

const file = describeNote('outbox', outbox, 16 * 1024 * 1024, { isLight: true })

const longestAnswer = 64 * 1024

export function writeOutbox(folder: Folder, outbox: Outbox, token: string): void {
  createFolders(folder)
  const answer =
    outbox.answer === undefined ? undefined : cut(outbox.answer.replaceAll(token, '[masked]'), longestAnswer)
  file.write(folder, { ...outbox, ...(answer !== undefined && { answer }) })
}

export const readOutbox = (folder: Folder): Outbox | undefined => file.read(folder)
