/**
 * Tests the page Cost. `npm test` leaves this out. packages/server/src/web/queries/costs.store.test.ts proves the same
 * rules.
 */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { smallTargets, wrongLooks } from '../../../testing/axe.ts'
import { type BrowserSetup, openBrowserSetup, password, type Visitor } from '../../../testing/browser-setup.ts'

let setup: BrowserSetup
let ada: Visitor
const web = '/api/web/w/north-wind'
const hostile = [`=${'😀'.repeat(60)}<b>`, 'x'.repeat(200)]

async function reports(name: string, models: readonly string[], factor: number, count = 40): Promise<void> {
  const { token } = await ada.call<{ token: string }>('POST', `${web}/agents`, { name })
  const runs = Array.from({ length: count }, (_, i) => ({
    id: `run-${i}`,
    started: Math.floor(Date.now() / 1000) - 60 - Math.floor(i / 2) * 86_400,
    kind: 'mail',
    status: 'done',
    output_tokens: 1200,
    models: Object.fromEntries(models.map((model, k) => [model, (((i + k) % 5) + 1) * factor])),
  }))
  await setup.report(token, { runs })
}

beforeAll(async () => {
  setup = await openBrowserSetup()
  ada = await setup.ada()
})
afterAll(() => setup?.close())
afterEach(() => expect(setup.faults.splice(0)).toEqual([]))

const open = async (query = ''): Promise<Page> => {
  const page = await setup.window(ada, { width: 1440, height: 900 })
  await page.goto(`${setup.url}/w/north-wind/cost${query}`)
  return page
}
const photo = async (page: Page, name: string) => {
  const folder = process.env.SVC_TEST_PHOTOS
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}

/**
 * Reads at which value of the axis the chart draws its limit, and the words of the line; undefined if it draws none.
 */
const limitOf = (page: Page) =>
  page.locator('.svc-chart-plot svg').evaluate((svg) => {
    const line = svg.querySelector('.svc-chart-limit')
    if (!line) return undefined
    const yOf = (element: Element) => element.getBoundingClientRect().y
    const ticks = [...svg.querySelectorAll('.svc-chart-grid')].map((grid) => ({
      y: yOf(grid),
      value: Number(grid.parentElement?.querySelector('.svc-chart-tick')?.textContent?.replace('$', '')),
    }))
    const [low, high] = [ticks[0], ticks.at(-1)]
    if (!low || !high) throw new Error('The axis has no marks.')
    const value = low.value + ((yOf(line) - low.y) / (high.y - low.y)) * (high.value - low.value)
    return { value, words: line.querySelector('title')?.textContent }
  })

test('costs are split by what the address says, and everything that is chosen goes into the address', async () => {
  await reports('mail-triage', ['claude-sonnet', 'claude-haiku', ...hostile], 0.2)
  await reports('nightly-report', ['gpt-large', 'gpt-small', '(deleted)'], 0.1)
  await reports('old-crawler', ['llama', 'mistral'], 0.15)
  await ada.call('DELETE', `${web}/agents/old-crawler`)
  await ada.call('PATCH', `${web}/rules`, { rule: 'cost_day', on: true, limit: 9 })
  const page = await open('?by=day')
  const chart = page.getByRole('slider', { name: 'Cost by day and model: use the arrow keys to read each day' })
  await chart.waitFor()
  await page.getByRole('listitem').filter({ hasText: 'Limit of a day: $9' }).waitFor()
  expect(await limitOf(page)).toEqual({ value: expect.closeTo(9, 1), words: 'Limit of a day: $9.00' })
  const models = page.getByRole('group', { name: 'Models' })
  await models.getByRole('rowheader', { name: '(deleted)' }).waitFor()
  await photo(page, 'models-1440')
  await chart.focus()
  await page.keyboard.press('End')
  expect(await chart.getAttribute('aria-valuetext')).toContain('claude-sonnet')
  expect(await wrongLooks(page, () => chart.waitFor())).toEqual([])
  await photo(page, 'models-360')
  expect(await smallTargets(page)).toEqual([])

  const wide = await open('?days=7')
  await wide.getByLabel('Split by').selectOption('Agent')
  await wide.getByRole('rowheader', { name: '1 deleted agent' }).waitFor()
  await wide.getByLabel('By', { exact: true }).selectOption('Week')
  await wide.getByRole('slider', { name: 'Cost by week and agent' }).waitFor()
  // By week, the chart has no line for the day's limit.
  expect(await limitOf(wide)).toBeUndefined()
  await wide.getByLabel('Time').selectOption('90 days')
  await wide.waitForURL(
    (url) => /by=week/.test(url.search) && /per=agent/.test(url.search) && /days=.*90/.test(url.search),
  )
  await wide.reload()
  await wide.getByRole('slider', { name: 'Cost by week and agent' }).waitFor()
  await photo(wide, 'agents-1440')
  const downloading = wide.waitForEvent('download')
  await wide.getByRole('link', { name: 'Download CSV' }).click()
  const csv = readFileSync(await (await downloading).path(), 'utf8')
  expect(csv).toContain('"(deleted)"')
  const runs = wide.getByRole('group', { name: 'Most expensive runs, 7 days' })
  await runs.getByRole('link', { name: 'mail' }).first().click()
  await wide.waitForURL(/agents\/mail-triage\?.*run=run-/)
})

