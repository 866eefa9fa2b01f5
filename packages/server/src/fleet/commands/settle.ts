/** Decides what a report changes in its agent's commands, in the order of D1: acks, timeouts, claims. Pure. */
import {
  type Ack,
  answeringAck,
  type Command,
  type CommandEvent,
  commandDeadline,
  isAhead,
  limits,
  moveCommand,
  type OfferedFacts,
  offerOf,
  type Report,
  whyNotOffered,
} from '@svc/protocol'
import type { MonotonicAge } from './deliveries.ts'
import type { CommandChange, StoredCommand } from './row.ts'
import { commandBodyOf } from './row.ts'

interface SettledCommands {
  changes: CommandChange[]
  claimed: Command[]
}

const nothing: SettledCommands = { changes: [], claimed: [] }

/**
 * Applies the acks of the report, then times out commands, then claims queued commands for the answer to the report
 * (D1).
 */
export function settleAndClaim(
  commands: readonly StoredCommand[],
  report: Report,
  now: number,
  given: { claims: boolean; logs: ReadonlySet<string>; age: MonotonicAge },
): SettledCommands {
  if (commands.length === 0) return nothing
  const acked = settleAcks(commands, report.acks ?? [], now)
  const timedOut = acked.map((c) => afterTimeout(c, now, given.age) ?? c)
  let room = given.claims ? limits.commandsPerAnswer : 0
  const claimed: StoredCommand[] = []
  let known: OfferedFacts | undefined
  /**
   * Returns what the report offers. It is computed only when needed and at most once, since it includes the log names
   * of up to 2,000 runs.
   */
  const offer = () => (known ??= offerOf(report, given.logs))
  const after = timedOut.map((c) => {
    if (c.state !== 'queued' || room === 0) return c
    const why = noLongerOffered(c, report, offer)
    if (why !== undefined)
      return commandAfterEvent(c, 'misfit', { failed_at: now, message: `No longer offered: ${why}` })
    room--
    claimed.push(c)
    return commandAfterEvent(c, 'claimed', { delivered_at: now, due_at: commandDeadline(now) })
  })
  return {
    changes: after.filter((c, i) => c !== commands[i]),
    claimed: claimed.map((c) => ({ id: c.id, ...commandBodyOf(c) })),
  }
}

/**
 * Returns the commands with the acks of a report applied. The first ack of a command counts, even a late one (D3). Acks
 * of queued commands or of another agent's commands are ignored.
 */
export function settleAcks(commands: readonly StoredCommand[], acks: readonly Ack[], now: number): StoredCommand[] {
  return commands.map((c) => {
    const ack = c.delivered_at === null ? undefined : answeringAck(c, acks)
    return ack
      ? commandAfterEvent(c, ack.ok ? 'ackedOk' : 'ackedNo', { answered_at: now, message: ack.message ?? null })
      : c
  })
}

/**
 * Times out a command (D2, D20); undefined if it is not overdue. If this process delivered the command, the monotonic
 * clock must agree that the time is over; otherwise the timeout is moved to a later time.
 */
export function afterTimeout(c: StoredCommand, now: number, age: MonotonicAge): StoredCommand | undefined {
  if (c.due_at === null || isAhead(c.due_at, now, limits.commandSeconds * 1000)) return undefined
  if (c.state === 'delivered') {
    const left = limits.commandSeconds * 1000 - (age(c.id) ?? Infinity)
    if (left > 0) return { ...c, due_at: now + Math.ceil(left) }
  }
  const timedOut = commandAfterEvent(c, 'timedOut', { failed_at: now })
  return timedOut === c ? { ...c, due_at: null } : timedOut
}

/**
 * The reason why the agent no longer offers the command (D6); undefined if the agent still offers it. If the report
 * leaves out the part that decides this, the check that was made when the command was sent still counts.
 */
function noLongerOffered(c: StoredCommand, report: Report, offer: () => OfferedFacts): string | undefined {
  const carried =
    c.type === 'set' ? report.settings?.schema : c.type === 'log' ? (report.runs ?? report.active) : report.controls
  return carried === undefined ? undefined : whyNotOffered(commandBodyOf(c), offer())
}

/** Returns the command as it is after an event, or the same object if the event changes nothing in its state (I2). */
export function commandAfterEvent(c: StoredCommand, event: CommandEvent, facts: Partial<CommandChange>): StoredCommand {
  const state = moveCommand(c.state, event)
  return state === undefined ? c : { ...c, due_at: null, ...facts, state }
}
