/**
 * The files of Codex: its rollouts in `sessions`, and the locks of its threads in `thread-writer-locks`. svc only reads
 * them.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { fileNamesIn } from '../../machine/files/durable.ts'
import { codexSessions, type RolloutFile } from './codex.ts'
import { createTreeReader } from './folded.ts'
import { hasOtherDevice, type LockFile, type Machine } from './machine.ts'
import { emptyRollout, type Rollout, withRolloutLine, withSkippedLines } from './rollout.ts'
import { type ToolReader, withUnknown } from './session.ts'

/** The bytes at the end of a rollout that are read at first: few, since its records repeat the totals of the thread. */
const tailBytes = 1024 * 1024
const needed = [
  '"session_meta"',
  '"token_usage_record"',
  '"task_',
  '"turn_context"',
  'require_escalated',
  '_call_output"',
  '"token_count"',
]

/** Reads the sessions of Codex in this folder, usually `~/.codex`. */
export function codexReader(folder: string, machine: Machine): ToolReader {
  const read = createTreeReader<Rollout>(
    {
      root: join(folder, 'sessions'),
      // YEAR / MONTH / DAY
      enters: (parts) => parts.length < 4 && /^\d{2,4}$/.test(parts.at(-1) ?? ''),
      takes: (name) => idIn(name) !== undefined,
    },
    {
      ...{ empty: emptyRollout, fold: withRolloutLine, skip: withSkippedLines, tail: tailBytes },
      odd: (before) => withUnknown(before, '"no JSON"'),
      needs: (line) => needed.some((mark) => line.includes(mark)),
    },
  )
  return (look) => {
    const { locks, faults: closed } = locksIn(join(folder, 'thread-writer-locks'))
    const { files, faults, remarks } = read(look, (name) => locks.has(idIn(name) ?? ''))
    const all = [...closed, ...faults]
    if (files.length === 0 && all.length === 0) return undefined
    const holders = machine.lockHolders()
    const known = files.map(({ parts, result: rollout, hasGaps, isNew, changed }): RolloutFile => {
      const lock = locks.get(idIn(parts.at(-1) ?? '') ?? '')
      // It is not known who holds a lock that cannot be read.
      const isHolderKnown = holders !== undefined && closed.length === 0
      const holder = (lock && holders?.(lock)) || 'none'
      return { rollout, hasGaps, isNew, changed, holder: isHolderKnown ? holder : 'unknown' }
    })
    return { ...codexSessions(known, all, Math.floor(look.now / 1000)), remarks }
  }
}

/** The id of the thread in the name of a rollout, `rollout-TIME-ID.jsonl`. */
const idIn = (name: string): string | undefined =>
  /^rollout-.*([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.jsonl$/.exec(name)?.[1]

/** The files of the locks, by the id of their thread. */
function locksIn(folder: string): {
  readonly locks: ReadonlyMap<string, LockFile>
  readonly faults: readonly string[]
} {
  try {
    const other = hasOtherDevice(folder)
    const files = fileNamesIn(folder).flatMap((name): [string, LockFile][] => {
      const stat = name.endsWith('.lock') ? statSync(join(folder, name), { throwIfNoEntry: false }) : undefined
      return stat ? [[name.slice(0, -'.lock'.length), { dev: stat.dev, ino: stat.ino, hasOtherDevice: other }]] : []
    })
    return { locks: new Map(files), faults: [] }
  } catch {
    return { locks: new Map(), faults: ['its locks cannot be read'] }
  }
}