test('members open the page from the side bar, and see what admins see', async () => {
  await setup.operator(
    ['person', 'create', 'mo@example.org', '--name', 'Mo', '--workspace', 'north-wind', '--role', 'member'],
    password,
  )
  const mo = await setup.visitor()
  await setup.signIn(mo, 'mo@example.org')
  await mo.page.goto(`${setup.url}/w/north-wind`)
  await mo.page.getByRole('navigation').getByRole('link', { name: 'Cost', exact: true }).click()
  await mo.page.waitForURL('**/w/north-wind/cost')
  await mo.page.getByRole('heading', { level: 1, name: 'Cost' }).waitFor()
  await mo.page.getByRole('slider', { name: 'Cost by day and model' }).waitFor()
  await mo.page.getByRole('group', { name: 'Models' }).getByRole('rowheader', { name: 'claude-sonnet' }).waitFor()
  await mo.page.getByRole('group', { name: 'Most expensive runs, 7 days' }).waitFor()
  const download = mo.page.waitForEvent('download')
  await mo.page.getByRole('link', { name: 'Download CSV' }).click()
  expect(readFileSync(await (await download).path(), 'utf8')).toContain('"claude-sonnet"')
})

test('dates that are none are refused with the reason, and dates can be chosen', async () => {
  const page = await open('?from=2026-02-30')
  await page.getByText('from must be a date such as 2026-11-21').waitFor()
  setup.faults.splice(0)
  const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  await page.getByLabel('From').fill(day)
  await photo(page, 'dates')
  await page.getByLabel('To', { exact: true }).fill(day)
  await page.waitForURL((url) => url.searchParams.get('to') === day)
  await page.getByRole('slider', { name: 'Cost by day and model' }).waitFor()
  // A year is typed digit by digit; only the whole date is asked for.
  const from = page.getByLabel('From')
  const asked: string[] = []
  page.on('request', (request) => {
    const date = new URL(request.url()).searchParams.get('from')
    if (request.url().includes('/cost?') && date) asked.push(date)
  })
  const before = `${Number(day.slice(0, 4)) - 1}${day.slice(4)}`
  const answered = page.waitForResponse((response) => response.url().includes(`from=${before}`))
  await from.focus()
  await page.keyboard.type(day.slice(5, 7) + day.slice(8) + String(Number(day.slice(0, 4)) - 1))
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.searchParams.get('from') === before)
  await answered
  expect(asked).toEqual([before])
  expect(await from.evaluate((input) => input === document.activeElement)).toBe(true)
  await page.getByLabel('To', { exact: true }).fill('2020-01-01')
  await page.getByText('from must not be after to').waitFor()
  setup.faults.splice(0)
})

test('400 days by day fit on a phone, and each can be read with the arrow keys', async () => {
  await reports('old-timer', ['claude-sonnet', 'claude-haiku', 'gpt-large'], 0.3, 800)
  const page = await open('?by=day&days=400')
  await page.setViewportSize({ width: 360, height: 740 })
  const chart = page.getByRole('slider', { name: 'Cost by day and model' })
  await chart.waitFor()
  await photo(page, 'days-360')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  await chart.focus()
  await page.keyboard.press('Home')
  expect(await chart.getAttribute('aria-valuetext')).toMatch(/^\d+ \w+ 20\d\d: /)
  const mark = await chart.locator('.svc-strip-at').boundingBox()
  expect(mark?.width).toBeGreaterThanOrEqual(2)
  await photo(page, 'days-360-first')
  expect(await smallTargets(page)).toEqual([])
})

test('a time without costs says where they come from', async () => {
  const page = await open('?from=2020-01-01&to=2020-01-31')
  await page.getByRole('heading', { name: 'No costs were reported in this time' }).waitFor()
  await page.getByText('Agents report them with their runs.').waitFor()
  expect(await wrongLooks(page, () => page.getByText('Agents report them').waitFor())).toEqual([])
  await photo(page, 'empty')
  const opening = page.waitForEvent('popup')
  await page.getByRole('link', { name: 'Help: cost' }).click()
  const help = await opening
  await help.waitForURL(`${setup.url}/help/page#cost`)
  const heading = help.getByRole('heading', { name: 'Cost', exact: true })
  await heading.waitFor()
  expect(await heading.getAttribute('id')).toBe('cost')
})
