/**
 * Tests the history on an agent's page in a real browser. `npm test` leaves this out. The words of the history are
 * tested without a browser, in agent.test.ts beside it.
 */
import type { AlertLine, HistoryChange, StateSpan } from '@svc/api'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { smallTargets, wrongLooks } from '../../testing/axe.ts'
import { type AgentPageSetup, openAgentPageSetup } from './testing/setup.ts'

let setup: AgentPageSetup
beforeAll(async () => {
  setup = await openAgentPageSetup()
})
afterAll(() => setup?.setup.close())

const hour = 3_600_000

/** A day with a bad hour, a pause, a time offline, an outage and a stop. */
function past(now: number) {
  const at = (hours: number) => now - hours * hour
  const span = (from: number, until: number, is: StateSpan['is'], level: StateSpan['level'], label = 'Idle') => ({
    ...{ from: at(from), until: at(until), is, level, label },
  })
  const spans = [
    span(24, 20, 'unknown', null),
    span(20, 16, 'reporting', 'ok'),
    span(16, 15, 'reporting', 'bad', 'Mailbox unreachable'),
    span(15, 12, 'paused', 'info', 'Paused'),
    span(12, 8, 'offline', 'info', 'Paused'),
    span(8, 7, 'unknown', null),
    span(7, 3, 'reporting', 'warn', 'Slow'),
    span(3, 2, 'stopped', 'warn', 'Slow'),
    span(2, 0, 'reporting', 'ok'),
  ]
  const change = (hours: number, what: HistoryChange['what'], more: Partial<HistoryChange>): HistoryChange => ({
    ...{ what, from: null, to: null, text: null, id: null },
    ...more,
    at: at(hours),
  })
  const changes = [
    change(16, 'level', { from: 'ok', to: 'bad', text: 'Mailbox unreachable' }),
    change(15.5, 'run', { to: 'failed', text: 'run-0000000000000000000000000000000000007', id: 'run-7' }),
    change(15, 'paused', { from: false, to: true }),
    change(12, 'offline', { from: false, to: true }),
    change(8, 'offline', { from: true, to: false }),
    change(8, 'service', { from: false, to: true }),
    change(7, 'service', { from: true, to: false }),
    change(7, 'paused', { from: true, to: false }),
    change(5, 'setting', { from: 5, to: 10, text: 'every' }),
    change(2.5, 'command', { to: 'applied', text: 'pause', id: 'c1' }),
    change(2, 'level', { from: 'warn', to: 'ok', text: 'Idle' }),
  ]
  const alert = {
    ...{ id: 'a1', rule: 'bad', level: 'bad', state: 'ended', label: 'Mailbox unreachable', agents: null },
    ...{ since: at(16), openedAt: at(16), endedAt: at(15), acknowledged: null, muted: false, rollout: null },
    ...{ agent: 'past', subject: { kind: 'agent', id: 'x', name: 'past' } },
  } as unknown as AlertLine
  return { spans, changes, alerts: [alert] }
}

const history = (page: Page) => page.getByRole('article', { name: 'History', exact: true })
const strip = (page: Page) => page.getByRole('group', { name: 'History', exact: true })

async function opened(width: number, more: HistoryChange[] = []): Promise<Page> {
  const page = await setup.visit('admin', 'past', { width })
  const { spans, changes: all, alerts } = past(Date.now())
  const changes = [...more, ...all]
  await page.route(/\/history\/states/, (route) => route.fulfill({ json: spans }))
  await page.route(/\/history\/changes/, (route) => route.fulfill({ json: changes }))
  await page.route(/\/agents\/past\/alerts/, (route) => route.fulfill({ json: alerts }))
  await page.reload()
  await strip(page).waitFor()
  return page
}

