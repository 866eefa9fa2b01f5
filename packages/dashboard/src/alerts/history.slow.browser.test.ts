/**
 * Tests the timeline of alerts and their filter, with alerts put into the database. `npm test` leaves this out.
 * packages/dashboard/src/alerts/history/rows.test.ts proves the same rules.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { resize, smallTargets, wrongLooks } from '../../testing/axe.ts'
import { type BrowserSetup, openBrowserSetup, type Visitor } from '../../testing/browser-setup.ts'
import { focusOn } from '../../testing/keys.ts'

let setup: BrowserSetup
let ada: Visitor
const north = '/api/web/w/north-wind'
const hour = 3_600_000
const at = (search: string) => `${setup.url}/w/north-wind/alerts?tab=history${search}`

beforeAll(async () => {
  setup = await openBrowserSetup()
  ada = await setup.ada()
  const agents = ['mail-triage', 'repo-watch', 'a-name-that-is-as-long-as-any-agent-may-have-in-this-workspace']
  for (const name of agents) await ada.call('POST', `${north}/agents`, { name })
  const now = Date.now()
  const ago = (hours: number) => now - hours * hour
  const [mail = '', repo = '', long = ''] = agents
  setup.storeAlerts('north-wind', [
    ...Array.from({ length: 24 }, (_, i) => ({
      agent: mail,
      label: 'HTTP 401',
      from: ago(7 * i + 3),
      to: ago(7 * i + 1 - (i % 3) / 2),
    })),
    ...Array.from({ length: 9 }, (_, i) => ({
      agent: repo,
      rule: 'silent',
      from: ago(18 * i + 9),
      to: ago(18 * i + 4),
    })),
    ...Array.from({ length: 6 }, (_, i) => ({
      agent: long,
      rule: 'gauge',
      level: 'warn' as const,
      from: ago(26 * i + 20),
      to: ago(26 * i + 6),
    })),
    { agent: repo, rule: 'update', label: '1.4.0 was rolled back', from: ago(50), to: ago(49.9) },
    { agent: mail, rule: 'cost_jump', level: 'warn', from: ago(500), to: ago(480) },
  ])
  await ada.call('PATCH', `${north}/rules`, { rule: 'bad', after: 0 })
  const { token } = await ada.call<{ token: string }>('POST', `${north}/agents`, { name: 'stuck' })
  await setup.report(token, { state: { level: 'bad', label: 'Disk gone' } })
})
afterAll(() => setup?.close())

const rows = () => ada.page.getByRole('group', { name: 'Timeline of alerts' }).getByRole('row')
const texts = async () => (await rows().allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))

test('the timeline has a row for each rule with the number and the length of its alerts, and its looks are right', async () => {
  const { page } = ada
  await page.goto(at(''))
  await rows().filter({ hasText: 'Level Bad' }).waitFor()
  expect(await rows().count()).toBe(5)
  expect((await texts()).find((text) => text.startsWith('Update failed'))).toMatch(/^Update failed 1 6 min 6 min$/)
  expect(await wrongLooks(page, () => rows().nth(1).waitFor(), [1440, 1024, 360])).toEqual([])
  await resize(page, 360)
  expect(await smallTargets(page)).toEqual([])
  const first = await rows().nth(1).boundingBox()
  expect(first?.height).toBeGreaterThanOrEqual(44)
  await resize(page, 1280)
})

test('an open alert reaches the right edge with a point, and forced colours leave the shapes', async () => {
  const { page } = ada
  await page.goto(at('&rule=bad&per=agent&days=1'))
  const stuck = rows().filter({ hasText: 'stuck' })
  await stuck.waitFor({ timeout: 60_000 })
  const path = stuck.locator('path[data-tone="bad"]')
  const edge = async () => {
    const [bar, row] = [await path.boundingBox(), await stuck.locator('svg').boundingBox()]
    return Math.abs((bar?.x ?? 0) + (bar?.width ?? 0) - (row?.x ?? 0) - (row?.width ?? 0))
  }
  expect(await edge()).toBeLessThan(1)
  const fill = () => path.evaluate((shape) => getComputedStyle(shape).fill)
  const before = await fill()
  await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' })
  expect(await fill()).not.toBe(before)
  await page.emulateMedia({ forcedColors: 'none', colorScheme: 'light' })
})

test('the keys go from alert to alert, a live line says what each was, and its link opens the agent', async () => {
  const { page } = ada
  await page.goto(at('&days=7'))
  const group = page.getByRole('group', { name: 'Timeline of alerts' })
  await rows().nth(1).waitFor()
  await focusOn(group)
  await page.keyboard.press('ArrowLeft')
  const live = page.locator('.al-time-foot [aria-live="polite"]')
  await live.getByText(/(Level Bad|Gauge at its mark|Offline), .* (to|still)/).waitFor()
  const said = await live.textContent()
  await page.keyboard.press('ArrowLeft')
  expect(await live.textContent()).not.toBe(said)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Home')
  expect(await group.locator('.svc-time-at').count()).toBe(1)
  await page.keyboard.press('Escape')
  expect(await group.locator('.svc-time-at').count()).toBe(0)
  await page.keyboard.press('ArrowRight')
  await live.getByRole('link').click()
  await page.waitForURL(/\/agents\//)
})

test('words, rule and level are in the address, and hold for the timeline and the list of ended alerts', async () => {
  const { page } = ada
  await page.goto(at(''))
  const ended = page.getByRole('list', { name: 'Ended alerts' }).getByRole('listitem')
  await ended.first().waitFor()
  await page.getByRole('searchbox', { name: 'Find alerts' }).fill('rolled back')
  await page.waitForURL(/q=rolled/)
  await rows().filter({ hasText: 'Level Bad' }).waitFor({ state: 'detached' })
  expect([await rows().count(), await ended.count()]).toEqual([2, 1])
  await page.getByRole('searchbox', { name: 'Find alerts' }).fill('')
  await page.getByRole('combobox', { name: 'Level' }).selectOption('warn')
  await rows().filter({ hasText: 'Gauge at its mark' }).waitFor()
  await page.waitForURL(/level=warn/)
  await rows().filter({ hasText: 'Level Bad' }).waitFor({ state: 'detached' })
  await page.getByText('30 d', { exact: true }).click()
  await rows().filter({ hasText: 'Unusual cost' }).waitFor()
  await page.reload()
  await rows().filter({ hasText: 'Unusual cost' }).waitFor()
  await page.getByRole('combobox', { name: 'Rule' }).selectOption('disk')
  await page.getByText('No such alert was open in the last 30 days.').waitFor()
  expect(setup.faults).toEqual([])
})
