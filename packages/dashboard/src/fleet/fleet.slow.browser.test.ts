/**
 * Tests the list of agents as a person sees and uses it, while agents report. `npm test` leaves this out.
 * packages/dashboard/src/keyboard.browser.test.ts proves the same rules.
 */
import { brotliCompressSync, constants } from 'node:zlib'
import type { AuditEntry, Fleet } from '@svc/api'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../testing/eventually.ts'
import { axe, overflow, resize, wrongLooks } from '../../testing/axe.ts'
import { type BrowserSetup, type Look, openBrowserSetup, type Visitor } from '../../testing/browser-setup.ts'

let setup: BrowserSetup
let ada: Visitor
const tokens = new Map<string, string>()
const token = (name: string) => tokens.get(name) ?? ''
const fleet = () => `${setup.url}/w/north-wind`

beforeAll(async () => {
  setup = await openBrowserSetup()
  ada = await setup.ada()
  for (const name of ['mail-triage', 'repo-watch', 'link-checker', 'never-started']) {
    const made = await ada.call<{ token: string }>('POST', '/api/web/w/north-wind/agents', { name })
    tokens.set(name, made.token)
  }
  await allReport()
  const tagged = { agents: ['mail-triage'], add: ['eu', 'prod', 'team:mail'] }
  await ada.call('POST', '/api/web/w/north-wind/tags', tagged)
})
afterAll(() => setup?.close())
afterEach(() => expect(setup.faults.splice(0)).toEqual([]))

/** Lets the agents report. One that has not reported for 90 seconds is offline. */
async function allReport() {
  await setup.report(token('mail-triage'), {
    agent: { version: '1.2.0' },
    state: { level: 'ok', label: '<b>Idle</b> ‮gnp.exe' },
    controls: ['pause', 'resume', 'run_now'],
    runs: [{ id: 'r1', started: Math.floor(Date.now() / 1000), cost_usd: 1.5 }],
  })
  await setup.report(token('repo-watch'), {
    state: { level: 'bad', label: 'Build fails' },
    active: [{ kind: 'bisect', detail: 'step 3 of 9' }],
    controls: ['pause'],
  })
  await setup.report(token('link-checker'), { state: { level: 'warn', label: 'Two links are broken' } })
}

const names = (visitor: Visitor) => visitor.page.locator('.fleet-body .fleet-link').allTextContents()
/** Opens another window of Ada's browser. */
const window = async (look: Look = {}): Promise<Visitor> => ({ ...ada, page: await setup.window(ada, look) })
const row = (visitor: Visitor, name: string) =>
  visitor.page.locator('.fleet-body .fleet-row', { has: visitor.page.getByRole('link', { name, exact: true }) })

test('the worst agents come first, with message, progress, costs and version; reported text stays text', async () => {
  await ada.page.goto(fleet())
  await row(ada, 'mail-triage').waitFor()
  expect(await names(ada)).toEqual(['repo-watch', 'link-checker', 'mail-triage', 'never-started'])
  expect(await row(ada, 'repo-watch').textContent()).toContain('step 3 of 9')
  const mail = row(ada, 'mail-triage')
  expect(await mail.textContent()).toContain('<b>Idle</b> ‮gnp.exe')
  expect(await mail.locator('bdi', { hasText: 'Idle' }).locator('b').count()).toBe(0)
  expect(await mail.textContent()).toMatch(/\$1\.50.*1\.2\.0/)
  expect(await row(ada, 'never-started').textContent()).toContain('Never reported')
})

/**
 * All scripts that a page needs at first are measured together, compressed as the service does, in kilobytes. At most
 * six files are allowed, because a browser opens at most six connections at a time. The palette is loaded when it is
 * opened.
 */
