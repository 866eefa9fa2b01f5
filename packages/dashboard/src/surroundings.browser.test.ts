/**
 * The page in surroundings that it does not control: programs that change its nodes while everything changes, and files
 * that an upgrade of the service has removed.
 */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { afterThisTest } from '../../../testing/cleaning.ts'
import { level, rowsOfLevel } from '../../../testing/level.ts'
import { type BrowserSetup, openBrowserSetup, type Visitor } from '../testing/browser-setup.ts'
import { programs } from '../testing/foreign-programs.ts'

let setup: BrowserSetup
let ada: Visitor
const tokens = new Map<string, string>()
const names = ['mail-1', 'disk-1']

beforeAll(async () => {
  setup = await openBrowserSetup()
  ada = await setup.ada()
  for (const name of names) {
    const { token } = await ada.call<{ token: string }>('POST', '/api/web/w/north-wind/agents', { name })
    tokens.set(name, token)
  }
})
afterAll(() => setup?.close())
afterEach(() => expect(setup.faults.splice(0)).toEqual([]))

const list = '/w/north-wind'
const report = (name: string, level: string, label: string, more = {}) =>
  setup.report(tokens.get(name) ?? '', {
    state: { level, label, detail: `${label} now` },
    health: [{ name: 'Disk', level, detail: label }],
    controls: ['pause', 'resume'],
    ...more,
  })

/** A window of Ada's browser, which has the files of the page already. A test may change it: no other test gets it. */
async function changedWindow(): Promise<Page> {
  const page = await setup.window(ada)
  afterThisTest(() => page.close())
  return page
}

const broken = (page: Page) => page.getByText('Something went wrong')

test.each(rowsOfLevel(Object.entries(programs), 1))(
  '%s: the list and the page of an agent show what changes',
  async (_name, program) => {
    await report('mail-1', 'ok', 'Idle')
    await report('disk-1', 'ok', 'Idle')
    const page = await changedWindow()
    await page.addInitScript(program)
    await page.goto(setup.url + list)
    await page.getByText('Idle').first().waitFor()
    await report('mail-1', 'warn', 'Queue of 7')
    await page.getByText('Queue of 7', { exact: true }).waitFor()
    await report('mail-1', 'bad', 'Queue of 9')
    await page.getByText('Queue of 9', { exact: true }).waitFor()
    // A program may change the nodes once more, a moment after the new text is there.
    await page.getByText('Queue of 7').first().waitFor({ state: 'detached' })
    const field = page.getByRole('combobox', { name: 'Filter agents' })
    await field.fill('disk')
    await page.getByRole('link', { name: 'mail-1', exact: true }).waitFor({ state: 'detached' })
    await field.fill('')
    await page.getByRole('link', { name: 'mail-1', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'mail-1' }).waitFor()
    await report('mail-1', 'ok', 'Queue is empty', { panels: [{ type: 'text', title: 'Notes', lines: ['one'] }] })
    await page.getByText('Queue is empty', { exact: true }).first().waitFor()
    const runs = [{ id: 'run-1', status: 'ok', started: 1_760_000_000 }]
    await report('mail-1', 'ok', 'Queue is empty', { panels: [{ type: 'text', title: 'Notes', lines: ['two'] }], runs })
    await page.getByText('two', { exact: true }).waitFor()
    await page.getByText('one', { exact: true }).first().waitFor({ state: 'detached' })
    for (const tab of ['Runs', 'Overview']) await page.getByRole('tab', { name: tab }).click()
    expect(await broken(page).count()).toBe(0)
  },
)

test('the page asks browsers not to translate it, since names and levels are those of the machine', async () => {
  const page = await setup.window(ada)
  await page.goto(setup.url + list)
  expect(await page.locator('html').getAttribute('translate')).toBe('no')
  expect(await page.locator('meta[name=google]').getAttribute('content')).toBe('notranslate')
})

test.skipIf(level === 'short')(
  'a page that breaks because another program removed its nodes is drawn again without a person',
  async () => {
    await report('mail-1', 'ok', 'Idle')
    const page = await setup.window(ada)
    await page.goto(setup.url + list)
    await page.getByText('Idle').first().waitFor()
    // React wants to remove these nodes when the next page is opened.
    await page.evaluate(() => document.querySelector('h1')?.closest('.svc-page')?.replaceChildren())
    await page.getByRole('link', { name: 'Members', exact: true }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
    expect(await broken(page).count()).toBe(0)
    setup.faults.splice(0) // The console shows the error of React.
  },
)

/** Answers 404 to the files of the page that `which` selects, as a service of another version does. */
const without = (page: Page, which: RegExp) =>
  page.route(
    (url) => which.test(url.pathname),
    (route) => route.fulfill({ status: 404, body: '{}' }),
  )

test.skipIf(level === 'short')(
  'after an upgrade, the next link opens a new document, and what was typed stays until then',
  async () => {
    await report('mail-1', 'ok', 'Idle')
    const { page } = await setup.ada({ own: true })
    await page.goto(setup.url + list)
    await page.getByRole('link', { name: 'mail-1', exact: true }).waitFor()
    await page.evaluate(() => Object.assign(window, { old: true }))
    await without(page, /\/assets\/.*\.(js|css)$/)
    const missing = page.waitForResponse((response) => response.status() === 404 && /Members/.test(response.url()))
    await page.getByRole('link', { name: 'Members', exact: true }).first().hover()
    await missing
    // A filter that is typed changes the address, too, and opens no document: the page does not even ask for one.
    const asked: string[] = []
    page.on('request', (request) => void asked.push(request.url()))
    await page.getByRole('combobox', { name: 'Filter agents' }).fill('mail')
    await page.waitForURL(/mail/)
    await page.getByRole('link', { name: 'disk-1', exact: true }).waitFor({ state: 'detached' })
    expect(asked.filter((url) => url.endsWith('/icon.svg'))).toEqual([])
    expect(await page.getByRole('combobox', { name: 'Filter agents' }).inputValue()).toBe('mail')
    await page.unrouteAll()
    await page.getByRole('link', { name: 'Members', exact: true }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
    expect(await page.evaluate(() => 'old' in window)).toBe(false)
    setup.faults.splice(0) // The console shows the missing files.
  },
)

test.each(
  rowsOfLevel(
    [
      ['a script of a page', /\/assets\/MembersPage.*\.js$/],
      ['a style sheet of a page', /\/assets\/(MembersPage|members).*\.css$/],
    ],
    1,
  ),
)('%s that is missing for good is named, and nothing reloads again and again', async (_name, which) => {
  const page = await changedWindow()
  await page.goto(setup.url + list)
  await page.getByRole('heading', { level: 1 }).waitFor()
  let documents = 0
  page.on('request', (request) => {
    if (request.isNavigationRequest()) documents++
  })
  await without(page, which)
  await page.goto(`${setup.url + list}/members`)
  await page.getByText('The files of this page could not be loaded.').waitFor()
  expect(documents).toBeLessThanOrEqual(2)
  setup.faults.splice(0)
})

test.each(
  rowsOfLevel(
    [
      ['the first script', /\/assets\/index.*\.js$/],
      ['the script of the sign-in', /\/assets\/door.*\.js$/],
      ['the script of the page', /\/assets\/page.*\.js$/],
    ],
    1,
  ),
)('%s is missing: the page says so instead of showing an empty frame', async (_name, which) => {
  const { page } = await setup.visitor()
  await without(page, which)
  await page.goto(`${setup.url}/sign-in`)
  await page.getByText('The files of this page could not be loaded.').waitFor()
  setup.faults.splice(0)
})
