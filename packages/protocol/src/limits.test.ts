import { expect, test } from 'vitest'
import { limits } from './limits.ts'
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

test('7: every refusal has a status of the table and a sentence', () => {
  for (const code of refusalCodes) {
    expect([400, 401, 403, 404, 409, 413, 429, 503]).toContain(httpStatusOf(code))
    expect(refusals[code][1]).toMatch(/^[A-Z].*\.$/)
    expect(code).toMatch(/^[a-z_]+$/)
  }
})

test('7: an error is an envelope', () =>
  expect(refusalJson('a', 'B.')).toEqual({ error: { code: 'a', message: 'B.' } }))
