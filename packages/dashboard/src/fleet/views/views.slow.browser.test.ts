/**
 * Tests views as people save, open, share, change and remove them. `npm test` leaves this out.
 * packages/server/src/web/operations/views.http.test.ts proves the same rules.
 */
import type { SavedView } from '@svc/api'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { wrongLooks } from '../../../testing/axe.ts'
import { type BrowserSetup, openBrowserSetup, password, type Visitor } from '../../../testing/browser-setup.ts'
import { focusOn } from '../../../testing/keys.ts'

const api = '/api/web/w/north-wind'
let setup: BrowserSetup
let ada: Visitor
const fleet = (q = '') => `${setup.url}/w/north-wind${q === '' ? '' : `?q=${encodeURIComponent(q)}`}`

beforeAll(async () => {
  setup = await openBrowserSetup()
  ada = await setup.ada()
  for (const [name, host, level] of [
    ['mail-1', 'build-1', 'ok'],
    ['mail-2', 'build-2', 'bad'],
    ['disk-1', 'db-1', 'bad'],
  ] as const) {
    const { token } = await ada.call<{ token: string }>('POST', `${api}/agents`, { name })
    await setup.report(token, { state: { level, label: 'As told' }, agent: { host }, controls: ['pause'] })
  }
})
afterAll(() => setup?.close())
afterEach(async () => {
  for (const { id } of await views()) await ada.call('DELETE', `${api}/views/${id}`)
  expect(setup.faults.splice(0)).toEqual([])
})

const views = () => ada.call<SavedView[]>('GET', `${api}/views`)
const saved = (name: string, q: string, shared = false) => ada.call('PUT', `${api}/views`, { name, q, shared })
const look = (width = 1440) => setup.window(ada, { width })
const names = (page: Page) => page.locator('.fleet-body .fleet-link').allTextContents()
const shows = (page: Page, wanted: string[]) =>
  eventually(`the list of ${wanted.join(', ')}`, async () =>
    expect((await names(page)).sort()).toEqual([...wanted].sort()),
  )
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const press = (page: Page, name: string | RegExp) => page.getByRole('menuitem', { name }).click()
const find = async (page: Page, text: string, option: string | RegExp) => {
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Find' })
  await field.waitFor()
  await page.keyboard.type(text)
  // The first entry may be selected before the text has arrived, and Enter must not be earlier than the text.
  await eventually(`"${text}" in the palette`, async () => expect(await field.inputValue()).toBe(text))
  await page.getByRole('option', { name: option, selected: true }).waitFor()
  await page.keyboard.press('Enter')
}

