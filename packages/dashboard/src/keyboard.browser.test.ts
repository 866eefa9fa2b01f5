/**
 * The way through the page with the keyboard alone, and what a phone needs: the list is one tab stop, keys lead
 * everywhere, the focus comes back, and everything can be pressed with a thumb.
 */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { level, rowsOfLevel } from '../../../testing/level.ts'
import { overflow, resize, smallTargets, wrongLooks } from '../testing/axe.ts'
import { opensBeside } from '../testing/beside.ts'
import { type BrowserSetup, openBrowserSetup, type Visitor } from '../testing/browser-setup.ts'
import { focusIs, tabTo } from '../testing/keys.ts'

let setup: BrowserSetup
let ada: Visitor
const tokens = new Map<string, string>()
const report = (name: string, level: string, label: string, detail: string) =>
  setup.report(tokens.get(name) ?? '', {
    state: { level, label, detail },
    agent: { version: '1.4.0' },
    controls: ['pause', 'resume', 'run_now'],
    settings: { schema: [{ key: 'every', label: 'Every', type: 'number' }], values: { every: 3 } },
  })
const fleet = () => `${setup.url}/w/north-wind`

beforeAll(async () => {
  // With mail, the banner has two buttons.
  setup = await openBrowserSetup({ SVC_SMTP_URL: 'smtp://127.0.0.1:1', SVC_MAIL_FROM: 'svc@example.org' })
  ada = await setup.ada()
  const names = [
    'mail-1',
    'mail-2',
    'mail-3',
    'link-1',
    'disk-1',
    ...Array.from({ length: 40 }, (_, i) => `crowd-${i}`),
  ]
  for (const name of names) {
    const { token } = await ada.call<{ token: string }>('POST', '/api/web/w/north-wind/agents', { name })
    tokens.set(name, token)
  }
  await report('mail-1', 'ok', 'Working', 'Sorting mail')
  await report('mail-2', 'bad', 'HTTP 401', 'The password was changed')
  await report('mail-3', 'bad', 'HTTP 503', 'The server is overloaded')
  await report('link-1', 'warn', 'Slow', 'Queue: 431')
})
afterAll(() => setup?.close())
afterEach(() => expect(setup.faults.splice(0)).toEqual([]))

const look = (width = 1440, height = 900) => setup.window(ada, { width, height })

const open = async (page: Page) => {
  await page.goto(fleet())
  await page.getByRole('link', { name: 'mail-2', exact: true }).waitFor()
}
const openAgent = async (page: Page, tab = '') => {
  await page.goto(`${fleet()}/agents/mail-2${tab}`)
  await page.getByRole('tab', { name: 'Settings' }).waitFor()
}

test('with the keyboard alone: find the bad agents, pause one, come back to its row, and jump to another', async () => {
  const page = await look()
  await open(page)
  await page.keyboard.press('/')
  await focusIs(page, 'Filter agents')
  await tabTo(page, /^Bad/)
  await page.keyboard.press('Enter')
  await page.waitForURL(/q=level:bad/)
  await page.getByRole('link', { name: 'mail-1', exact: true }).waitFor({ state: 'detached' })
  await page.keyboard.press('j')
  await focusIs(page, 'mail-2')
  await page.keyboard.press('j')
  await focusIs(page, 'mail-3')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'mail-3' }).waitFor()

  await tabTo(page, 'Pause')
  await page.keyboard.press('Enter')
  await page.getByRole('list', { name: 'Commands in progress' }).getByText('queued').waitFor()
  await page.keyboard.press('Escape')
  await page.waitForURL(/north-wind\?q=level:bad/)
  await focusIs(page, 'mail-3')
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'mail-3' }).waitFor()
  await page.goBack()
  await focusIs(page, 'mail-3')

  await page.keyboard.press('Control+k')
  await page.keyboard.type('link')
  await page.getByRole('option', { name: /link-1/, selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'link-1' }).waitFor()
})

