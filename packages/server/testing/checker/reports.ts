/** Checks the invariants I7 to I10 about reports, and that no report that the service confirmed is lost. */
import { limits } from '@svc/protocol'
import { type Line, lastView, linesOfKind, type Of, type Run } from './lines.ts'

/** The milliseconds after the end of a database outage in which answers may still say that the database is down. */
const slack = 5_000

export function reportFaults(lines: readonly Line[]): string[] {
  const sent = new Map(linesOfKind(lines, 'send').map((line) => [line.report, line]))
  return [
    ...afterVoid(lines, sent),
    ...afterDeletion(lines, sent),
    ...runFaults(lines, sent),
    ...mixedReports(lines, sent),
    ...statusFaults(lines),
  ]
}

type Sent = ReadonlyMap<string, Of<'send'>>
const isBefore = (a: Run, b: Run) => a.place < b.place

/**
 * Finds reports that the service accepted or stored although they were sent after it had confirmed the end of their
 * token.
 */
function afterVoid(lines: readonly Line[], sent: Sent): string[] {
  const ended = new Map(linesOfKind(lines, 'void').map(({ token, at }) => [token, at]))
  const late = [...sent.values()].filter(({ token, at }) => at > (ended.get(token) ?? Infinity))
  const good = new Set(linesOfKind(lines, 'answer').flatMap(({ report, status }) => (status === 200 ? [report] : [])))
  const stored = new Set(lastView(lines)?.agents.flatMap(({ runs }) => runs.map(({ id }) => id)))
  return late
    .filter(({ report, run }) => good.has(report) || stored.has(run.id))
    .map(({ report }) => `I7: report ${report} was taken with a token that was void`)
}

/**
 * Finds reports that the service accepted although they were sent after it had confirmed the deletion of their agent,
 * and data of deleted agents that is still stored (D56).
 */
function afterDeletion(lines: readonly Line[], sent: Sent): string[] {
  const deleted = linesOfKind(lines, 'delete')
  const over = new Map(deleted.map(({ agent, done }) => [agent, done]))
  const taken = linesOfKind(lines, 'answer').flatMap(({ report, status }) => {
    const line = sent.get(report)
    if (status !== 200 || !line || line.at <= (over.get(line.agent) ?? Infinity)) return []
    return [`I7: report ${report} was taken of an agent that was deleted`]
  })
  const left = linesOfKind(lines, 'view').flatMap(({ at, agents, commands }) => {
    const gone = new Set(deleted.flatMap(({ agent, done }) => (done < at ? [agent] : [])))
    return [
      ...agents.filter(({ id }) => gone.has(id)).map(({ id }) => `I7: ${id} was deleted and is there`),
      ...commands.filter(({ agent }) => gone.has(agent)).map(({ id }) => `I7: ${id} is of an agent that was deleted`),
    ]
  })
  return [...taken, ...left]
}

/**
 * Finds agents with more than 2000 stored runs, and runs of confirmed reports that are missing although the agent's
 * store has room for them, or has older runs (I8).
 */
function runFaults(lines: readonly Line[], sent: Sent): string[] {
  const view = lastView(lines)
  const many = linesOfKind(lines, 'view').flatMap(({ agents }) =>
    agents
      .filter(({ runs }) => runs.length > limits.runsKept)
      .map(({ id, runs }) => `I8: ${id} has ${runs.length} runs`),
  )
  const agents = new Map(view?.agents.map((agent) => [agent.id, agent]))
  const stored = new Map(view?.agents.map(({ id, runs }) => [id, new Set(runs.map((run) => run.id))]))
  const missing = linesOfKind(lines, 'answer').flatMap(({ report, status }) => {
    const line = sent.get(report)
    const agent = line && agents.get(line.agent)
    if (status !== 200 || !agent || stored.get(agent.id)?.has(line.run.id)) return []
    if (agent.runs.length < limits.runsKept) return [`lost: report ${report} was confirmed, and its run is not stored`]
    const newer = agent.runs.every((run) => !isBefore(run, line.run))
    return newer ? [] : [`I8: the run of ${report} was trimmed, and an older one is kept`]
  })
  return [...many, ...missing]
}

/**
 * Checks that all parts of the report that the service shows come from the same report. At the end of a run it also
 * checks that no confirmed report of the agent was sent after the shown report had been answered.
 */
function mixedReports(lines: readonly Line[], sent: Sent): string[] {
  const answered = new Map(
    linesOfKind(lines, 'answer').flatMap((line) => (line.status === 200 ? [[line.report, line.at] as const] : [])),
  )
  return linesOfKind(lines, 'view').flatMap(({ at, agents }) =>
    agents.flatMap(({ id, shown }) => {
      const [first] = shown
      if (first === undefined) return []
      const line = sent.get(first)
      if (!line || line.agent !== id || shown.some((part) => part !== first))
        return [`I9: ${id} shows a mix: ${shown.join(', ')}`]
      if (at !== lastView(lines)?.at) return []
      const newer = [...sent.values()].find((s) => {
        const confirmed = answered.get(s.report)
        const over = answered.get(first)
        return s.agent === id && confirmed !== undefined && over !== undefined && over < s.at
      })
      return newer ? [`I9: ${id} shows ${first}, and ${newer.report} was sent and confirmed after it`] : []
    }),
  )
}

function statusFaults(lines: readonly Line[]): string[] {
  const outages = linesOfKind(lines, 'outage')
  return linesOfKind(lines, 'answer', 'preview', 'redeem').flatMap((line) => {
    const what = line.kind === 'answer' ? `report ${line.report}` : `the ${line.kind} of ${line.code}`
    if (line.status >= 500) {
      if (line.kind === 'answer' && !line.retryAfter) return [`I10: ${what} got ${line.status} without Retry-After`]
      if (line.kind === 'answer' && line.commands.length > 0) return [`I10: ${what} got ${line.status} with commands`]
      const down = outages.some(({ at, until }) => at <= line.at && line.at <= until + slack)
      return down ? [] : [`I10: ${what} got ${line.status} while the database was well`]
    }
    return line.status >= 200 && (line.status < 300 || line.status >= 400) ? [] : [`I10: ${what} got ${line.status}`]
  })
}
