/** Checks the invariants I12 to I16 about install codes, and about the agents and tokens that they make. */
import { limits } from '@svc/protocol'
import { duplicates, type Line, lastView, linesOfKind, type NamedInstall } from './lines.ts'

export function installFaults(lines: readonly Line[]): string[] {
  return [
    ...redeemedTwice(lines),
    ...halfRedeemed(lines),
    ...tellApart(lines),
    ...tooMany(lines),
    ...otherThanSeen(lines),
  ]
}

const redeems = (lines: readonly Line[]) => linesOfKind(lines, 'redeem').filter(({ status }) => status === 200)

const redeemedTwice = (lines: readonly Line[]) =>
  duplicates(redeems(lines).map(({ code }) => code)).map((code) => `I12: ${code} was redeemed twice`)

function halfRedeemed(lines: readonly Line[]): string[] {
  const redeemed = new Set(redeems(lines).map(({ code }) => code))
  const spared = deletedNames(lines)
  return (lastView(lines)?.codes ?? []).flatMap(({ code, used, agents, tokens, bindings }) => {
    if (redeemed.has(code) && !used) return [`I13: ${code} was redeemed and is not used`]
    if (used && agents === 0 && tokens === 0 && spared(code)) return []
    const whole = used ? agents === 1 && tokens === bindings : agents === 0 && tokens === 0
    return whole ? [] : [`I13: ${code} is ${used ? 'used' : 'unused'} and has ${agents} agents and ${tokens} tokens`]
  })
}

/**
 * Returns a function that tells whether the agent that a code installed may have been deleted. Deletions are recorded
 * by name, so for each name it returns true at most as often as agents of that name were deleted.
 */
function deletedNames(lines: readonly Line[]): (code: string) => boolean {
  const left = new Map<string, number>()
  for (const { name } of linesOfKind(lines, 'delete')) left.set(name, (left.get(name) ?? 0) + 1)
  const nameOf = new Map(linesOfKind(lines, 'issue').map(({ code, names }) => [code, names.agentName]))
  return (code) => {
    const name = nameOf.get(code) ?? ''
    const more = left.get(name) ?? 0
    left.set(name, more - 1)
    return more > 0
  }
}

/**
 * Durations of refused calls are compared only if there are at least `min` calls of each kind; they may differ by the
 * factor `apart`. A query that only one kind makes would take several times as long.
 */
const timed = { min: 40, apart: 2 } as const

/** Checks that calls with unknown codes and calls with used codes get the same answer after the same time. */
function tellApart(lines: readonly Line[]): string[] {
  const refused = linesOfKind(lines, 'preview', 'redeem').filter(({ status }) => status === 404)
  const bodies = new Set(refused.map(({ body }) => body))
  const issued = new Set(linesOfKind(lines, 'issue').map(({ code }) => code))
  const kinds = [
    ...Map.groupBy(refused, ({ kind, code }) => `${kind} of ${issued.has(code) ? 'a used' : 'an unknown'} code`),
  ]
  const slow = (['preview', 'redeem'] as const).flatMap((call) => {
    const times = kinds.flatMap(([kind, all]) => (kind.startsWith(call) ? [timesOf(all)] : []))
    const [a, b] = times.map(quartile)
    if (times.length < 2 || times.some(({ length }) => length < timed.min) || !a || !b) return []
    return Math.max(a, b) / Math.min(a, b) > timed.apart
      ? [`I14: a ${call} of a code that is not good takes ${a.toFixed(1)} or ${b.toFixed(1)} ms`]
      : []
  })
  return [...(bodies.size > 1 ? [`I14: codes that are not good are answered in ${bodies.size} ways`] : []), ...slow]
}

const timesOf = (calls: readonly { took?: number | undefined }[]): number[] =>
  calls.flatMap(({ took }) => (took === undefined ? [] : [took])).sort((x, y) => x - y)
/**
 * The lower quartile of sorted durations. A busy machine makes some calls much slower, and the quartile ignores these.
 */
const quartile = (times: readonly number[]): number => times[times.length >> 2] ?? 0

function tooMany(lines: readonly Line[]): string[] {
  return linesOfKind(lines, 'view').flatMap(({ agents, bots }) => {
    const names = duplicates(agents.map(({ workspace, name }) => `${name} in ${workspace}`))
    const counts = Map.groupBy(bots, ({ workspace }) => workspace)
    return [
      ...names.map((name) => `I15: there are two agents ${name}`),
      ...[...counts]
        .filter(([, all]) => all.length > limits.botsPerWorkspace)
        .map(([id, all]) => `I15: ${id} has ${all.length} bots`),
    ]
  })
}

function otherThanSeen(lines: readonly Line[]): string[] {
  const issued = new Map(linesOfKind(lines, 'issue').map(({ code, names }) => [code, names]))
  const same = (a: NamedInstall, b: NamedInstall) =>
    a.blueprint === b.blueprint &&
    a.version === b.version &&
    a.agentName === b.agentName &&
    (!a.sha256 || !b.sha256 || a.sha256 === b.sha256)
  return linesOfKind(lines, 'preview', 'redeem').flatMap(({ kind, code, names }) => {
    const wanted = issued.get(code)
    return names && wanted && !same(wanted, names) ? [`I16: the ${kind} of ${code} names something else`] : []
  })
}
