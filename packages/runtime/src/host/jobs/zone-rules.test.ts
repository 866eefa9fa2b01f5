import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { libcZone, machineZone } from './machine-zone.ts'
import { readCron } from './schedule.ts'
import { nameZone, offsetAt } from './zone.ts'
import { changeAfter, readPosix, readZoneFile } from './zone-rules.ts'

const at = (iso: string): number => Date.parse(iso) / 1000
const hour = 3600
const folder = mkdtempSync(join(tmpdir(), 'svc-zones-'))
afterAll(() => rmSync(folder, { recursive: true }))
const zones = '/usr/share/zoneinfo'
const hasZones = existsSync(join(zones, 'Europe/Berlin'))
const cut = join(folder, 'cut')
const tokyo = join(folder, 'tokyo')
if (hasZones) copyFileSync(join(zones, 'Asia/Tokyo'), tokyo)
writeFileSync(cut, 'TZif2')

/** The offsets that the C library of this machine has for a value of TZ. */
function dateSays(tz: string, times: readonly number[]): number[] {
  const input = times.map((time) => `@${time}\n`).join('')
  const options = { env: { ...process.env, TZ: tz }, encoding: 'utf8' as const, input }
  const written = execFileSync('date', ['-f', '-', '+%::z'], options)
  return written
    .trim()
    .split('\n')
    .map((line) => {
      const [hours = 0, minutes = 0, seconds = 0] = line.slice(1).split(':').map(Number)
      return (line.startsWith('-') ? -1 : 1) * (hours * hour + minutes * 60 + seconds)
    })
}

const times = ['2026-01-15T12:00:00Z', '2026-03-29T00:59:59Z', '2026-03-29T01:00:00Z', '2026-07-15T12:00:00Z']
  .concat(['2026-10-25T00:59:59Z', '2026-10-25T01:00:00Z', '2027-11-30T12:00:00Z', '2026-12-31T23:30:00Z'])
  .map(at)

const texts = [
  ...['', ':', 'UTC', 'GMT+3', 'UTC-5', '<+03>-3', '<-0330>3:30', '<+0545>-5:45', 'ABC-1:23:45', 'EST5', 'EST5EDT'],
  ...['CET-1CEST,M3.5.0,M10.5.0/3', 'CET-1CEST,M3.5.0/2:00:00,M10.5.0/3:00:00', 'AEST-10AEDT,M10.1.0,M4.1.0/3'],
  ...['<-02>2<-01>,M3.5.0/-1,M10.5.0/0', 'XST0XDT,J60/0,J300/0', 'XST0XDT,59/0,300/0', 'XST3XDT1,M3.2.0,M11.1.0'],
  ...['EST+5EDT', ':Europe/Berlin', 'Europe/Berlin', ':America/New_York', 'posix/Asia/Tokyo', 'Asia/Kathmandu'],
  ...[
    'Africa/Casablanca',
    'Asia/Jerusalem',
    'Australia/Lord_Howe',
    'Europe/Dublin',
    'America/Nuuk',
    'Nowhere/Land',
    'garbage',
    'A3',
    'EST5 ',

    'EST5EDT,M3.2.0,',
    'EST5E',
    'EST+5:',
    'UTC0',
    'CET-25',
    'CET-24:30',
    'CET24:59:59',
    'CET-1:75',
    'CET-1CEST,M3.5.0/30,M10.5.0/3',
    '3',
    'CET-1CEST,M3.5.0',
    'Europe',
    '../../etc/passwd',
    '/etc/passwd',
  ],
  ...['/etc/localtime', ':/etc/localtime', tokyo, `:${tokyo}`, cut, join(folder, 'missing'), 'Europe/Berlin ', 'é'],
]

test.runIf(process.platform === 'linux' && hasZones).each(texts)('TZ=%j is the zone that date has', (tz) => {
  const zone = machineZone({ TZ: tz })
  expect(times.map((time) => offsetAt(zone, time))).toEqual(dateSays(tz, times))
})

test.runIf(hasZones)('a machine that gets another zone is noticed at the next look', () => {
  const places = { local: join(folder, 'localtime'), zones }
  expect(machineZone({}, places), 'no file').toBe('UTC')
  const names = ['Europe/Berlin', 'America/New_York', 'Etc/UTC']
  const links = names.map((name) => {
    rmSync(places.local, { force: true })
    symlinkSync(join(zones, name), places.local)
    return machineZone({}, places)
  })
  expect(links).toEqual(names)
  const copies = names.slice(0, 2).map((name) => {
    rmSync(places.local, { force: true })
    copyFileSync(join(zones, name), places.local)
    return offsetAt(machineZone({}, places), at('2026-07-01T00:00:00Z'))
  })
  expect(copies).toEqual([2 * hour, -4 * hour])
  writeFileSync(places.local, 'TZif')
  expect(machineZone({}, places), 'a damaged file').toBe('UTC')
})

test('without zone files, the C library has UTC for each name, and so have jobs', () => {
  const empty = join(folder, 'no-zones')
  mkdirSync(empty)
  const places = { local: join(empty, 'localtime'), zones: empty }
  expect(machineZone({ TZ: 'Europe/Berlin' }, places)).toBe('UTC')
  expect(libcZone('Europe/Berlin', places)).toBeUndefined()
  expect(offsetAt(machineZone({ TZ: 'CET-1CEST,M3.5.0,M10.5.0/3' }, places), at('2026-07-01T00:00:00Z'))).toBe(2 * hour)
})

test('a damaged zone file is none', () => {
  for (const text of ['', 'TZif', 'TZif2', 'TZif2'.padEnd(44, '\0'), 'TZif2'.padEnd(60, '\xff'), 'PNG'])
    expect(readZoneFile(Buffer.from(text, 'latin1'))).toBeUndefined()
})

const cron = [
  '30 2 * * *',
  '*/30 * * * *',
  '0 1-4/3 * * *',
  '30 2-10/8 * * *',
  '15 2 * * 0',
  '59 21 28-31 * *',
  '*/20 2 * * *',
  '0 0 1 1 *',
  '5 * * 3,10 *',
]
const rows = [
  ['Europe/Berlin', 'CET-1CEST,M3.5.0,M10.5.0/3'],
  ['America/New_York', 'EST5EDT'],
  ['Australia/Lord_Howe', '<+1030>-10:30<+11>-11,M10.1.0,M4.1.0'],
  ['America/Nuuk', '<-02>2<-01>,M3.5.0/-1,M10.5.0/0'],
  ['Asia/Kathmandu', '<+0545>-5:45'],
  ['Asia/Tokyo', 'JST-9'],
] as const

const timesBetween = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step)

test.each(rows)('the times in %s are the same where only its rules are known: %s', (name, rules) => {
  const offsets = readPosix(rules)
  if (!offsets) throw new Error(rules)
  const zone = nameZone(`test ${rules}`, offsets)
  const [from, to] = [at('2026-01-01T00:00:00Z'), at('2027-02-01T00:00:00Z')]
  const probes = timesBetween(from, to, 151 * hour + 17)
  for (let change = changeAfter(offsets, from, to); change !== undefined; change = changeAfter(offsets, change, to))
    probes.push(...timesBetween(change - 4 * hour, change + 4 * hour, hour / 4 + 1))
  for (const written of cron) {
    const [ours, nodes] = [readCron(written, zone), readCron(written, name)]
    if (!ours.ok || !nodes.ok) throw new Error(written)
    for (const time of probes)
      expect([written, time, ours.times.after(time)]).toEqual([written, time, nodes.times.after(time)])
  }
})