test('the strip and the changes say what was before, and links lead to it', async () => {
  const agent = await setup.addAgent('past')
  await agent.report({
    state: { level: 'ok', label: 'Idle' },
    active: [{ kind: 'triage' }],
    runs: [{ id: 'run-7', status: 'failed', started: 1_760_000_000 }],
  })
  const page = await opened(1440)
  const words = await history(page).innerText()
  expect(words).toContain('OK 32%, Warning 21%, Bad 5.3%, Paused 16%, Offline 21%, Stopped 5.3%')
  expect(await page.locator('.svc-strip-hatch').count()).toBe(1)
  await history(page).getByRole('button', { name: 'All 8 changes' }).click()
  const lines = await history(page).getByRole('listitem').allInnerTexts()
  expect(lines.map((line) => line.replaceAll(/\s+/g, ' '))).toEqual([
    expect.stringMatching(/^OK \d/),
    expect.stringMatching(/^Pause: applied /),
    expect.stringMatching(/^every became 10 on its machine, before 5 /),
    expect.stringMatching(/^The service did not run from .* to .* /),
    expect.stringMatching(/^Offline from .* to .* /),
    expect.stringMatching(/^Paused from .* to .* /),
    expect.stringMatching(/^Run run-0+7: failed /),
    expect.stringMatching(/^Bad Mailbox unreachable /),
  ])
  await history(page)
    .getByRole('link', { name: /^Run run-0/ })
    .click()
  await page.waitForURL(/tab=runs/)
  expect(new URL(page.url()).searchParams.get('run')).toBe('run-7')
})

test('on a phone what runs is between the strip and the changes, which still mark their place on the strip', async () => {
  const page = await opened(360)
  const runs = page.getByRole('article', { name: 'Running now', exact: true })
  const tops = await Promise.all([strip(page), runs, history(page)].map(async (part) => (await part.boundingBox())?.y))
  expect(tops).toEqual(tops.toSorted((a = 0, b = 0) => a - b))
  expect(await history(page).locator('.svc-strip').count()).toBe(0)
  await page.locator('.ag-shares').getByText('OK 32%, Warning 21%').waitFor()
  await history(page).getByRole('button', { name: 'All 8 changes' }).click()
  await history(page).getByTitle('Show it on the strip').last().click()
  await page.locator('.svc-strip-at').waitFor()
  await page.getByRole('radiogroup', { name: 'How far back' }).getByText('7 d').click()
  await page.getByText('States over the last 7 d').waitFor({ state: 'attached' })
})

interface DrawnPeriod {
  /** The first line of the words on hover. */
  words: string
  /** The name of the colour, such as `ok`. */
  color: string | undefined
  isHatched: boolean
  /** The edges in shares of the width, rounded to a hundredth. */
  from: number
  to: number
  /** The distances from the top of the strip in pixels. */
  top: number
  bottom: number
}

/** The colours of levels and of agents that are offline as the browser says them, by their names. */
const namedColors = (page: Page): Promise<[name: string, color: string][]> =>
  page.evaluate(() =>
    ['ok', 'info', 'warn', 'bad', 'offline'].map((name) => {
      const probe = document.createElement('i')
      probe.style.color = `var(--svc-${name})`
      document.body.append(probe)
      const { color } = getComputedStyle(probe)
      probe.remove()
      return [name, color]
    }),
  )

/** Reads the periods and the lines above them from the strip as the browser draws it. */
async function drawnPeriods(page: Page): Promise<DrawnPeriod[]> {
  const names = new Map((await namedColors(page)).map(([name, color]) => [color, name]))
  const drawn = await strip(page)
    .locator('svg')
    .evaluate((svg) => {
      const whole = svg.getBoundingClientRect()
      const share = (x: number) => Math.round(((x - whole.left) / whole.width) * 100) / 100
      return [...svg.querySelectorAll(':scope > g')].map((g) => {
        const [fill = '', ...others] = [...g.querySelectorAll('rect')].map((rect) => getComputedStyle(rect).fill)
        const { left, right, top, bottom } = (g.querySelector('rect') as SVGRectElement).getBoundingClientRect()
        return {
          words: g.querySelector('title')?.textContent?.split('\n')[0] ?? '',
          fill,
          isHatched: others.some((other) => other.startsWith('url(')),
          ...{ from: share(left), to: share(right), top: top - whole.top, bottom: bottom - whole.top },
        }
      })
    })
  return drawn.map(({ fill, ...period }) => ({ ...period, color: names.get(fill) }))
}