test.skipIf(level === 'short')(
  'the list is one tab stop, close to the top of the page; then follow the buttons for the selected agents',
  async () => {
    const page = await look()
    await open(page)
    expect(await tabTo(page, 'Skip to content', 1)).toBe(1)
    await page.keyboard.press('Enter')
    await focusIs(page, 'mail-2')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('x')
    await page.getByText('1 selected').waitFor()
    const row = page.getByRole('row', { selected: true })
    expect(await row.getByRole('link').textContent()).toBe('mail-3')
    expect(await tabTo(page, 'Pause', 1)).toBe(1)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    // A key that is pressed before the dialog has the focus closes the dialog, and does nothing else.
    await page.locator('.fleet-bulk button', { hasText: 'Pause' }).evaluate((button: HTMLElement) => button.focus())
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await focusIs(page, 'Pause')
    await page.keyboard.press('Escape')
    await page.getByText('1 selected').waitFor({ state: 'detached' })
    await focusIs(page, 'mail-3')
    await page.keyboard.press('End')
    await focusIs(page, 'disk-1')
    await page.keyboard.press('Home')
    await focusIs(page, 'mail-2')
  },
)

test.skipIf(level === 'short')(
  'keys do nothing in a field and behind a dialog, and the sheet lists them all',
  async () => {
    const page = await look()
    await open(page)
    await page.keyboard.press('/')
    await page.keyboard.type('?gaj')
    await page.waitForURL((url) => url.searchParams.get('q') === '?gaj')
    await page.getByRole('heading', { name: 'No agents match' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'mail-2', exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await focusIs(page, 'mail-2')
    await page.keyboard.press('?')
    const sheet = page.getByRole('dialog', { name: 'Keys' })
    await sheet.getByText('Go to the alerts').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('l')
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await focusIs(page, 'mail-2')
    expect(page.url()).toBe(fleet())
    await page.keyboard.press('g')
    await page.keyboard.press('l')
    await page.getByRole('heading', { name: 'Alerts', level: 1 }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('u')
    await page.getByRole('heading', { name: 'Updates', level: 1 }).waitFor()
  },
)

/** Types a text into the palette, and waits until the entry with the given name is selected. */
async function find(page: Page, text: string, name: string | RegExp): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Find' }).waitFor()
  await page.keyboard.type(text)
  await page.getByRole('option', { name, selected: true }).waitFor()
}

test.skipIf(level === 'short')(
  'the palette finds agents by what the service finds, pages, and the actions of the open page',
  async () => {
    const page = await look()
    await openAgent(page)
    await find(page, 'run now', 'Run now: mail-2')
    await page.keyboard.press('Enter')
    await page.getByRole('list', { name: 'Commands in progress' }).getByText('queued').waitFor()
    await find(page, 'http 503', /mail-3/)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'mail-3' }).waitFor()
    await find(page, 'members', 'Members')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
  },
)

test.skipIf(level === 'short')(
  'the palette pauses a named agent after a question, invites, and finds the help',
  async () => {
    const page = await look()
    await open(page)
    await find(page, 'pause mail-3', 'Pause mail-3')
    expect(await wrongLooks(page, async () => {}, [1440, 360])).toEqual([])
    await page.keyboard.press('Enter')
    const ask = page.getByRole('dialog', { name: 'Pause mail-3?' })
    await ask.waitFor()
    await page.keyboard.press('Escape')
    await ask.waitFor({ state: 'detached' })
    await find(page, 'mail-3 pause', 'Pause mail-3')
    await page.keyboard.press('Enter')
    await ask.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'mail-3' }).waitFor()
    await page.getByRole('list', { name: 'Commands in progress' }).getByText('queued').waitFor()
    await find(page, 'invite', 'Invite someone')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Invite someone' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await find(page, 'filters quotation', /^Filters/)
    const beside = page.waitForEvent('popup')
    await page.keyboard.press('Enter')
    expect((await beside).url()).toBe(`${setup.url}/help/page#filters`)
  },
)

test.skipIf(level === 'short')('a tab of an agent is a link: with Ctrl it opens beside the page', async () => {
  const page = await look()
  await openAgent(page)
  const settings = page.getByRole('tab', { name: 'Settings' })
  const address = await opensBeside(page, () => settings.click({ modifiers: ['Control'] }))
  expect(address).toBe(`${fleet()}/agents/mail-2?tab=settings`)
  expect(await page.getByRole('tab', { name: 'Overview', selected: true }).count()).toBe(1)
  const other = await look()
  await other.goto(address ?? '')
  await other.getByRole('tab', { name: 'Settings', selected: true }).waitFor()
  expect(await opensBeside(page, () => settings.click())).toBe(null)
  await page.waitForURL(/tab=settings/)
})

