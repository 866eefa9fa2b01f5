/**
 * Finds the time zone of this machine as the C library does, which `date` and cron use: by the variable TZ or, if that
 * is not set, by /etc/localtime. Node knows fewer zones, and takes some values of TZ for a wrong zone.
 */
import { createHash } from 'node:crypto'
import { realpathSync, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { readFile } from '../../machine/files/read.ts'
import { isZone, nameZone, offsetAt } from './zone.ts'
import { changeAfter, readPosix, readZoneFile, type ZoneOffset } from './zone-rules.ts'

/** The paths at which zones are found. Tests use other paths. */
interface ZonePaths {
  /** The file of the zone of the machine. */
  readonly local: string
  /** The folder with all zones. */
  readonly zones: string
}

const defaultZonePaths = (): ZonePaths => ({
  local: '/etc/localtime',
  zones: process.env.TZDIR || '/usr/share/zoneinfo',
})

/** The zone of this machine now. It is looked up again each time, since somebody may change it. */
export const machineZone = ({ TZ }: { readonly TZ?: string } = process.env, places = defaultZonePaths()): string =>
  (TZ === undefined ? zoneIn(places.local) : libcZone(TZ, places)) ?? 'UTC'

/** The zone that a value of TZ names. Undefined if the C library does not understand it, and uses UTC instead. */
export function libcZone(tz: string, places = defaultZonePaths()): string | undefined {
  if (tz === '') return 'UTC'
  const text = tz.replace(/^:/, '')
  if (text === '') return 'UTC'
  const file = isAbsolute(text) ? text : join(places.zones, text)
  const named = zoneIn(file, isAbsolute(text) ? undefined : text)
  if (named !== undefined) return named
  return cachedZone(`TZ ${text}`, month(), () => {
    const offsets = readPosix(text)
    return offsets && zoneOfOffsets(`TZ ${text}`, [], offsets)
  })
}

/**
 * The zone that a given name means, in the form that the functions for jobs use. Undefined if neither Node nor the
 * machine knows the name.
 */
export const zoneNamed = (name: string): string | undefined =>
  name === '' ? undefined : isZone(name) ? name : libcZone(name)

/** The largest zone file that is read, in bytes. */
const maxBytes = 256 * 1024

/** The zones that were found, each with the stamp that its source had then. */
const foundZones = new Map<string, { readonly stamp: string; readonly zone: string | undefined }>()

function cachedZone(key: string, stamp: string, find: () => string | undefined): string | undefined {
  const before = foundZones.get(key)
  if (before?.stamp === stamp) return before.zone
  const zone = find()
  if (foundZones.size >= maxFound) foundZones.clear()
  foundZones.set(key, { stamp, zone })
  return zone
}

const maxFound = 1000

/** The zone in a file; undefined if there is none. */
function zoneIn(file: string, name?: string): string | undefined {
  const stamp = stampOf(file)
  if (stamp === undefined) return undefined
  return cachedZone(file, stamp, () => {
    const content = readFile(file, maxBytes)
    const offsets = content.is === 'bytes' ? readZoneFile(content.bytes) : undefined
    if (content.is !== 'bytes' || offsets === undefined) return undefined
    const hash = createHash('sha256').update(content.bytes).digest('hex')
    return zoneOfOffsets(`file ${hash.slice(0, 16)}`, [name, nameIn(file), nameIn(realpathSync(file))], offsets)
  })
}

/** A text that changes when another zone is written into the file, and once a month. */
function stampOf(file: string): string | undefined {
  try {
    const { dev, ino, size, mtimeMs } = statSync(file)
    return `${dev} ${ino} ${size} ${mtimeMs} ${month()}`
  } catch {
    return undefined
  }
}

/** The number of the present month. `agrees` compares only three years, so it is called again each month. */
const month = (): string => String(Math.floor(Date.now() / (30 * 86_400_000)))

/** The name of a zone in the path of its file; undefined if the path is not below a folder of zones. */
const nameIn = (file: string): string | undefined => /\/zoneinfo[^/]*\/(?:posix\/)?(.+)$/.exec(file)?.[1]

/** The name of a zone by which Node knows it, if Node has the same rules; otherwise a name for its rules. */
function zoneOfOffsets(key: string, names: readonly (string | undefined)[], offsets: ZoneOffset): string {
  const same = [...names, Intl.DateTimeFormat().resolvedOptions().timeZone, 'UTC'].find(
    (name) => name !== undefined && isZone(name) && agrees(name, offsets, Date.now() / 1000),
  )
  return same ?? nameZone(key, offsets)
}

const year = 366 * 86_400
const week = 7 * 86_400

/** True if Node has the same clocks for this zone from a year before `now` until two years after it. */
function agrees(zone: string, offsets: ZoneOffset, now: number): boolean {
  const [from, to] = [Math.floor(now - year), Math.floor(now + 2 * year)]
  const times: number[] = []
  for (let at = from; at < to; at += week) times.push(at)
  for (let at = changeAfter(offsets, from, to); at !== undefined; at = changeAfter(offsets, at, to))
    times.push(at - 1, at)
  return times.every((at) => offsetAt(zone, at) === offsets(at))
}