test('a view is saved, says that the list differs from it, and is changed, renamed, removed and brought back', async () => {
  const page = await look()
  await page.goto(fleet('level:bad'))
  await shows(page, ['mail-2', 'disk-1'])
  await page.getByRole('button', { name: 'Save view' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Bad ones')
  await page.getByRole('dialog').getByText('level:bad').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click()
  await button(page, 'View Bad ones').waitFor()
  expect(await page.getByRole('button', { name: 'Save view' }).count()).toBe(0)
  expect(await views()).toMatchObject([{ name: 'Bad ones', q: 'level:bad', shared: false, sort: null, columns: null }])

  await page.getByRole('combobox', { name: 'Filter agents' }).fill('level:bad host:build-*')
  await button(page, 'View Bad ones, changed').waitFor()
  await shows(page, ['mail-2'])
  await page.reload()
  await button(page, 'View Bad ones, changed').click()
  await press(page, 'Undo the changes')
  await button(page, 'View Bad ones').waitFor()
  await shows(page, ['mail-2', 'disk-1'])

  await page.getByRole('columnheader', { name: 'Agent' }).getByRole('button').click()
  await button(page, 'View Bad ones, changed').waitFor()
  await page.getByRole('button', { name: 'Save view' }).click()
  await page.getByText('It replaces the view').waitFor()
  await page.getByRole('button', { name: 'Replace view' }).click()
  await button(page, 'View Bad ones').waitFor()
  expect(await views()).toMatchObject([{ name: 'Bad ones', sort: 'name' }])

  await button(page, 'View Bad ones').click()
  await press(page, 'Rename view…')
  await page.getByRole('textbox', { name: 'Name' }).fill('In trouble')
  await page.getByRole('button', { name: 'Rename view' }).click()
  await button(page, 'View In trouble').click()
  expect(await views()).toMatchObject([{ name: 'In trouble', q: 'level:bad', sort: 'name' }])
  await press(page, 'Remove view')
  await button(page, 'Views').waitFor()
  await shows(page, ['mail-2', 'disk-1'])
  expect(await views()).toEqual([])
  await page.getByRole('button', { name: 'Undo' }).click()
  await button(page, 'View In trouble').waitFor()
  expect(await views()).toMatchObject([{ name: 'In trouble', q: 'level:bad', sort: 'name' }])
})

test('a name that is taken is said before it is lost, and a wrong filter cannot be saved', async () => {
  await saved('First', 'mail')
  await saved('Second', 'disk')
  const page = await look()
  await page.goto(fleet('mail'))
  await button(page, 'View First').click()
  await press(page, 'Rename view…')
  await page.getByRole('textbox', { name: 'Name' }).fill('Second')
  await page.getByText('There is a view of that name already.').waitFor()
  expect(await page.getByRole('button', { name: 'Rename view' }).isDisabled()).toBe(true)
  await page.keyboard.press('Escape')
  await page.goto(fleet('level:green'))
  await button(page, 'Views').click()
  expect(await page.getByRole('menuitem', { name: 'Save view…' }).isDisabled()).toBe(true)
})

test('an admin shares a view; a member opens it and cannot change it, but saves one', async () => {
  const bob = await setup.visitor({ width: 1440 })
  await setup.operator(
    ['person', 'create', 'bob@example.org', '--name', 'Bob', '--workspace', 'north-wind'],
    `${password}\n`,
  )
  await setup.signIn(bob, 'bob@example.org')
  const page = await look()
  await page.goto(fleet('host:build-*'))
  await page.getByRole('button', { name: 'Save view' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Builders')
  await page.getByRole('radio', { name: 'Everybody in North Wind' }).check()
  await page.keyboard.press('Enter')
  await button(page, 'View Builders').waitFor()
  await page.goto(`${setup.url}/w/north-wind/activity`)
  await page.getByText('saved the view').waitFor()

  await bob.page.goto(fleet())
  await button(bob.page, 'Views').click()
  await press(bob.page, 'Builders')
  await shows(bob.page, ['mail-1', 'mail-2'])
  expect(new URL(bob.page.url()).search).toBe('?q=host:build-*')
  await button(bob.page, 'View Builders').click()
  await bob.page.getByRole('menuitem', { name: 'Save view…' }).waitFor()
  for (const name of ['Rename view…', 'Remove view'])
    expect(await bob.page.getByRole('menuitem', { name }).count()).toBe(0)
  await press(bob.page, 'Save view…')
  expect(await bob.page.getByRole('radio').count()).toBe(0)
  await bob.page.getByRole('textbox', { name: 'Name' }).fill('Mine')
  await bob.page.keyboard.press('Enter')
  await eventually("Bob's own view", async () => {
    const all = await bob.call<SavedView[]>('GET', `${api}/views`)
    expect(all.map(({ name }) => name)).toEqual(['Builders', 'Mine'])
  })
  expect((await views()).map(({ name }) => name)).toEqual(['Builders'])
})

test('views are tabs above the list: the shown one is marked and has a place, and the keyboard opens one', async () => {
  for (let i = 1; i <= 12; i++) await saved(`A view with number ${i}`, `level:ok ${i}`)
  await saved('Worst', 'level:bad')
  const page = await look(1024)
  await page.goto(fleet('level:bad'))
  const tabs = page.getByRole('navigation', { name: 'Views' })
  const current = tabs.locator('[aria-current]')
  await current.getByText('Worst', { exact: true }).waitFor()
  expect(await current.evaluate((e) => getComputedStyle(e).visibility)).toBe('visible')
  const drawn = await tabs.getByRole('link').count()
  expect(drawn, 'links that can be reached').toBeGreaterThan(2)
  expect(drawn).toBeLessThan(13)
  await focusOn(tabs.getByRole('link', { name: 'All agents' }))
  await page.keyboard.press('Enter')
  await shows(page, ['mail-1', 'mail-2', 'disk-1'])
  await current.getByText('All agents').waitFor()
  await page.goBack()
  await current.getByText('Worst', { exact: true }).waitFor()
  await tabs.getByRole('link', { name: 'A view with number 1', exact: true }).click()
  await shows(page, ['mail-1'])
  await field(page).fill('level:ok mail')
  await tabs.getByText('changed').waitFor()
})

test('the tabs use the width that the buttons beside them leave', async () => {
  for (const name of ['Bad in eu', 'Expensive today', 'Needs attention', 'Of support', 'Outdated'])
    await saved(name, name)
  const page = await look(1024)
  await page.goto(fleet())
  const tabs = page.getByRole('navigation', { name: 'Views' })
  await tabs.getByRole('link', { name: 'Bad in eu' }).waitFor()
  const links = () => tabs.getByRole('link').count()
  await eventually('all tabs have a place', async () => expect(await links()).toBe(6))
  await field(page).fill('level:bad')
  const save = button(page, 'Save view')
  await save.waitFor()
  await eventually('the button takes the place of a tab', async () => expect(await links()).toBeLessThan(6))
  const [line, beside] = await Promise.all([tabs.boundingBox(), save.boundingBox()])
  expect(beside?.x).toBeGreaterThanOrEqual((line?.x ?? 0) + (line?.width ?? 0))
  expect(Math.abs((beside?.y ?? 0) - (line?.y ?? 0))).toBeLessThan(20)
  await field(page).fill('')
  await eventually('it is back', async () => expect(await links()).toBe(6))
})

test('the menu works with the keyboard, and gives the focus back', async () => {
  await saved('Builders', 'host:build-*')
  const page = await look()
  await page.goto(fleet())
  await focusOn(button(page, 'Views'))
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Builders' }).waitFor()
  const first = page.locator('[role="menuitem"]:focus', { hasText: 'All agents' })
  const second = page.locator('[role="menuitem"]:focus', { hasText: 'Builders' })
  // A menu that opens for the first time may give the focus to its first item twice.
  await eventually('the arrow key moves the focus', async () => {
    await first.waitFor()
    await page.keyboard.press('ArrowDown')
    await second.waitFor({ timeout: 1000 })
  })
  await page.keyboard.press('Enter')
  await shows(page, ['mail-1', 'mail-2'])
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Rename view…' }).waitFor()
  // Escape closes the menu once the menu has the focus, which comes a moment after it is drawn.
  await first.waitFor()
  await page.keyboard.press('Escape')
  await page.locator('button:focus', { hasText: 'Builders' }).waitFor()
})

test('with the keyboard only: the palette saves, finds and removes views, and finds actions', async () => {
  await ada.call('POST', `${api}/actions`, { type: 'pause', agents: ['mail-1', 'mail-2'] })
  await saved('Builders', 'host:build-*', true)
  const page = await look()
  await page.goto(`${setup.url}/w/north-wind/members`)
  await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
  await find(page, 'builders', 'Builders')
  await shows(page, ['mail-1', 'mail-2'])
  await page.keyboard.press('/')
  await page.keyboard.type('level:bad')
  await page.keyboard.press('Enter')
  await shows(page, ['mail-2', 'disk-1'])
  await find(page, 'save view', 'Save view')
  await page.locator('[role="dialog"] input:focus').waitFor()
  await page.keyboard.type('Bad ones')
  await page.keyboard.press('Enter')
  await button(page, 'View Bad ones').waitFor()
  await find(page, 'remove the view', 'Remove the view Bad ones')
  await button(page, 'Views').waitFor()
  await find(page, 'pause', /^Pause: 2 agents/)
  await page.getByRole('heading', { level: 1, name: /Pause/ }).waitFor()
  await find(page, 'all actions', 'All actions')
  await page.getByRole('heading', { level: 1, name: 'Actions' }).waitFor()
})

test.each<[what: string, prepare: (page: Page) => Promise<unknown>]>([
  [
    'the menu',
    async (page) => {
      await page.getByRole('button', { name: /^View/ }).click()
      await page.getByRole('menuitem', { name: 'Bad ones' }).waitFor()
    },
  ],
  [
    'the dialog',
    async (page) => {
      await page.getByRole('button', { name: /^View/ }).click()
      await press(page, 'Save view…')
      await page.getByRole('textbox', { name: 'Name' }).waitFor()
    },
  ],
])('axe finds nothing in both schemes, wide and narrow: %s', async (_what, prepare) => {
  await saved('Bad ones', 'level:bad')
  await saved('A view of the workspace with a name of almost 60 characters', 'host:build-*', true)
  const page = await look()
  await page.goto(fleet('host:build-* level:bad'))
  await prepare(page)
  expect(await wrongLooks(page, async () => {}, [1440, 1204, 1024, 992, 768, 360, 320])).toEqual([])
})

const field = (page: Page) => page.getByRole('combobox', { name: 'Filter agents' })
/** Opens the view through its menu, and changes the list. */
const openAndChange = async (page: Page) => {
  await page.goto(fleet())
  await button(page, 'Views').click()
  await press(page, 'Bad in build')
  await button(page, 'View Bad in build').waitFor()
  await field(page).fill('level:bad host:build-* mail')
  await button(page, 'View Bad in build, changed').waitFor()
}
const typeView = async (page: Page) => {
  await page.goto(fleet())
  await field(page).fill('level:bad host:build-*')
  await button(page, 'View Bad in build').waitFor()
}

test.each<[what: string, steps: (page: Page) => Promise<unknown>, shown: string]>([
  [
    'a text that equals a view, and goes on',
    (page) => typeView(page).then(() => field(page).fill('level:bad')),
    'Views',
  ],
  [
    'a text that equals a view, then another address',
    (page) => typeView(page).then(() => page.goto(fleet('mail'))),
    'Views',
  ],
  [
    'an address that equals a view, then another one and a reload',
    async (page) => {
      await page.goto(fleet('level:bad host:build-*'))
      await button(page, 'View Bad in build').waitFor()
      await page.goto(fleet('mail'))
      await page.reload()
    },
    'Views',
  ],
  ['a changed view, then another address', (page) => openAndChange(page).then(() => page.goto(fleet('mail'))), 'Views'],
  [
    'a changed view and a reload',
    (page) => openAndChange(page).then(() => page.reload()),
    'View Bad in build, changed',
  ],
  [
    'a changed view, sorted and with a level',
    async (page) => {
      await openAndChange(page)
      await page.getByRole('columnheader', { name: 'Agent' }).getByRole('button').click()
      await page.getByRole('navigation', { name: 'Filter by state' }).getByRole('link', { name: /^Bad/ }).click()
    },
    'View Bad in build, changed',
  ],
  [
    'a changed view, and back from the page of an agent',
    async (page) => {
      await openAndChange(page)
      await page.getByRole('link', { name: 'mail-2', exact: true }).click()
      await page.getByRole('heading', { level: 1, name: 'mail-2' }).waitFor()
      await page.locator('.svc-head').getByRole('link', { name: 'Agents', exact: true }).click()
    },
    'View Bad in build, changed',
  ],
  [
    'a changed view, and back with the button of the browser',
    async (page) => {
      await openAndChange(page)
      await page.getByRole('link', { name: 'Members', exact: true }).first().click()
      await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
      await page.goBack()
    },
    'View Bad in build, changed',
  ],
  [
    'a changed view whose filter is removed, and another filter',
    async (page) => {
      await openAndChange(page)
      await field(page).fill('')
      await button(page, 'Views').waitFor()
      await field(page).fill('disk')
    },
    'Views',
  ],
])('the button names the view from which the list came: %s', async (_what, steps, shown) => {
  await saved('Bad in build', 'level:bad host:build-*')
  const page = await look()
  await steps(page)
  // This button appears once the views are loaded, and if the list is none of them.
  await page.getByRole('button', { name: 'Save view' }).waitFor()
  await button(page, shown).waitFor()
})