test.skipIf(level === 'short')('a row says why, the numbers follow the search, and all is not well', async () => {
  const page = await look()
  await open(page)
  const row = page.getByRole('row', { name: /mail-2/ })
  expect(await row.textContent()).toContain('The password was changed')
  await page.getByRole('link', { name: 'Never reported 41' }).waitFor()
  await page.getByText('45 agents').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('mail')
  await page.getByText('3 of 45').waitFor()
  await page.getByText('2 bad, 1 warning, 41 never reported').waitFor() // The chips count only what fits now.
  const filter = page.getByRole('navigation', { name: 'Filter by state' })
  const numbers = () => filter.locator('.fleet-count').allTextContents()
  expect(await numbers(), 'all, bad, OK').toEqual(['3', '2', '1'])
  await page.keyboard.type(' slow')
  await page.getByRole('heading', { name: 'No agents match' }).waitFor()
  expect(await numbers()).toEqual(['0'])
})

test.skipIf(level === 'short')(
  'on a phone the list begins in the upper third, the open tab is in sight, and a thumb can press everything',
  async () => {
    const page = await look(360, 780)
    await open(page)
    const first = await page.locator('.fleet-body .fleet-row').first().boundingBox()
    expect(first?.y).toBeLessThan(260)
    await page.getByRole('banner').getByText('North Wind').waitFor()
    expect(await page.locator('.fleet-key').isVisible()).toBe(false)
    expect(await smallTargets(page)).toEqual([])
    await page.getByRole('checkbox', { name: 'Select mail-2' }).click()
    await page.getByText('1 selected').waitFor()
    const bar = await page.getByRole('region', { name: 'Selected agents' }).boundingBox()
    expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBe(780)
    expect(await smallTargets(page)).toEqual([])

    await openAgent(page, '?tab=settings')
    const tab = await page.getByRole('tab', { name: 'Settings' }).boundingBox()
    expect((tab?.x ?? 0) + (tab?.width ?? 0)).toBeLessThanOrEqual(360)
    const buttons = page.locator('.ag-actions button')
    const tops = await buttons.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().top))
    expect(new Set(tops).size, 'the buttons are in one line').toBe(1)
    expect(await smallTargets(page)).toEqual([])
  },
)

test.each(rowsOfLevel(['', '?show=never', '/agents/mail-2', '/agents/nobody', '/updates', '/alerts', '/members'], 1))(
  'nothing scrolls sideways at any width: %s',
  async (path) => {
    const page = await look()
    await page.goto(fleet() + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    for (const width of [320, 360, 768, 992, 1024, 1204, 1440]) {
      await resize(page, width)
      expect(await overflow(page), `${width} pixels`).toBe(0)
    }
  },
)

const states: [string, string, (page: Page) => Promise<unknown>][] = [
  ['the list with a selection', '', (page) => page.getByRole('checkbox', { name: 'Select mail-2' }).click()],
  [
    'the palette',
    '',
    async (page) => {
      await page.getByRole('link', { name: 'mail-2', exact: true }).waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Find' }).fill('mail')
      await page
        .getByRole('option', { name: /mail-1/ })
        .first()
        .waitFor()
    },
  ],
  [
    'the sheet of keys',
    '',
    async (page) => {
      await page.getByRole('link', { name: 'mail-2', exact: true }).waitFor()
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
    },
  ],
  ['an agent that does not exist', '/agents/nobody', (page) => page.getByText('Agent not found').waitFor()],
  ['an install code that does not exist', '/codes/none', (page) => page.getByText('Install code not found').waitFor()],
]
test.each(rowsOfLevel(states, 1))(
  'axe finds nothing in both schemes, wide and narrow: %s',
  async (_what, path, prepare) => {
    const page = await look()
    await page.goto(fleet() + path)
    await prepare(page)
    expect(await wrongLooks(page, async () => {})).toEqual([])
  },
)