test.each([
  ['/w/north-wind', 235, 6],
  // Its tabs, menus and charts are a file of their own, which other pages share.
  ['/w/north-wind/agents/mail-triage', 247, 7],
])('%s takes at most %i KB of scripts, in no more than %i files', async (path, most, files) => {
  // The first steps of a new workspace are one more file, which only newcomers load.
  await ada.call('PATCH', '/api/web/me', { onboarding: false })
  const { context, page } = await setup.visitor({ own: true })
  await context.addCookies(await ada.context.cookies())
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }
  const scripts: Promise<number>[] = []
  const loaded: string[] = []
  page.on('response', (response) => {
    if (response.request().resourceType() !== 'script') return
    loaded.push(new URL(response.url()).pathname)
    scripts.push(response.body().then((script) => brotliCompressSync(script, quality).length))
  })
  await page.goto(setup.url + path)
  await page.getByText('mail-triage').first().waitFor()
  await page.waitForLoadState('networkidle')
  expect(loaded.length, loaded.join(' ')).toBeLessThanOrEqual(files)
  const bytes = (await Promise.all(scripts)).reduce((sum, each) => sum + each, 0)
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThanOrEqual(most * 1000)
  const before = scripts.length
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Find' }).waitFor()
  expect(scripts.length).toBeGreaterThan(before)
})

test('a report appears by itself, and its row stays in place', async () => {
  const connected = ada.page.waitForResponse(/\/events/)
  await ada.page.goto(fleet())
  await connected
  await row(ada, 'link-checker').waitFor()
  const before = await row(ada, 'link-checker').boundingBox()
  for (const label of ['Three links are broken', 'Four links are broken', 'Five links are broken']) {
    await setup.report(token('link-checker'), { state: { level: 'warn', label } })
    await ada.page.getByText(label).waitFor()
  }
  expect(await row(ada, 'link-checker').boundingBox()).toEqual(before)
})

test('filters and search are in the address, and the list says how many agents match', async () => {
  await ada.page.goto(fleet())
  const filter = ada.page.getByRole('navigation', { name: 'Filter by state' })
  await filter.getByRole('link', { name: /^Bad/ }).click()
  await ada.page.waitForURL(/q=level:bad/)
  await row(ada, 'mail-triage').waitFor({ state: 'detached' })
  expect(await names(ada)).toEqual(['repo-watch'])
  await filter.getByRole('link', { name: /^Never reported/ }).click()
  await row(ada, 'never-started').waitFor()
  await filter.getByRole('link', { name: /^All/ }).click()
  await row(ada, 'mail-triage').waitFor()
  await ada.page.keyboard.press('/')
  await ada.page.keyboard.type('nothing like it')
  // The page puts the search into its address a moment after the typing or, on a busy machine, also during the typing.
  await ada.page.waitForURL((url) => url.searchParams.get('q') === 'nothing like it')
  await ada.page.getByRole('heading', { name: 'No agents match' }).waitFor()
  await ada.page.getByRole('link', { name: 'Show all agents' }).click()
  await row(ada, 'mail-triage').waitFor()
})

const field = (visitor: Visitor) => visitor.page.getByRole('combobox', { name: 'Filter agents' })
const qIs = (visitor: Visitor, q: string | null) =>
  visitor.page.waitForURL((url) => url.searchParams.get('q') === q && !url.searchParams.has('search'))

const numberIs = ({ page }: Visitor, words: string) => page.locator('.fleet-number').getByText(words).waitFor()

