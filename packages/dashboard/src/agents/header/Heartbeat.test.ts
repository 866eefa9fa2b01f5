import { expect, test } from 'vitest'
import { beatBarsOf, beatsAfter, beatWords, nextReportShare, type ReportBeat } from './Heartbeat.tsx'

const heard = (seenAt: number, interval = 30_000) => ({ seenAt, nextReportAt: seenAt + interval })
const after = (...times: number[]) =>
  times.reduce<readonly ReportBeat[]>((beats, at) => beatsAfter(beats, heard(at * 1000)), [])

test('a bar is there for each report that arrived while the page was open, at most 30', () => {
  expect(beatBarsOf(after(100))).toEqual([])
  expect(beatBarsOf(after(100, 130, 190, 191)).map(({ tall, isLate }) => [tall, isLate])).toEqual([
    [0.5, false],
    [1, true],
    [1 / 60, false],
  ])
  expect(beatBarsOf(after(...Array.from({ length: 50 }, (_, at) => at * 30)))).toHaveLength(30)
})

test('nothing changes without a new report', () => {
  const beats = after(100, 130)
  expect(beatsAfter(beats, heard(130_000))).toBe(beats)
  expect(beatsAfter(beats, { seenAt: null, nextReportAt: null })).toBe(beats)
  expect(beatsAfter(beats, { seenAt: 160_000, nextReportAt: null }), 'stopped').toBe(beats)
})

test('after a long time without a report, the beats begin anew', () => {
  expect(after(100, 130, 220).map(({ at }) => at)).toHaveLength(3)
  expect(after(100, 130, 221).map(({ at }) => at)).toEqual([221_000])
})

test('after a restore with an earlier report, later ones are forgotten', () => {
  expect(beatsAfter(after(100, 130, 160), heard(110_000)).map(({ at }) => at)).toEqual([100_000, 110_000])
})

test('the bars are told in words', () => {
  expect(beatWords(after(100, 130, 200))).toBe('2 reports while this page was open, one is due each 30\u00a0s; 1 late')
  expect(beatWords(after(100, 130))).toBe('1 report while this page was open, one is due each 30\u00a0s; none late')
})

test('the time until the next report fills in steps of 5%', () => {
  expect([0, 3, 29, 30, 45].map((s) => nextReportShare(heard(0), s * 1000))).toEqual([0, 0.1, 0.95, 1, 1.5])
  expect(nextReportShare(heard(1000), 0), 'a report from ahead').toBe(0)
  expect(nextReportShare({ seenAt: null, nextReportAt: null }, 0)).toBe(-1)
})
