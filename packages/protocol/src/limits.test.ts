import { expect, test } from 'vitest'
import { limits, limitText, sizeText } from './limits.ts'
import { httpStatusOf, refusalCodes, refusalJson, refusals } from './refusals.ts'

test.each([
  ['report size', limits.reportBytes, 262_144],
  ['log text', limits.logTextBytes, 524_288],
  ['default interval', limits.intervalSeconds, 30],
  ['label', limits.label, 80],
  ['detail', limits.detail, 300],
  ['health list', limits.health, 50],
  ['runs kept', limits.runsKept, 2000],
  ['run id', limits.runId, 190],
  ['run kind', limits.runKind, 40],
  ['run status', limits.runStatus, 20],
  ['run log', limits.logName, 190],
  ['agent version in the status file', limits.statusAgentVersion, 60],
  ['message of applied', limits.appliedMessage, 300],
  ['log retention, days', limits.logRetentionDays, 30],
  ['reports a minute', limits.reportsPerMinute, 60],
  ['logs a minute', limits.logsPerMinute, 10],
  ['install calls a minute', limits.installsPerMinute, 20],
  ['install code, seconds', limits.installCodeSeconds, 900],
  ['command, seconds', limits.commandSeconds, 600],
  ['bundle', limits.bundleBytes, 20 * 2 ** 20],
  ['bundle entries', limits.bundleEntries, 5000],
  ['bundle unpacked', limits.bundleUnpackedBytes, 100 * 2 ** 20],
  ['one file of a bundle', limits.bundleFileBytes, 50 * 2 ** 20],
  ['bots in a workspace', limits.botsPerWorkspace, 10],
  ['bot token, days', limits.botTokenDays, 365],
  ['binding probe, seconds', limits.bindingProbeSeconds, 300],
  ['update window, seconds', limits.windowSeconds, 1800],
  ['fetch retry, seconds', limits.fetchRetrySeconds, 600],
  ['runtime trial, seconds', limits.trialSeconds, 300],
])('8: %s is %i', (_limit, value, said) => expect(value).toBe(said))

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 KB'],
  [1536, '1.5 KB'],
  [999_949, '999.9 KB'],
  [999_950, '1.0 MB'],
  [1_900_000, '1.9 MB'],
  [20 * 1024 * 1024, '21.0 MB'],
  [1e9, '1.0 GB'],
  [2.5e12, '2500.0 GB'],
])('%d bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text)
})

test.each([
  [20 * 1024 * 1024, '20 MB'],
  [64 * 1024, '64 KB'],
  [1023 * 1024 + 1, '1023 KB'],
])('a limit of %d bytes is %s', (bytes, text) => expect(limitText(bytes)).toBe(text))

test('7: every refusal has a status of the table and a sentence', () => {
  for (const code of refusalCodes) {
    expect([400, 401, 403, 404, 409, 413, 429, 503]).toContain(httpStatusOf(code))
    expect(refusals[code][1]).toMatch(/^[A-Z].*\.$/)
    expect(code).toMatch(/^[a-z_]+$/)
  }
})

test('7: an error is an envelope', () =>
  expect(refusalJson('a', 'B.')).toEqual({ error: { code: 'a', message: 'B.' } }))