/** The names of the colours that are on top in each pixel of the strip, from the left. */
async function seenColors(page: Page): Promise<(string | undefined)[]> {
  const names = new Map((await namedColors(page)).map(([name, color]) => [color, name]))
  const colors = await strip(page)
    .locator('svg')
    .evaluate((svg) => {
      svg.scrollIntoView({ block: 'center' })
      const { left, right } = svg.getBoundingClientRect()
      const { top, height } = (svg.querySelector('.svc-strip-empty') as Element).getBoundingClientRect()
      return Array.from({ length: Math.floor(right - left) - 1 }, (_, i) => {
        const seen = document.elementFromPoint(left + i + 0.5, top + height / 2)
        return seen ? getComputedStyle(seen).fill : ''
      })
    })
  return colors.map((color) => names.get(color))
}

test('levels have their colours, offline is grey, paused hatched, unknown empty, and alerts are lines above', async () => {
  const page = await opened(1440)
  const [alert, ...periods] = await drawnPeriods(page)
  // The strip begins with the first report, 20 hours ago. An hour is a twentieth of it.
  expect(periods.map(({ words, color, isHatched, from, to }) => [words, color, isHatched, from, to])).toEqual([
    ['OK: Idle', 'ok', false, 0, 0.2],
    ['Bad: Mailbox unreachable', 'bad', false, 0.2, 0.25],
    ['Paused', 'info', true, 0.25, 0.4],
    ['Offline', 'offline', false, 0.4, 0.6],
    // The service did not run for an hour, so nothing is drawn here.
    ['Warning: Slow', 'warn', false, 0.65, 0.85],
    ['Stopped on its machine', 'offline', false, 0.85, 0.9],
    ['OK: Idle', 'ok', false, 0.9, 1],
  ])
  expect(alert).toMatchObject({ color: 'bad', isHatched: false, from: 0.2, to: 0.25, top: 0 })
  expect(alert?.words).toMatch(/^Bad alert: .*Mailbox unreachable/)
  for (const { top } of periods) expect(alert?.bottom).toBeLessThan(top)
  const [, grey = ''] = (await namedColors(page)).find(([name]) => name === 'offline') ?? []
  const channels = [...grey.matchAll(/\d+/g)].map(Number)
  expect(Math.max(...channels) - Math.min(...channels), grey).toBeLessThan(40)
})

test('an agent that is older than the kept times offline says since when they are kept', async () => {
  const agent = await setup.addAgent('older')
  await agent.report({ state: { level: 'ok', label: 'Idle' } })
  const page = await setup.visit('admin', 'older')
  await page.waitForLoadState('networkidle')
  expect(await page.getByText('Kept since').count()).toBe(0)
  setup.setup.ageAgent('older', 72)
  const answered = page.waitForResponse(/\/api\/web\/w\/north-wind\/agents\/older$/)
  await page.reload()
  const { statesSince } = (await (await answered).json()) as { statesSince: number }
  const day = await page.evaluate(
    (at) => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long' }).format(at),
    statesSince,
  )
  await history(page).getByText(`Kept since ${day}: earlier times offline are not known`, { exact: true }).waitFor()
})

test('an agent that changes its level 10,000 times a day has a whole strip and a list that can be read', async () => {
  const page = await setup.visit('admin', 'past')
  const [now, count] = [Date.now(), 10_000]
  const levels = ['ok', 'warn'] as const
  const at = (i: number) => now - (count - i) * 8640
  const spans = Array.from({ length: count }, (_, i) => ({
    ...{ from: at(i), until: at(i + 1), is: 'reporting', level: levels[i % 2], label: 'Idle' },
  }))
  const changes = Array.from({ length: 200 }, (_, i) => ({
    ...{ at: at(count - 200 + i), what: 'level', from: levels[(i + 1) % 2], to: levels[i % 2], text: 'Idle', id: null },
  }))
  await page.route(/\/history\/states/, (route) => route.fulfill({ json: spans }))
  await page.route(/\/history\/changes/, (route) => route.fulfill({ json: changes }))
  await page.reload()
  await strip(page).waitFor()
  const periods = await drawnPeriods(page)
  expect([Math.min(...periods.map(({ from }) => from)), Math.max(...periods.map(({ to }) => to))]).toEqual([0, 1])
  expect(periods.length).toBeLessThan(1440 / 2)
  expect(await history(page).innerText()).toContain('OK 50%, Warning 50%')
  // A period is a tenth of a pixel. Where many are in one place, only the worst is drawn.
  expect(new Set(await seenColors(page))).toEqual(new Set(['warn']))
  await history(page).getByText('These are the newest 200 changes of this time.').waitFor()
  await history(page).getByRole('button', { name: 'All 200 changes' }).click()
  expect(await history(page).getByRole('listitem').count()).toBe(200)
  await strip(page).focus()
  await page.keyboard.press('Home')
  await history(page).locator('[aria-live="polite"]').filter({ hasText: 'OK Idle, ' }).waitFor()
})

