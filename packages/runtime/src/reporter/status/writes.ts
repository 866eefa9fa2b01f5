/**
 * Stores what the reporter has learned about the agent's writes of its status file, so that a restart of the runtime
 * does not lose it (D65).
 */
import { boolean, type Field, field, list, number, object } from '@svc/protocol/fields'
import { createFolders, type Folder } from '../../machine/files/folder.ts'
import { anyText, describeNote, withDefaults } from '../../machine/files/note.ts'
import { type FileCheck, recordCheck, type WriteFacts } from './age.ts'

type Gap = WriteFacts['longest'][number]
const isGap = (v: unknown): v is Gap => Array.isArray(v) && v.length === 2 && v.every(Number.isFinite)
const gap: Field<Gap> = field((v) => (isGap(v) ? v : undefined), {
  type: 'array',
  items: { type: 'number' },
  minItems: 2,
  maxItems: 2,
})

const writes = withDefaults(
  object(
    {
      ...{ mtime: number(), at: number(), looked: number(), since: number(), broken: boolean },
      ...{ started: anyText, last: number(), longest: list(gap, 100) },
    },
    'mtime',
    'at',
    'looked',
  ),
  { longest: [] },
)
const file = describeNote('statusWrites', writes, 16_384, { isLight: true, mode: 0o644 })

/** Reads what was stored about the writes of the status file; undefined if nothing readable was stored. */
export const readWrites = (folder: Folder): WriteFacts | undefined => file.read(folder)

/**
 * True if it is time to save what was learned: after a minute if the agent has written its status file since, and after
 * five minutes if it has not. It is also time if nothing was saved yet or the clock was set back.
 */
function worthSaving(saved: WriteFacts | undefined, now: WriteFacts): boolean {
  if (!saved) return true
  const since = now.looked - saved.looked
  return since < 0 || since >= 300_000 || (now.mtime !== saved.mtime && since >= 60_000)
}

/** The watch over the writes of the status file while a reporter runs. It saves what it learns. */
export interface StatusWrites {
  readonly see: (what: Omit<FileCheck, 'now' | 'passed'>) => WriteFacts
  readonly last: () => WriteFacts | undefined
}

export function watchWrites(folder: Folder): StatusWrites {
  let saved = readWrites(folder)
  let last = saved
  let mono: number | undefined
  return {
    see: (what) => {
      const before = mono
      mono = performance.now()
      last = recordCheck(last, { ...what, now: Date.now(), passed: before === undefined ? undefined : mono - before })
      if (worthSaving(saved, last)) saved = trySaving(folder, last)
      return last
    },
    last: () => last,
  }
}

/** Saves what was learned, and ignores a failure. */
function trySaving(folder: Folder, writes: WriteFacts): WriteFacts {
  try {
    saveWrites(folder, writes)
  } catch {}
  return writes
}

/** Saves what was learned without syncing. A power failure may lose it, and then it is learned again. */
function saveWrites(folder: Folder, writes: WriteFacts): void {
  createFolders(folder)
  file.write(folder, writes)
}
