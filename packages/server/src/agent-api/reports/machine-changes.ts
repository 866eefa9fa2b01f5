/**
 * Finds changes that were made on the agent's machine and not by a command of the service: it compares a report with
 * the one before and with the commands that the agent was given.
 */
import { createHash } from 'node:crypto'
import { type CommandBody, cut, isVersion, limits, pausedLabel, type Report, type SettingValue } from '@svc/protocol'
import type { AgentVersions, MachineChange } from '../report-store/rows.ts'

/** A command that was delivered to the agent. `accepted` is true if an ack in the compared report says it was done. */
export interface GivenCommand {
  command: CommandBody
  accepted: boolean
}

/**
 * The facts of a report that are compared with those of the next one. A part that a report leaves out counts as
 * unchanged.
 */
interface Facts {
  paused?: boolean
  settings?: Record<string, SettingValue>
  version?: string
  /** The effects of commands that the agent accepted and that no report has shown yet. */
  awaited?: ExpectedEffect[]
}
interface ExpectedEffect {
  kind: 'pause' | 'setting'
  key: string | null
  /** The expected value; null for a cleared setting, which may then have any value. */
  after: SettingValue
  /**
   * The Unix milliseconds until which reports are expected to show the effect of the command. A change after that
   * counts as made on the machine.
   */
  until: number
}

interface Comparison {
  /** The facts of the report as JSON, to pass to the next comparison. */
  facts: string
  changes: MachineChange[]
}

/**
 * Compares a report with the facts of the one before (`before`, null for none). `given` are the commands that the agent
 * may have carried out before it wrote the report, oldest first. `wishedVersion` is the version that an admin wants.
 */
export function machineChanges(
  before: string | null,
  report: Report,
  given: readonly GivenCommand[],
  now: number,
  wishedVersion?: string,
): Comparison {
  const old: Facts = before === null ? {} : (JSON.parse(before) as Facts)
  const next = factsOf(report, old)
  const expected = [
    ...(old.awaited ?? []).filter(({ until }) => until > now),
    ...given.flatMap(({ command }) => expectedOf(command, now)),
  ]
  const changes = before === null ? [] : differences(old, next).filter((c) => !isWished(c, expected, wishedVersion))
  const accepted = given.filter((g) => g.accepted).flatMap(({ command }) => expectedOf(command, now))
  const awaited = lastOfEach([...(old.awaited ?? []).filter(({ until }) => until > now), ...accepted]).filter(
    (e) => !isShown(e, old, next),
  )
  return { facts: JSON.stringify(awaited.length > 0 ? { ...next, awaited } : next), changes }
}

/**
 * True if the report states exactly the facts that are stored. This is checked first, because it needs no parsing.
 * False for a report that leaves out a part, even if nothing has changed.
 */
export const saysTheSame = (before: string | null, report: Report): boolean =>
  before !== null && before === JSON.stringify(factsOf(report, {}))

/** True for a report of an agent that is paused (2.11). */
export const isPaused = ({ state }: Report): boolean => state?.label === pausedLabel

/** True if the facts are those of a paused agent. Their JSON begins with the pause, so it need not be parsed. */
export const werePaused = (facts: string | null): boolean => facts?.startsWith('{"paused":true') ?? false

function factsOf(report: Report, old: Facts): Facts {
  const paused = report.state === undefined ? old.paused : isPaused(report)
  const settings = report.settings?.values === undefined ? old.settings : briefly(report.settings.values)
  const version = report.applied?.version ?? report.agent?.version ?? old.version
  const facts: Facts = {}
  if (paused !== undefined) facts.paused = paused
  if (settings !== undefined) facts.settings = settings
  if (version !== undefined) facts.version = version
  return facts
}

function differences(old: Facts, next: Facts): MachineChange[] {
  const found: MachineChange[] = []
  if (old.paused !== undefined && next.paused !== undefined && old.paused !== next.paused) {
    found.push({ kind: 'pause', key: null, before: old.paused, after: next.paused })
  }
  if (old.settings && next.settings) found.push(...settingDifferences(old.settings, next.settings))
  if (old.version !== undefined && next.version !== undefined && old.version !== next.version) {
    found.push({ kind: 'version', key: null, before: old.version, after: next.version })
  }
  return found
}

/** The settings whose value changed. A setting that only one of the reports contains does not count. */
const settingDifferences = (old: Record<string, SettingValue>, next: Record<string, SettingValue>): MachineChange[] =>
  Object.keys(next)
    .filter((key) => Object.hasOwn(old, key) && old[key] !== next[key])
    .map((key) => ({ kind: 'setting', key, before: old[key] ?? null, after: next[key] ?? null }))

function isWished(
  change: MachineChange,
  expected: readonly ExpectedEffect[],
  wishedVersion: string | undefined,
): boolean {
  if (change.kind === 'version') return change.after === wishedVersion
  return expected.some((e) => fits(e, change))
}

const fits = (e: ExpectedEffect, { kind, key, after }: MachineChange): boolean =>
  e.kind === kind && e.key === key && (e.after === after || (kind === 'setting' && e.after === null))

/** True if `next` has the expected value, or, if a setting was cleared, another value than `old`. */
function isShown(e: ExpectedEffect, old: Facts, next: Facts): boolean {
  const [was, is] = e.kind === 'pause' ? [old.paused, next.paused] : [settingOf(old, e.key), settingOf(next, e.key)]
  return is === e.after || (e.after === null && is !== was)
}

const settingOf = ({ settings }: Facts, key: string | null): SettingValue | undefined =>
  settings && key !== null && Object.hasOwn(settings, key) ? settings[key] : undefined

function expectedOf(command: CommandBody, now: number): ExpectedEffect[] {
  const until = now + limits.commandSeconds * 1000
  if (command.type === 'pause' || command.type === 'resume') {
    return [{ kind: 'pause', key: null, after: command.type === 'pause', until }]
  }
  if (command.type !== 'set') return []
  return Object.entries(command.payload).map(([key, value]) => ({
    kind: 'setting',
    key,
    after: shortValue(value),
    until,
  }))
}

/** Keeps only the last of several expected effects on the same setting or on the pause. */
function lastOfEach(all: readonly ExpectedEffect[]): ExpectedEffect[] {
  return [...new Map(all.map((e) => [`${e.kind} ${e.key ?? ''}`, e])).values()]
}

const maxValueLength = 200

const isLong = (value: SettingValue): value is string => typeof value === 'string' && value.length > maxValueLength

/** A value as it is kept for comparing and showing: a long text becomes its beginning and its checksum. */
function shortValue(value: SettingValue): SettingValue {
  if (!isLong(value)) return value
  return `${cut(value, maxValueLength - 20)}… #${createHash('sha256').update(value).digest('hex').slice(0, 12)}`
}

function briefly(values: Record<string, SettingValue>): Record<string, SettingValue> {
  if (!Object.values(values).some(isLong)) return values
  const kept: Record<string, SettingValue> = Object.create(null)
  for (const key of Object.keys(values)) kept[key] = shortValue(values[key] ?? null)
  return kept
}

/**
 * The new columns if an agent with a blueprint reports another valid version than before: that version, and the one
 * before it, which its machine keeps (2.5). Otherwise undefined.
 */
export function versionsAfter(
  versions: AgentVersions,
  report: Report,
): { reported: string; previous: string | null } | undefined {
  const version = report.applied?.version ?? report.agent?.version
  if (versions.blueprint === null || version === undefined || !isVersion(version)) return undefined
  if (version === versions.reported) return undefined
  const before = versions.reported ?? versions.installed
  return { reported: version, previous: before === version ? versions.previous : before }
}