test('a time that is too short for its width is seen between longer ones', async () => {
  const page = await setup.visit('admin', 'past')
  const now = Date.now()
  const span = (from: number, until: number, level: StateSpan['level']) => ({
    ...{ from: now - from * hour, until: now - until * hour, is: 'reporting', level, label: null },
  })
  const spans = [span(24, 12, 'ok'), span(12, 11.99, 'bad'), span(11.99, 0, 'ok')]
  await page.route(/\/history\/states/, (route) => route.fulfill({ json: spans }))
  await page.reload()
  await strip(page).waitFor()
  const colors = await seenColors(page)
  expect(colors.filter((color) => color === 'bad').length).toBeGreaterThanOrEqual(1)
  expect(colors.filter((color) => color === 'bad').length).toBeLessThanOrEqual(2)
  expect(colors.filter((color) => color === 'ok').length).toBeGreaterThan(1000)
})

test('the arrow keys go from change to change, and Enter opens one', async () => {
  const page = await opened(1440)
  const live = history(page).locator('[aria-live="polite"]')
  const says = (words: RegExp) => live.filter({ hasText: words }).waitFor()
  await strip(page).focus()
  await page.keyboard.press('ArrowLeft')
  await says(/OK Idle, /)
  await page.keyboard.press('ArrowLeft')
  await says(/Pause: applied, /)
  expect(await page.locator('.svc-strip-at').count()).toBe(1)
  await page.keyboard.press('Home')
  await says(/Bad Mailbox unreachable, /)
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowRight')
  await says(/Run run-0+7: failed, /)
  await page.keyboard.press('Enter')
  await page.waitForURL(/tab=runs/)
})

test('a line about a state marks its moment on the strip, and only the chosen change is read out', async () => {
  const page = await opened(1440)
  const live = history(page).locator('[aria-live="polite"]')
  expect(await live.innerText()).toBe('')
  await history(page).getByRole('button', { name: 'All 8 changes' }).click()
  await history(page)
    .getByRole('button', { name: /^Offline from/ })
    .click()
  await live.filter({ hasText: /^Offline from .*, / }).waitFor()
  expect(await page.locator('.svc-strip-at').count()).toBe(1)
  expect(await strip(page).evaluate((group) => group === document.activeElement)).toBe(true)
  // The agent of this test reports no schema of settings, so there is no such tab.
  expect(
    await history(page)
      .getByRole('link', { name: /^every became 10/ })
      .count(),
  ).toBe(0)
  await page.keyboard.press('ArrowLeft')
  await live.filter({ hasText: /^Paused from .*, / }).waitFor()
})

test('if older changes are left off, the history says so and lists more', async () => {
  const early = Date.now() - 23 * hour
  const page = await opened(
    1440,
    Array.from({ length: 190 }, (_, i) => ({
      ...{ at: early + i * 1000, what: 'setting', from: i, to: i + 1, text: 'every', id: null },
    })),
  )
  await history(page).getByText('These are the newest 200 changes of this time.').waitFor()
  const asked = page.waitForRequest(/\/history\/changes\?.*limit=1000/)
  await history(page).getByRole('button', { name: 'List older ones, too' }).click()
  await asked
  await history(page).getByText('These are the newest').waitFor({ state: 'detached' })
})

test('the history fits a phone, and has no fault that axe finds in either scheme', async () => {
  const page = await opened(1440)
  const chosen = async () => {
    await strip(page).focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
  }
  expect(await wrongLooks(page, chosen)).toEqual([])
  expect(await smallTargets(page)).toEqual([])
})
