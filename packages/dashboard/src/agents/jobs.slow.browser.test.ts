/**
 * Tests the table of jobs on an agent's page in a real browser. `npm test` leaves this out. The table is tested without
 * a browser, in jobs.test.ts of the folder overview/parts.
 */
import type { Command } from '@svc/protocol'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { wrongLooks } from '../../testing/axe.ts'
import { type AgentPageSetup, openAgentPageSetup, type PlayedAgent } from './testing/setup.ts'

let setup: AgentPageSetup
let agent: PlayedAgent
beforeAll(async () => {
  setup = await openAgentPageSetup()
  agent = await setup.addAgent('vela-ada')
  await agent.report(host)
})
afterAll(() => setup?.setup.close())

const second = Math.floor(Date.now() / 1000)
const run = (job: string, hoursAgo: number, more: object = {}) => {
  const started = Math.round(second - hoursAgo * 3600)
  return {
    ...{ id: `${job}/${started}`, kind: 'job', status: 'ok', started, ended: started + 60 + Math.round(hoursAgo * 3) },
    ...{ subjects: [{ title: job }], ...more },
  }
}
const times = Array.from({ length: 28 }, (_, at) => at * 24 + 30)
const host = {
  state: { level: 'bad', label: 'backup: failed (exit 1)' },
  health: [
    { name: 'Job backup', level: 'bad', detail: 'failed (exit 1) 03:12, 2 times in a row' },
    { name: 'Job mail', level: 'ok', detail: 'ok 09:00, took 1 min; next 10:00' },
    { name: 'Crontab', level: 'warn', detail: 'line 3: not a line that cron knows' },
  ],
  runs: [
    ...times.map((hours) => run('backup', hours)),
    run('backup', 6, { status: 'failed', log: 'failed/backup' }),
    run('backup', 30.5, { status: 'skipped', log: 'job/backup' }),
    ...times.map((hours) => run('mail', hours / 10)),
    run('mail', 0.1, { status: 'running', ended: undefined }),
  ],
  panels: [
    {
      type: 'table',
      title: 'Jobs',
      columns: ['Job', 'Last', 'Took', 'Next'],
      rows: [
        ['backup', 'failed (exit 1) 03:12', '4 min', '26 Nov 03:00'],
        ['mail', 'running since 09:54', '1 min', '10:00'],
      ],
    },
  ],
}

const jobs = (page: Page) => page.getByRole('article', { name: 'Jobs', exact: true })

test('one table has each job, the worst first, with its last runs, and health lists only what is no job', async () => {
  const page = await setup.visit('member', 'vela-ada')
  await jobs(page).locator('.svc-run-bars').nth(1).waitFor()
  const rows = await jobs(page).locator('tbody tr').allInnerTexts()
  expect(rows.map((row) => row.replaceAll(/\s+/g, ' '))).toEqual([
    'Bad backup failed (exit 1) 03:12, 2 times in a row 4 min 26 Nov 03:00',
    'OK mail running since 09:54 1 min 10:00',
  ])
  expect(
    await jobs(page)
      .getByRole('img')
      .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label'))),
  ).toEqual(['30 runs, 1 failed', '29 runs, none failed'])
  const health = page.getByRole('article', { name: 'Health', exact: true })
  expect(await health.getByRole('listitem').count()).toBe(1)
  await jobs(page).getByRole('link', { name: 'backup' }).click()
  await page.waitForURL(/tab=runs/)
  await page.getByRole('status').filter({ hasText: '30 matching runs' }).waitFor()
})

test('an admin sees what a failed run printed, once the machine has sent it', async () => {
  const id = host.runs.find(({ status }) => status === 'failed')?.id ?? ''
  const query = { tab: `runs&run=${encodeURIComponent(id)}` }
  const member = await setup.visit('member', 'vela-ada', query)
  await member.waitForLoadState('networkidle')
  await member
    .getByText('Output tokens')
    .or(member.getByRole('heading', { name: 'Subjects' }))
    .waitFor()
  expect(await member.getByRole('button', { name: 'Show what it printed' }).count()).toBe(0)

  const page = await setup.visit('admin', 'vela-ada', query)
  await page.getByRole('button', { name: 'Show what it printed' }).click()
  await page.getByText('It appears here when the machine has sent it.').waitFor()
  const [command] = (await agent.report(host)).filter(({ type }: Command) => type === 'log')
  expect(command).toMatchObject({ payload: { name: 'failed/backup' } })
  await agent.upload(command?.id, 'failed/backup', 'rsync: \u202econnection <b>refused</b>\nexit 1\n')
  await page.getByRole('group', { name: 'What the run printed' }).getByText('<b>refused</b>').waitFor()
})

test('of 300 jobs the table has the first 200 and says so, and names the level of the others', async () => {
  const names = Array.from({ length: 300 }, (_, at) => `job-${String(at).padStart(3, '0')}`)
  const crowd = await setup.addAgent('crowd')
  await crowd.report({
    state: { level: 'bad', label: '22 jobs failed' },
    health: [
      ...names.slice(0, 22).map((name) => ({ name: `Job ${name}`, level: 'bad', detail: `${name} failed (exit 1)` })),
      { name: 'Jobs', level: 'warn', detail: '278 more jobs, 3 of them overdue' },
    ],
    runs: names.slice(0, 100).map((name) => run(name, 1)),
    panels: [{ ...host.panels[0], rows: names.map((name) => [name, 'ok 09:00', '1 min', '10:00']) }],
  })
  const page = await setup.visit('member', 'crowd')
  await jobs(page).getByText('the first 200 jobs').waitFor()
  const rows = jobs(page).locator('tbody tr')
  expect(await rows.locator('th').allInnerTexts()).toEqual(names.slice(0, 200))
  expect(await rows.nth(21).innerText()).toContain('job-021 failed (exit 1)')
  await jobs(page).getByText('278 more jobs, 3 of them overdue').waitFor()
  await jobs(page).getByText('100 more jobs. svc jobs on the machine shows all.').waitFor()
  const heights = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height))
  expect(Math.min(...heights)).toBeGreaterThan(0)
  const whole = () => jobs(page).locator('.svc-run-bars').nth(99).waitFor()
  expect(await wrongLooks(page, whole)).toEqual([])
  await jobs(page).getByRole('link', { name: 'job-099' }).click()
  await page.getByRole('status').filter({ hasText: '1 matching run' }).waitFor()
})

test('the table fits a phone, and has no fault that axe finds in either scheme', async () => {
  const page = await setup.visit('admin', 'vela-ada')
  const whole = () => jobs(page).locator('.svc-run-bars').nth(1).waitFor()
  expect(await wrongLooks(page, whole)).toEqual([])
})
