/** Checks the invariants I1 to I6 about the life of commands, and that no command is lost. */
import { commandDeadline } from '@svc/protocol'
import { deletedIn, duplicates, type Line, lastView, linesOfKind } from './lines.ts'

export const commandFaults = (lines: readonly Line[]): string[] => [
  ...lostCommands(lines),
  ...handedOutTwice(lines),
  ...queuedAgain(lines),
  ...notClaimed(lines),
  ...appliedTwice(lines),
  ...shownWrongly(lines),
  ...tooLate(lines),
]

/** Finds commands that the service confirmed as stored but that are missing in the store at the end. */
function lostCommands(lines: readonly Line[]): string[] {
  const view = lastView(lines)
  if (!view) return []
  const stored = new Set(view.commands.map(({ id }) => id))
  const deleted = deletedIn(lines)
  const gone = linesOfKind(lines, 'press').filter(({ command, agent }) => !stored.has(command) && !deleted.has(agent))
  return gone.map(({ command }) => `lost: ${command} was pressed, and the store does not know it`)
}

const handedOutTwice = (lines: readonly Line[]) =>
  duplicates(linesOfKind(lines, 'answer').flatMap(({ commands }) => commands)).map(
    (id) => `I1: ${id} is in two answers`,
  )

const left = ['delivered', 'expired', 'failed', 'applied', 'refused', 'applied_late', 'refused_late']

function queuedAgain(lines: readonly Line[]): string[] {
  const gone = new Map<string, string>()
  return linesOfKind(lines, 'view').flatMap(({ commands }) =>
    commands.flatMap(({ id, state }) => {
      const before = gone.get(id)
      if (left.includes(state)) gone.set(id, state)
      return before && state === 'queued' ? [`I2: ${id} went from ${before} to queued`] : []
    }),
  )
}

/**
 * Finds commands that an agent received in an answer but that are not stored as delivered. A crash must not cause this
 * either.
 */
function notClaimed(lines: readonly Line[]): string[] {
  const stored = new Map(lastView(lines)?.commands.map((command) => [command.id, command]))
  const deleted = deletedIn(lines)
  const owners = new Map(linesOfKind(lines, 'send').map(({ report, agent }) => [report, agent]))
  return linesOfKind(lines, 'answer')
    .flatMap(({ report, commands }) => (deleted.has(owners.get(report) ?? '') ? [] : commands))
    .filter((id) => (stored.get(id)?.deliveredAt ?? null) === null)
    .map((id) => `I3: ${id} was handed out, and the store does not know that`)
}

const appliedTwice = (lines: readonly Line[]) =>
  duplicates(linesOfKind(lines, 'apply').map(({ agent, command }) => `${command} by ${agent}`)).map(
    (what) => `I4: ${what} twice`,
  )

/** All acks that agents sent, and of these the acks in reports that the service answered with 200. */
function acksOf(lines: readonly Line[]) {
  const good = new Set(linesOfKind(lines, 'answer').flatMap(({ report, status }) => (status === 200 ? [report] : [])))
  const sent = linesOfKind(lines, 'send').flatMap(({ agent, report, acks }) =>
    acks.map((ack) => ({ ...ack, agent, confirmed: good.has(report) })),
  )
  return { sent, confirmed: sent.filter(({ confirmed }) => confirmed) }
}

function shownWrongly(lines: readonly Line[]): string[] {
  const { sent, confirmed } = acksOf(lines)
  return (lastView(lines)?.commands ?? []).flatMap(({ id, agent, state, deliveredAt }) => {
    const mine = sent.filter((ack) => ack.id === id && ack.agent === agent)
    const said = /^(applied|refused)/.exec(state)?.[0]
    if (said && !mine.some(({ ok }) => ok === (said === 'applied')))
      return [`I5: ${id} is ${state}, and its agent never said so`]
    const heard = confirmed.some((ack) => ack.id === id && ack.agent === agent)
    return heard && !said && deliveredAt !== null ? [`I5: ${id} was answered and is shown ${state}`] : []
  })
}

function tooLate(lines: readonly Line[]): string[] {
  const owners = new Map(linesOfKind(lines, 'send').map(({ report, agent }) => [report, agent]))
  const commands = lastView(lines)?.commands ?? []
  const agentOf = new Map(commands.map(({ id, agent }) => [id, agent]))
  const late = commands.filter(
    ({ createdAt, deliveredAt }) => deliveredAt !== null && deliveredAt >= commandDeadline(createdAt),
  )
  const strays = linesOfKind(lines, 'answer').flatMap(({ report, commands: ids }) =>
    ids.filter((id) => owners.has(report) && agentOf.has(id) && agentOf.get(id) !== owners.get(report)),
  )
  return [
    ...late.map(({ id }) => `I6: ${id} was delivered after its time`),
    ...strays.map((id) => `I6: ${id} went to another agent than its own`),
  ]
}
