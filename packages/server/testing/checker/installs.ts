/** I12 to I16: install codes, and what they make. */
import { limits } from '@svc/protocol'
import { duplicates, type Line, lastView, type Named, only } from './lines.ts'

export function installFaults(lines: readonly Line[]): string[] {
  return [...redeemedTwice(lines), ...halves(lines), ...tellApart(lines), ...tooMany(lines), ...otherThanSeen(lines)]
}

const redeems = (lines: readonly Line[]) => only(lines, 'redeem').filter(({ status }) => status === 200)

const redeemedTwice = (lines: readonly Line[]) =>
  duplicates(redeems(lines).map(({ code }) => code)).map((code) => `I12: ${code} was redeemed twice`)

function halves(lines: readonly Line[]): string[] {
  const redeemed = new Set(redeems(lines).map(({ code }) => code))
  return (lastView(lines)?.codes ?? []).flatMap(({ code, used, agents, tokens, bindings }) => {
    if (redeemed.has(code) && !used) return [`I13: ${code} was redeemed and is not used`]
    const whole = used ? agents === 1 && tokens === bindings : agents === 0 && tokens === 0
    return whole ? [] : [`I13: ${code} is ${used ? 'used' : 'unused'} and has ${agents} agents and ${tokens} tokens`]
  })
}

/** Unknown, expired and used: one answer. */
function tellApart(lines: readonly Line[]): string[] {
  const bodies = new Set(only(lines, 'preview', 'redeem').flatMap(({ status, body }) => (status === 404 ? [body] : [])))
  return bodies.size > 1 ? [`I14: codes that are not good are answered in ${bodies.size} ways`] : []
}

function tooMany(lines: readonly Line[]): string[] {
  return only(lines, 'view').flatMap(({ agents, bots }) => {
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
  const issued = new Map(only(lines, 'issue').map(({ code, names }) => [code, names]))
  const same = (a: Named, b: Named) =>
    a.blueprint === b.blueprint &&
    a.version === b.version &&
    a.agentName === b.agentName &&
    (!b.sha256 || a.sha256 === b.sha256)
  return only(lines, 'preview', 'redeem').flatMap(({ kind, code, names }) => {
    const wanted = issued.get(code)
    return names && wanted && !same(wanted, names) ? [`I16: the ${kind} of ${code} names something else`] : []
  })
}
