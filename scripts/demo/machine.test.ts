import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readRuns } from '../../packages/runtime/src/host/jobs/record.ts'
import { demoJobs, failingJob, writeRecords } from './machine.ts'

const times = ['2026-11-27T16:40:00', '2026-03-01T00:00:30', '2026-12-31T23:59:59'].map((text) => new Date(text))

test.each(times)('at %s svc reads all runs of each job: rare, good and bad, of different lengths', (now) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-demo-jobs-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeRecords(folder, now)
  for (const job of demoJobs) {
    const { runs, passedOver } = readRuns(join(folder, job.name), now.getTime() / 1000)
    expect(passedOver).toBe(0)
    // the newest run may not have ended yet
    expect(runs.length).toBeGreaterThanOrEqual(job.runs - 1)
    expect(runs.map(({ started }) => started)).toEqual(runs.map(({ started }) => started).toSorted((a, b) => b - a))
    const lengths = runs.map(({ started, ended = 0 }) => ended - started)
    expect(Math.min(...lengths)).toBeGreaterThan(0)
    expect(new Set(lengths).size).toBeGreaterThan(1)
    expect(runs.filter(({ status }) => status !== 'ok').length).toBe(Object.keys(job.bad ?? {}).length)
  }
  expect(demoJobs.map(({ name }) => name)).toContain(failingJob)
})