test('a wrong filter is underlined without a request, keeps the list, and loses nothing that was typed', async () => {
  const visitor = await window()
  const { page } = visitor
  const asked: string[] = []
  page.on('request', (request) => request.url().includes('/fleet') && asked.push(request.url()))
  await page.goto(`${fleet()}?q=level:warn`)
  await row(visitor, 'link-checker').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.press('End')
  await page.keyboard.type(',green')
  const sentence = page.getByText('level: does not take green. It takes ok, info, warn, bad or none.')
  await sentence.waitFor()
  expect(await page.locator('.fleet-underline mark').textContent()).toBe('green')
  expect(await field(visitor).getAttribute('aria-invalid')).toBe('true')
  await numberIs(visitor, '1 of 4 · filter not applied')
  await page.getByText('The list still shows level:warn.').waitFor()
  expect(await names(visitor)).toEqual(['link-checker'])
  expect(asked.filter((url) => url.includes('green'))).toEqual([])
  expect(await axe(page)).toEqual([])

  await row(visitor, 'link-checker').getByRole('link').click()
  await page.getByRole('heading', { level: 1, name: 'link-checker' }).waitFor()
  await page.goBack()
  await sentence.waitFor()
  expect(await names(visitor)).toEqual(['link-checker'])
  await page.reload()
  await sentence.waitFor()
  await page.getByText('The list shows all agents.').waitFor()
  expect(await field(visitor).inputValue()).toBe('level:warn,green')

  await page.keyboard.press('/')
  await page.keyboard.press('End')
  for (const _ of ',green') await page.keyboard.press('Backspace')
  await numberIs(visitor, '1 of 4')
  await sentence.waitFor({ state: 'detached' })
  await qIs(visitor, 'level:warn')
})

test.each([
  ['?search=links+are', '"links are"', ['link-checker']],
  ['?show=bad', 'level:bad', ['repo-watch']],
  ['?level=warn&silent=false', 'level:warn -is:offline', ['link-checker']],
  ['?show=never&search=never&sort=name', '"never" is:never', ['never-started']],
  ['?search=1.20', '"1.20"', []],
  ['?q=1.2*', '1.2*', []],
  ['?q=version%3A1.2*', 'version:1.2*', ['mail-triage']],
])('the address %s shows the filter %s', async (address, filter, found) => {
  await allReport()
  const visitor = await window()
  await visitor.page.goto(fleet() + address)
  await qIs(visitor, filter)
  expect(await field(visitor).inputValue()).toBe(filter)
  await numberIs(visitor, `${found.length} of 4`)
  expect(await names(visitor)).toEqual(found)
})

