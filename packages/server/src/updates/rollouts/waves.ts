/** Splits the agents of a rollout into waves. Pure. */
import { shown, type Verdict } from '@svc/protocol'

const usualWaves = ['1', '10%', '100%']
const maxWaves = 10
const share = /^(?:[1-9]\d{0,2}%|[1-9]\d{0,5})$/

/**
 * Reads the waves as a person typed them. Each wave is the number or share of agents that the rollout has reached with
 * it, including earlier waves. The last wave always reaches all agents.
 */
export function readWaves(given: readonly string[] = usualWaves): Verdict<string[], 'rollout_invalid'> {
  if (given.length > maxWaves) return invalid(`A rollout can have at most ${maxWaves} waves: got ${given.length}.`)
  for (const wave of given) {
    if (!share.test(wave) || (wave.endsWith('%') && Number.parseInt(wave, 10) > 100)) {
      return invalid(`A wave is a number of agents such as 5, or a share such as 10%: got ${shown(wave)}.`)
    }
  }
  const last = given.at(-1)
  return { ok: true, value: last === '100%' ? [...given] : [...given, '100%'] }
}

/** How many of `total` agents are reached after a wave, including earlier waves. */
const reachOf = (wave: string, total: number): number =>
  Math.min(total, wave.endsWith('%') ? Math.ceil((total * Number.parseInt(wave, 10)) / 100) : Number(wave))

/** Groups the agents by wave and drops waves that would add nobody. */
export function inWaves<T>(agents: readonly T[], waves: readonly string[]): { upTo: string; agents: T[] }[] {
  const made: { upTo: string; agents: T[] }[] = []
  let reached = 0
  for (const upTo of waves) {
    const reach = reachOf(upTo, agents.length)
    if (reach <= reached) continue
    made.push({ upTo, agents: agents.slice(reached, reach) })
    reached = reach
  }
  return made
}

const invalid = (message: string) => ({ ok: false, code: 'rollout_invalid', message }) as const
