/**
 * The note about the agent's process, `.svc/journal/process.json`: written before each start and after it, so that the next
 * runtime finds the process whatever was killed when (docs/decisions/kills.md). It is what `svc status` and `svc why` read, too.
 */
import { isObject } from '@svc/protocol'
import { writeDurably } from '../files/durable.ts'
import { type Folder, prepare } from '../files/folder.ts'
import { readJsonObject } from '../files/read.ts'
import type { Alive, Because, Exit, ProcessState } from './moves.ts'

export interface Note {
  readonly state: ProcessState
  /** The mark of the last start: its `SVC_AGENT_STARTED`. */
  readonly started?: string | undefined
  /** A start is under way: the process may be there although the state does not name it. */
  readonly starting?: boolean
  /** The version that the last start was made from. */
  readonly version?: string | undefined
  /** The declared file to which the last start prints; absent where that is our own. */
  readonly output?: string | undefined
}

export function writeNote(folder: Folder, { state, started, starting, version, output }: Note): void {
  prepare(folder)
  writeDurably(
    folder.process,
    JSON.stringify({
      state,
      ...(started !== undefined && { started }),
      ...(starting && { starting }),
      ...(version !== undefined && { version }),
      ...(output !== undefined && { output }),
    }),
    0o600,
  )
}

/** Undefined when nothing was started here yet, or the note cannot be read. */
export function readNote(folder: Folder): Note | undefined {
  const { state, started, starting, version, output } = readJsonObject(folder.process, 65_536) ?? {}
  const known = isObject(state) ? readState(state) : undefined
  return (
    known && {
      state: known,
      ...(typeof started === 'string' && { started }),
      ...(starting === true && { starting }),
      ...(typeof version === 'string' && { version }),
      ...(typeof output === 'string' && { output }),
    }
  )
}

function readState(v: Record<string, unknown>): ProcessState | undefined {
  const exit = isObject(v.exit) ? readExit(v.exit) : undefined
  const ended = exit && { exit }
  if (v.is === 'waiting') return { is: 'waiting', crashes: num(v.crashes), startAt: num(v.startAt), ...ended }
  if (v.is === 'stopped') return { is: 'stopped', because: becauseOf(v.because), ...ended }
  if ((v.is !== 'running' && v.is !== 'stopping') || num(v.pid) <= 0 || typeof v.start !== 'string') return undefined
  const alive: Alive = {
    pid: num(v.pid),
    start: v.start,
    since: num(v.since),
    crashes: num(v.crashes),
    adopted: v.adopted === true,
  }
  if (v.is === 'running') return { is: 'running', ...alive }
  return { is: 'stopping', ...alive, because: becauseOf(v.because), killAt: num(v.killAt), ...ended }
}

const num = (v: unknown): number => (typeof v === 'number' && Number.isFinite(v) ? v : 0)
const becauseOf = (v: unknown): Because => (v === 'paused' || v === 'asked' || v === 'replaced' ? v : 'ended')
const readExit = ({ code, signal, error, at }: Record<string, unknown>): Exit => ({
  at: num(at),
  ...(typeof code === 'number' && { code }),
  ...(typeof signal === 'string' && { signal }),
  ...(typeof error === 'string' && { error }),
})