test('the field suggests keys and values, which the keys take, and the chips put their term into the filter', async () => {
  const visitor = await window()
  const { page } = visitor
  await page.goto(fleet())
  await row(visitor, 'mail-triage').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('ve')
  await page.getByRole('option', { name: /^version:/ }).waitFor()
  expect(await axe(page)).toEqual([])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('option', { name: /^1\.2\.0/ }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.getByRole('listbox').getByRole('option', { selected: true }).waitFor()
  await page.keyboard.press('Tab')
  expect(await field(visitor).inputValue()).toBe('version:1.2.0')
  await qIs(visitor, 'version:1.2.0')
  await numberIs(visitor, '1 of 4')
  await page.keyboard.type(' is:off')
  await page.getByRole('option', { name: 'offline' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('listbox').waitFor({ state: 'detached' })
  expect(await field(visitor).inputValue()).toBe('version:1.2.0 is:off')
  await page.getByRole('link', { name: /^OK/ }).click()
  await qIs(visitor, 'version:1.2.0 level:ok')
  expect(await field(visitor).inputValue()).toBe('version:1.2.0 level:ok')
  await page.getByRole('button', { name: 'What a filter can say' }).click()
  await page.getByRole('dialog').getByText('a tag such as eu').waitFor()
  expect(await axe(page)).toEqual([])
})

test('all agents that fit are selected by one box, and the action for them remembers the filter', async () => {
  const visitor = await window()
  const { page } = visitor
  await page.goto(`${fleet()}?q=${encodeURIComponent('level:bad,warn')}`)
  await row(visitor, 'repo-watch').waitFor()
  const sent = page.waitForRequest((request) => /\/actions$/.test(request.url()))
  await page.getByRole('checkbox', { name: 'Select all 2 that fit' }).click()
  await page.getByText('2 selected').waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Pause 1' }).click()
  expect((await sent).postDataJSON()).toMatchObject({
    agents: ['link-checker', 'repo-watch'],
    filter: 'level:bad,warn',
  })
  await page.getByRole('heading', { level: 1, name: 'Pause: 2 agents' }).waitFor()
  await page.getByRole('button', { name: 'Cancel what waits' }).click()
  await page.getByRole('button', { name: '1 cancelled' }).waitFor()
})

test('each row has a strip of the last 24 hours, in one element, with words and in every scheme', async () => {
  const visitor = await window()
  const { page } = visitor
  const asked: string[] = []
  await page.route(/history\/strips/, (route) => {
    const names = new URL(route.request().url()).searchParams.get('names') ?? ''
    asked.push(names)
    const until = Date.now()
    const text = 'u9600o9600i9600w9600b9600n9600p9600x9600s9600'
    const strips = Object.fromEntries(names.split(',').map((name) => [name, text]))
    return route.fulfill({ json: { from: until - 86_400_000, until, strips } })
  })
  await page.goto(fleet())
  const strip = row(visitor, 'mail-triage').getByRole('img', { name: /^24 hours: / })
  await strip.waitFor()
  expect(await strip.getAttribute('title')).toMatch(/Bad from \d\d:\d\d to \d\d:\d\d, .*offline from .*paused from /)
  const layers = () => strip.evaluate((e) => getComputedStyle(e).backgroundImage.split('gradient(').length - 1)
  expect(await layers()).toBe(8)
  await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' })
  expect(await layers()).toBe(8)
  await page.emulateMedia({ forcedColors: 'none' })
  expect(await strip.locator('*').count()).toBe(0)
  expect(asked.flatMap((names) => names.split(',')).sort()).toEqual((await names(visitor)).sort())
  await resize(page, 360)
  await strip.waitFor()
  expect((await row(visitor, 'mail-triage').boundingBox())?.height).toBe(62)
})

test('an update that was rolled back, an agent that is offline and an open alert say so in the row', async () => {
  const visitor = await window()
  const { page } = visitor
  await page.route(/\/fleet\?/, async (route) => {
    const response = await route.fetch()
    const answer: Fleet = await response.json()
    const rows = answer.rows.map((one) => {
      if (one.name === 'mail-triage')
        return {
          ...one,
          alerts: { ...one.alerts, open: 2 },
          updates: { ...one.updates, wished: '9.9.9', wishState: 'rolled_back' },
        }
      return one.name === 'repo-watch' ? { ...one, label: 'Waiting', stopped: null, silentAt: 1 } : one
    })
    await route.fulfill({ response, json: { ...answer, rows } })
  })
  await page.goto(fleet())
  const troubled = row(visitor, 'mail-triage')
  await troubled.getByText('rolled back', { exact: true }).waitFor()
  expect(await troubled.locator('.fleet-version').textContent()).toContain('Version 9.9.9 was tried and rolled back')
  expect(await row(visitor, 'repo-watch').locator('.fleet-state').textContent()).toBe('Offlinewas Waiting')
  for (const width of [1024, 1440]) {
    await resize(page, width)
    const was = row(visitor, 'repo-watch').locator('.fleet-state .svc-cut')
    await eventually(`nothing of the state is cut at ${width} pixels`, async () =>
      expect(await was.evaluate((text) => text.scrollWidth - text.clientWidth)).toBe(0),
    )
    const [line, state] = await Promise.all(
      [row(visitor, 'repo-watch'), row(visitor, 'repo-watch').locator('.fleet-state-now')].map((e) => e.boundingBox()),
    )
    expect(state?.height).toBeLessThan(line?.height ?? 0)
  }
  await troubled.getByRole('link', { name: '2 open alerts' }).click()
  await page.waitForURL(/agents\/mail-triage$/)
})

test('a tag in a row leads to the agents that have it, and the column for tags stays if a person chose it', async () => {
  const visitor = await setup.ada({ own: true })
  const { page } = visitor
  await page.goto(fleet())
  await row(visitor, 'mail-triage').waitFor()
  const head = page.getByRole('columnheader', { name: 'Tags', exact: true })
  expect(await head.count(), 'by default the other columns need the room').toBe(0)
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('dialog').getByLabel('30 days').uncheck()
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
  await head.waitFor()
  const tag = row(visitor, 'mail-triage').getByRole('link', { name: 'eu', exact: true })
  expect(await tag.evaluate((each) => each.scrollWidth - each.clientWidth), 'the tag is cut').toBe(0)
  await tag.click()
  await qIs(visitor, 'tag:eu')
  await numberIs(visitor, '1 of 4')
  expect(await names(visitor)).toEqual(['mail-triage'])
})

test('the columns of the list are chosen, and this browser remembers them', async () => {
  const visitor = await setup.ada({ own: true })
  const { page } = visitor
  await page.goto(fleet())
  await row(visitor, 'mail-triage').waitFor()
  const heads = async () => (await page.getByRole('columnheader').allTextContents()).slice(1)
  expect(await heads()).toEqual(['Agent', 'State', '24 hours', 'Doing now', 'Last seen', 'Cost today', 'Version'])
  await page.getByRole('button', { name: 'Columns' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('30 days').uncheck()
  await dialog.getByLabel('Tags').uncheck()
  await dialog.getByLabel('Host').check()
  expect(await axe(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Done' }).click()
  const chosen = ['Agent', 'State', '24 hours', 'Doing now', 'Host', 'Last seen', 'Cost today', 'Version']
  expect(await heads()).toEqual(chosen)
  await page.reload()
  await row(visitor, 'mail-triage').waitFor()
  expect(await heads()).toEqual(chosen)
})

test('each column sorts in its first direction, then in the other', async () => {
  await ada.page.goto(fleet())
  await row(ada, 'mail-triage').waitFor()
  const head = ada.page.getByRole('columnheader', { name: 'Agent', exact: true })
  await head.getByRole('button').click()
  await ada.page.waitForURL(/sort=name/)
  const sorted = ['link-checker', 'mail-triage', 'never-started', 'repo-watch']
  await eventually('the agents are sorted by name', async () => expect(await names(ada)).toEqual(sorted))
  expect(await head.getAttribute('aria-sort')).toBe('ascending')
  await head.getByRole('button').click()
  const turned = ['repo-watch', 'never-started', 'mail-triage', 'link-checker']
  await eventually('the agents are sorted the other way', async () => expect(await names(ada)).toEqual(turned))
})

test('the arrow keys move between rows, x selects one, Enter opens it', async () => {
  await allReport()
  await ada.page.goto(fleet())
  await row(ada, 'mail-triage').waitFor()
  await ada.page.keyboard.press('j')
  await ada.page.keyboard.press('ArrowDown')
  await ada.page.keyboard.press('x')
  await ada.page.getByText('1 selected').waitFor()
  expect(await row(ada, 'link-checker').getByRole('checkbox').isChecked()).toBe(true)
  await ada.page.keyboard.press('Enter')
  await ada.page.waitForURL('**/agents/link-checker')
  await ada.page.getByRole('heading', { level: 1 }).waitFor()
})

test('a command for many agents is previewed, and its page shows the outcome of each, live', async () => {
  await ada.page.goto(fleet())
  await row(ada, 'mail-triage').waitFor()
  await ada.page.getByRole('checkbox', { name: 'Select all' }).click()
  await ada.page.getByText('4 selected').waitFor()
  expect(await axe(ada.page)).toEqual([])
  await ada.page.getByRole('button', { name: 'Pause' }).click()
  const dialog = ada.page.getByRole('dialog')
  await dialog.getByText('2 of 4: 1 does not offer Pause, 1 never reported.').waitFor()
  expect(await axe(ada.page)).toEqual([])
  await dialog.getByRole('button', { name: 'Pause 2' }).click()
  await ada.page.getByRole('heading', { level: 1, name: 'Pause: 4 agents' }).waitFor()
  const filter = ada.page.getByRole('group', { name: 'Show agents by outcome' })
  await filter.getByRole('button', { name: '2 waiting' }).waitFor()
  expect(await axe(ada.page)).toEqual([])
  const { commands } = await setup.report(token('repo-watch'), { state: { level: 'bad' }, controls: ['pause'] })
  expect(commands.map(({ type }) => type)).toEqual(['pause'])
  await filter.getByRole('button', { name: '1 sent' }).waitFor()
  await filter.getByRole('button', { name: '2 skipped' }).click()
  const list = ada.page.getByRole('list', { name: 'Agents: ' })
  await eventually('only the skipped agents are shown', async () => expect(await list.locator('li').count()).toBe(2))
  await ada.page.getByRole('button', { name: 'Cancel what waits' }).click()
  await filter.getByRole('button', { name: '1 cancelled' }).waitFor()
  await ada.page.getByRole('main').getByRole('link', { name: 'Actions', exact: true }).click()
  await ada.page.getByText('1 sent, 2 skipped, 1 cancelled').waitFor()
  expect(await axe(ada.page)).toEqual([])
  const trail = await ada.call<AuditEntry[]>('GET', '/api/web/w/north-wind/activity')
  const sent = trail.filter(({ action, subject }) => action === 'action.sent' && subject === '4 agents')
  expect(sent).toMatchObject([{ details: { type: 'pause', agents: 4 } }])
})

test('an agent is renamed, its token rotated, and it is deleted, from its own page', async () => {
  const { token: first } = await ada.call<{ token: string }>('POST', '/api/web/w/north-wind/agents', {
    name: 'old-name',
  })
  const menu = async (name: string, item: string) => {
    await ada.page.getByRole('button', { name: `More about ${name}` }).click()
    await ada.page.getByRole('menuitem', { name: item }).click()
  }
  const dialog = ada.page.getByRole('dialog')
  await ada.page.goto(`${fleet()}/agents/old-name`)

  await menu('old-name', 'Rename')
  await dialog.getByLabel('Name').fill('mail-triage')
  await dialog.getByRole('button', { name: 'Rename' }).click()
  await dialog.getByRole('alert').waitFor() // Another agent has this name, so the service refuses it.
  await dialog.getByLabel('Name').fill('new-name')
  await dialog.getByRole('button', { name: 'Rename' }).click()
  await ada.page.waitForURL('**/agents/new-name')
  await setup.report(first, {})

  await menu('new-name', 'Rotate token')
  await dialog.getByRole('button', { name: 'Rotate token' }).click()
  const shown = /svc_agt_[\w-]{43}/
  await dialog.getByText(shown).first().waitFor()
  const second = shown.exec(await dialog.innerText())?.[0] ?? ''
  await expect(setup.report(first, {})).rejects.toThrow('401')
  await setup.report(second, {})
  await dialog.getByRole('button', { name: 'Done' }).click()

  await menu('new-name', 'Delete')
  const consequence = dialog.getByRole('listitem').filter({ hasText: /cost/i })
  expect(await consequence.allInnerTexts()).toEqual([
    'Its runs, history, commands and logs are deleted here. Its costs stay in the costs of the workspace, under “deleted agents”.',
  ])
  await dialog.getByLabel('Type new-name to confirm').fill('new-name')
  await dialog.getByRole('button', { name: 'Delete agent' }).click()
  await ada.page.waitForURL('**/w/north-wind')
  await expect(setup.report(second, {})).rejects.toThrow('401')
})

test('reports that arrive before the first connection succeeds are shown as soon as it does', async () => {
  const { page } = await setup.ada()
  await setup.report(token('link-checker'), { state: { level: 'warn', label: 'Four links are broken' } })
  await page.route('**/events', (route) => route.abort())
  await page.goto(fleet())
  await page.getByText('Reconnecting…').waitFor()
  await page.getByText('Four links are broken').waitFor()
  await setup.report(token('link-checker'), { state: { level: 'warn', label: 'Three links are broken' } })
  await page.unroute('**/events')
  await page.getByText('Three links are broken').waitFor()
})

test('while the page has no connection, it shows no agent as offline', async () => {
  const { page, context } = await setup.ada({ own: true })
  await setup.report(token('link-checker'), { state: { level: 'ok', label: 'Checking' } })
  await page.clock.install()
  // The page must read this answer before the clock is set forward, or it would seem to come ten minutes later.
  const last = page.waitForResponse(/\/history\/strips/)
  await page.goto(fleet())
  const state = page.locator('[role="row"]', { hasText: 'link-checker' }).locator('.fleet-state')
  await state.getByText('Checking').waitFor()
  await (await last).finished()
  await context.setOffline(true)
  await page.getByText('the page may be out of date').waitFor()
  await page.clock.fastForward('10:00')
  await page.getByText('10 min ago').first().waitFor()
  expect(await state.textContent()).not.toContain('was')
})

test('the first line names the problems that no chip counts, and the title of the tab their number', async () => {
  const { page } = await window()
  await setup.report(token('mail-triage'), { state: { level: 'bad', label: 'No answer' } })
  await page.goto(fleet())
  const bad = page.getByRole('link', { name: /^\d bad$/ })
  await page.getByRole('link', { name: /^Bad \d$/ }).waitFor()
  await page.getByText(/^Today\s/).waitFor()
  expect(await bad.count()).toBe(0)
  // The number of open alerts may come first.
  expect(await page.title()).toMatch(/^(\(\d\) )?\d bad · Agents/)
  await page.goto(`${fleet()}?q=mail`)
  await bad.click()
  await page.waitForURL(/q=level:bad$/)
})

test('a member sees the fleet and has no button that changes it', async () => {
  const { url } = await ada.call<{ url: string }>('POST', '/api/web/w/north-wind/invitations', {
    email: 'bo@example.org',
    role: 'member',
  })
  const bo = await setup.visitor()
  await bo.call('POST', `/api/web/invitations/${url.split('/').at(-1)}`, {
    name: 'Bo',
    password: 'correct horse battery',
  })
  await bo.page.goto(fleet())
  await row(bo, 'mail-triage').waitFor()
  expect(await bo.page.getByRole('link', { name: 'Add agent' }).count()).toBe(0)
  expect(await bo.page.getByRole('checkbox').count()).toBe(0)
})

test('axe finds nothing in light and dark, wide and narrow, and nothing is wider than the window', async () => {
  const visitor = await window({ scheme: 'dark' })
  await visitor.page.goto(fleet())
  expect(await wrongLooks(visitor.page, () => row(visitor, 'mail-triage').waitFor())).toEqual([])
})

test('axe finds nothing in a filter with a mistake, nor in the suggestions for it', async () => {
  const visitor = await window({ scheme: 'dark' })
  const { page } = visitor
  await page.goto(`${fleet()}?q=level:green`)
  await page.getByText('Not applied.').waitFor()
  expect(await wrongLooks(page, () => row(visitor, 'mail-triage').waitFor())).toEqual([])
  await page.keyboard.press('/')
  await page.keyboard.type('-level:')
  await page.getByRole('listbox').waitFor()
  await page.keyboard.press('ArrowDown')
  await page.getByRole('option', { name: 'ok', selected: true }).waitFor()
  expect(await wrongLooks(page, () => page.getByRole('listbox').waitFor())).toEqual([])
})

test('the rows stay readable while the answer to a filter is late', async () => {
  const { page } = await window()
  await page.goto(fleet())
  await page.locator('.fleet-body .fleet-link').first().waitFor()
  let answer: () => void = () => undefined
  const answered = new Promise<void>((done) => (answer = done))
  await page.route(/\/fleet\?.*level/, (route) => answered.then(() => route.continue()))
  await page.getByRole('link', { name: /^OK/ }).click()
  await page.locator('.fleet-body[data-late="true"]').waitFor()
  expect(await wrongLooks(page, () => page.locator('.fleet-body[data-late="true"]').waitFor())).toEqual([])
  answer()
  await page.locator('.fleet-body[data-late="false"]').waitFor()
})

test.each(['', '?q=level:green'])('nothing is wider than a window of any width: %s', async (address) => {
  const visitor = await window()
  await visitor.page.goto(fleet() + address)
  for (const width of [320, 768, 992, 1000, 1024, 1087, 1100, 1204, 1232, 1440]) {
    await resize(visitor.page, width)
    await row(visitor, 'mail-triage').waitFor()
    expect(await overflow(visitor.page), `${width} pixels`).toBe(0)
    const cut = await visitor.page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('.fleet-body .fleet-seen, .fleet-body .fleet-today')]
        .filter((cell) => cell.scrollWidth > cell.clientWidth)
        .map((cell) => cell.textContent),
    )
    expect(cut, `${width} pixels`).toEqual([])
  }
})

/** The texts in rows that are cut. */
const cutTexts = ({ page }: Visitor) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.fleet-body .svc-cut')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ textContent }) => textContent),
  )

test('at 1440 pixels no text is cut that would fit, also not in rows that a press on a chip brings', async () => {
  for (let i = 10; i < 31; i++) {
    const name = `long-${i}`
    const made = await ada.call<{ token: string }>('POST', '/api/web/w/north-wind/agents', { name })
    const version = i === 29 ? '1.5.0-rc.12' : '1.5.0'
    const level = i === 30 ? 'warn' : 'info'
    await setup.report(made.token, { state: { level, label: 'Idle' }, agent: { version } })
  }
  const visitor = await window({ width: 1440, height: 1400 })
  const { page } = visitor
  await page.goto(`${fleet()}?q=name:long-* level:warn`)
  await row(visitor, 'long-30').waitFor()
  await page.getByRole('link', { name: /^Info/ }).click()
  await row(visitor, 'long-29').waitFor()
  await eventually('the version is whole', async () => expect(await cutTexts(visitor)).toEqual([]))
})

test('with 2,000 agents only the visible rows are fetched and drawn, and one key leads to the last', async () => {
  await setup.addAgents(
    'north-wind',
    Array.from({ length: 2000 }, (_, i) => `crowd-${i}`),
  )
  const slow = await window()
  const asked: string[] = []
  slow.page.on('request', (request) => request.url().includes('/fleet?') && asked.push(request.url()))
  await slow.page.goto(`${fleet()}?sort=name`)
  await slow.page.getByRole('link', { name: 'crowd-0', exact: true }).waitFor()
  // The page may request the first rows twice, because a frame about the last new agents can arrive after the page
  // opened.
  expect([...new Set(asked)]).toEqual([expect.stringMatching(/[?&]offset=0(&|$)/)])
  expect(await slow.page.locator('.fleet-body .fleet-row').count()).toBeLessThan(60)
  await slow.page.keyboard.press('j')
  await slow.page.keyboard.press('End')
  const focused = () => slow.page.evaluate(() => document.activeElement?.querySelector('a')?.textContent)
  const lastHasFocus = async () => expect(await focused()).toBe('repo-watch')
  await eventually('the last agent has the focus', lastHasFocus)
  expect(asked.at(-1)).toContain('offset=2000')
  for (const back of [() => slow.page.goBack(), () => slow.page.keyboard.press('Escape')]) {
    await slow.page.keyboard.press('Enter')
    await slow.page.getByRole('heading', { level: 1, name: 'repo-watch' }).waitFor()
    await back()
    await eventually('the row of the agent has the focus again', lastHasFocus)
    expect(
      await row(slow, 'repo-watch')
        .boundingBox()
        .then((box) => box && box.y > 0 && box.y < 800),
    ).toBe(true)
  }
  await slow.page.getByRole('checkbox', { name: 'Select all' }).click()
  await slow.page.getByText(/^2,0\d\d selected$/).waitFor()
  await slow.page.getByRole('button', { name: 'Clear' }).click()
})
