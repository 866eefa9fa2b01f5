/** Checks that answers carry only wishes that they may carry: the invariant I11 and the sections 2.7 and 3.4. */
import { type Line, linesOfKind, type Of } from './lines.ts'

type Sent = Of<'send'>
type Answer = Of<'answer'>
/** A report that the service accepted, with its answer. */
type Pair = readonly [send: Sent, answer: Answer]

export function wishFaults(lines: readonly Line[]): string[] {
  const sent = new Map(linesOfKind(lines, 'send').map((line) => [line.report, line]))
  const pairs = linesOfKind(lines, 'answer').flatMap((answer): Pair[] => {
    const send = sent.get(answer.report)
    return send && answer.status === 200 ? [[send, answer]] : []
  })
  return [...notWished(lines, pairs), ...notServed(lines, pairs), ...unaskedReleases(pairs), ...wishedOn(lines, pairs)]
}

/**
 * Each of the given lines replaces the line before it. Returns the lines that may have been in force at some time
 * between sending the report and receiving its answer.
 */
function inForce<T extends { at: number; done: number }>(all: readonly T[], [send, answer]: Pair): T[] {
  return all.filter((one, i) => {
    const replaced = Math.min(...all.slice(i + 1).map(({ done }) => done))
    return one.at <= answer.at && replaced >= send.at
  })
}

const wishesOf = <K extends 'blueprint' | 'runtime'>(lines: readonly Line[], of: K, agent: string) =>
  linesOfKind(lines, 'wish').filter(
    (wish): wish is Extract<Of<'wish'>, { of: K }> => wish.of === of && wish.agent === agent,
  )

/**
 * Finds answers that carry a wish which was not stored at any time between sending the report and receiving the answer
 * (I11).
 */
function notWished(lines: readonly Line[], pairs: readonly Pair[]): string[] {
  return pairs.flatMap((pair) => {
    const [{ agent, report }, { desired, runtime }] = pair
    const faults: string[] = []
    const versions = () => inForce(wishesOf(lines, 'blueprint', agent), pair).map(({ version }) => version)
    if (desired !== undefined && !versions().includes(desired))
      faults.push(`I11: report ${report} was answered with desired ${desired}, which nobody wished then`)
    const presses = () => inForce(wishesOf(lines, 'runtime', agent), pair).map(({ version }) => version)
    if (runtime !== undefined && !presses().some((version) => version === undefined || version === runtime))
      faults.push(`I11: report ${report} was answered with the runtime ${runtime}, which nobody wished then`)
    return faults
  })
}

/**
 * Finds answers that name a release which the service did not serve at that time, and answers that wish another runtime
 * than the release that they name as served (I11, D37).
 */
function notServed(lines: readonly Line[], pairs: readonly Pair[]): string[] {
  const all = linesOfKind(lines, 'serve')
  return pairs.flatMap((pair) => {
    const [{ report }, { served, runtime }] = pair
    if (served === undefined) return []
    const possible = inForce(all, pair).map(({ version }) => version)
    return [
      ...(possible.includes(served) ? [] : [`I11: report ${report} was told of ${served}, which was not served then`]),
      ...(runtime !== undefined && runtime !== served
        ? [`I11: report ${report} was answered with the runtime ${runtime} while ${served} was served`]
        : []),
    ]
  })
}

/**
 * Finds answers that name a served release although the report had no field `runtime`, or that wish a runtime without
 * naming the served release (2.7).
 */
const unaskedReleases = (pairs: readonly Pair[]): string[] =>
  pairs.flatMap(([{ report, runtime: says }, { served, runtime }]) =>
    (says === undefined && served !== undefined) || (served === undefined && runtime !== undefined)
      ? [`2.7: report ${report} was told of a runtime that it must not be told of`]
      : [],
  )

/**
 * Finds answers that carry a runtime wish which should have ended. A wish ends with the first confirmed report of its
 * outcome; an answer may carry it again only after somebody has requested it again (3.4).
 */
function wishedOn(lines: readonly Line[], pairs: readonly Pair[]): string[] {
  const ends = pairs.filter(([{ runtime }]) => runtime?.ends !== undefined)
  return pairs.flatMap(([send, { runtime }]) => {
    if (runtime === undefined) return []
    const end = ends.findLast(
      ([before, answer]) => before.agent === send.agent && answer.at < send.at && endsWish(before, runtime),
    )
    const since = end?.[0].at ?? 0
    if (!end || wishesOf(lines, 'runtime', send.agent).some(({ done, version }) => version !== null && done >= since))
      return []
    return [`3.4: report ${send.report} was answered with a wish that ${end[0].report} had ended`]
  })
}

/**
 * True if the outcome in a report ends a runtime wish for this version. The outcome `ok` ends only a wish for the
 * version that runs; a failure or a rollback ends any wish.
 */
const endsWish = ({ runtime }: Sent, version: string): boolean => runtime?.ends !== 'ok' || runtime.version === version
