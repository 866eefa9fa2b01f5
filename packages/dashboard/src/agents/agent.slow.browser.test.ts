/**
 * Tests an agent's page with the real service in a real browser. `npm test` leaves this out.
 * packages/dashboard/src/journey.browser.test.ts proves the same rules.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../testing/eventually.ts'
import { axe, wrongLooks } from '../../testing/axe.ts'
import { focusIs } from '../../testing/keys.ts'
import { hostileReport, markup, reversedName, wholeReport } from './testing/reports.ts'
import { type AgentPageSetup, openAgentPageSetup } from './testing/setup.ts'

let setup: AgentPageSetup
beforeAll(async () => {
  setup = await openAgentPageSetup()
})
afterAll(() => setup?.setup.close())

const now = () => Math.floor(Date.now() / 1000)
const section = (page: Page, name: string) => page.getByRole('article', { name, exact: true })
const following = (page: Page) => page.getByRole('list', { name: 'Commands in progress' })
const seen = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

test('every part of a report is shown', async () => {
  const agent = await setup.addAgent('whole')
  await agent.report(wholeReport(now()))
  const page = await setup.visit('admin', 'whole')
  for (const text of ['Working slowly', 'The mailbox answers late.', 'version 1.4.0', 'on build-07'])
    await seen(page, text)
  await section(page, 'Cost, 30 days').waitFor()

  const shown = async (name: string, ...texts: string[]) => {
    const words = (await section(page, name).first().innerText()).replaceAll('\u00a0', ' ')
    for (const text of texts) expect(words, name).toContain(text)
  }
  await shown('Health', 'Mailbox', 'Warning', 'took 9 s', 'Disk')
  await shown(
    'Running now',
    'triage',
    'large-2',
    '14 steps',
    'Reading the attachments',
    'Invoice 2231',
    '50%',
    'for 1 min',
  )
  await shown('Gauges', 'Tokens today', '91%', 'limit 80%', '910 k of 1 M', '17%')
  await shown('Drafts that wait', 'Re: Meeting', 'mail.example', 'draft', '2 h', 'Bad')
  await shown('Folders', 'Folder', 'Inbox', '51', '4,210')
  await shown('Today', 'Sorted', '51')
  await shown('Last words', 'first line', 'second line')
  await shown('Account', 'Example GmbH', 'Team', 'agent@example.org')
  await shown('Cost, 30 days', '$15.00 total', 'large-2', '$6.00', 'small-2', '$9.00', '60 runs')
  for (const [days, each] of [
    ['90', 'day'],
    ['400', 'week'],
  ] as const) {
    await page.getByRole('radiogroup', { name: 'How many days' }).getByText(`${days} d`).click()
    await section(page, `Cost, ${days} days`)
      .getByRole('slider', { name: `Cost by ${each} and model: use the arrow keys to read each ${each}` })
      .waitFor()
    await shown(`Cost, ${days} days`, '$15.00 total')
  }
  await shown('History', 'Warning')
  const meter = page.getByRole('meter', { name: 'Tokens today' })
  expect(await meter.getAttribute('aria-valuetext')).toBe('91%, limit 80%')
  expect(await page.getByRole('link', { name: 'Inbox' }).getAttribute('rel')).toBe('noopener noreferrer nofollow')
  for (const tab of ['Runs', 'Logs', 'Settings']) await page.getByRole('tab', { name: tab }).waitFor()
})

test('the rhythm of the reports has its size from the start, so that no report moves the page', async () => {
  const agent = await setup.addAgent('beating')
  await agent.report({ state: { level: 'ok', label: 'Idle' } })
  const page = await setup.visit('admin', 'beating', { width: 1024 })
  const places = () =>
    page.evaluate(() =>
      ['.ag-beats', '.ag-beats-due', '.svc-head', '[role=tablist]'].map((selector) => {
        const { x, y, width, height } = document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect()
        return [selector, x, y, width, height].join()
      }),
    )
  await page.locator('.ag-beats-due').waitFor()
  await page.getByText('now', { exact: true }).first().waitFor()
  const before = await places()
  for (let i = 1; i <= 3; i++) {
    await agent.report({ state: { level: 'ok', label: 'Idle' } })
    await eventually(`bar ${i} is there`, async () => expect(await page.locator('.ag-beats rect').count()).toBe(i))
  }
  await page.getByText('now', { exact: true }).first().waitFor()
  expect(await places()).toEqual(before)
})

test('nothing is shown that is not in the report', async () => {
  const agent = await setup.addAgent('bare')
  await agent.report()
  const page = await setup.visit('admin', 'bare')
  await seen(page, /^reported/)
  await page.getByRole('heading', { level: 2, name: 'Next step' }).waitFor()
  await page.waitForLoadState('networkidle')
  expect(await page.getByRole('main').getByRole('heading', { level: 2 }).allInnerTexts()).toEqual(['Next step'])
  expect(await page.getByRole('tab').allInnerTexts()).not.toContain('Settings')
  for (const name of ['Pause', 'Resume', 'Run now']) expect(await page.getByRole('button', { name }).count()).toBe(0)
})

test('an agent without a level gets the two lines for its program, with its folder and name', async () => {
  const agent = await setup.addAgent('without-level')
  await agent.report({ runtime: { version: '0.2.0' } })
  const page = await setup.visit('admin', 'without-level')
  const shown = page.getByRole('article', { name: 'Next step' }).locator('pre')
  const lines = () => shown.allTextContents()
  const copy = (file: string) => `curl -fsSO ${setup.setup.url}/help/sdk/${file}`
  await shown.nth(1).waitFor()
  expect(await lines()).toEqual([
    copy('svc_status.py'),
    'from svc_status import Status\nStatus(".").ok("without-level works")',
  ])
  await page.getByLabel('The agent’s folder').fill('/srv/mail')
  await page.getByRole('radiogroup', { name: 'Language of the program' }).getByText('Node').click()
  expect(await lines()).toEqual([
    copy('svc-status.mjs'),
    `import { Status } from './svc-status.mjs'\nnew Status("/srv/mail").ok("without-level works")`,
  ])
  await page.getByRole('radiogroup', { name: 'Language of the program' }).getByText('Other').click()
  expect(await lines()).toEqual([expect.stringContaining('> status.json')])
})

test('a command of the palette is followed until its answer, and Resume gets the focus of Pause', async () => {
  const agent = await setup.addAgent('sent-to')
  const controls = { controls: ['pause', 'resume'] }
  await agent.report(controls)
  await (await setup.addAgent('sent-from')).report()
  const page = await setup.visit('admin', 'sent-from')
  const answer = async (ok: boolean, message: string) => {
    const [command] = await agent.report(controls)
    const detail = `Since 2026-11-22 06:45:57 UTC, by the service (command ${command?.id}).`
    const state = ok ? { level: 'info', label: 'Paused', detail } : { level: 'ok', label: 'Working' }
    await agent.report({ ...controls, state, acks: [{ id: command?.id, ok, message }] })
  }
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('pause sent-to')
  await page.getByRole('option', { name: 'Pause sent-to' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'sent-to' }).waitFor()
  await following(page).waitFor()
  await answer(false, 'Not at night')
  await following(page).getByText('Not at night').waitFor()

  const focused = () => page.evaluate(() => document.activeElement?.textContent)
  // The button says "Already delivered." until the page has read that the command has ended.
  const pause = page.getByRole('button', { name: 'Pause', exact: true })
  await pause.and(page.locator(':not([aria-disabled])')).waitFor()
  await pause.focus()
  await page.keyboard.press('Enter')
  await following(page).getByText('queued').waitFor()
  await answer(true, 'Paused.')
  await eventually('Resume has the focus', async () => expect(await focused()).toBe('Resume'))
})

test('everything that an agent reports stays text', async () => {
  const agent = await setup.addAgent('hostile')
  await agent.report(hostileReport(now()))
  for (const tab of ['overview', 'runs', 'settings', 'logs']) {
    const page = await setup.visit('admin', 'hostile', { tab })
    if (tab === 'runs')
      await page
        .getByRole('main')
        .getByRole('button', { name: /Details/ })
        .click()
    await page.getByRole('main').getByText(markup).first().waitFor()
    const turning = () =>
      page
        .locator('main *')
        .evaluateAll(
          (all, text) =>
            all
              .filter((one) =>
                [...one.childNodes].some((node) => node.nodeType === 3 && node.nodeValue?.includes(text)),
              )
              .map((one) => getComputedStyle(one).unicodeBidi),
          reversedName,
        )
    // Parts of the overview are loaded apart.
    if (tab === 'overview')
      await eventually('each part shows the name', async () => expect((await turning()).length).toBeGreaterThan(5))
    await page.waitForLoadState('networkidle')
    expect(
      (await turning()).every((bidi) => bidi === 'isolate'),
      tab,
    ).toBe(true)
    expect(await page.evaluate('window.taken'), tab).toBeUndefined()
    expect(await page.locator('main img, main b:not(.ag-gauge b, .ag-share b)').count(), tab).toBe(0)
    const links = await page.locator('main a').evaluateAll((all) => all.map((a) => a.getAttribute('href') ?? ''))
    expect(
      links.filter((href) => /javascript|evil/i.test(href)),
      tab,
    ).toEqual([])
  }
})

test('a sent command is on the page at once, and so are its delivery and the agent’s answer', async () => {
  const agent = await setup.addAgent('pressed')
  await agent.report({ controls: ['pause', 'resume'], state: { level: 'ok', label: 'Working' } })
  const page = await setup.visit('admin', 'pressed')
  const pause = page.getByRole('button', { name: 'Pause', exact: true })
  await pause.click()
  await following(page).getByText('queued').waitFor()
  expect(await pause.getAttribute('aria-disabled')).toBe('true')

  const [command] = await agent.report({ controls: ['pause', 'resume'] })
  expect(command).toMatchObject({ type: 'pause' })
  await following(page).getByText('delivered').waitFor()
  const acks = [{ id: command?.id, ok: true, message: 'paused by the wish of a person' }]
  await agent.report({ controls: ['pause', 'resume'], state: { level: 'info', label: 'Paused' }, acks })
  await following(page).getByText('applied').waitFor()
  await seen(page, 'paused by the wish of a person')
  await seen(page, 'Paused')

  await page.getByRole('button', { name: 'Undo: Resume' }).click()
  await following(page).getByText('queued').waitFor()
  const [back] = await agent.report({ controls: ['pause', 'resume'] })
  expect(back).toMatchObject({ type: 'resume' })
  await agent.report({ controls: ['resume'], acks: [{ id: back?.id, ok: false, message: 'not before noon' }] })
  await following(page).getByText('refused').waitFor()

  await page.getByRole('tab', { name: 'Commands' }).click()
  const ledger = page.getByRole('tabpanel', { name: 'Commands' })
  await ledger.getByText('not before noon').waitFor()
  expect(await ledger.innerText()).toContain('requested by Ada Winter')
  await ledger.getByRole('button', { name: 'Send again' }).click()
  await ledger.getByText('queued', { exact: true }).waitFor()
  expect(await agent.report({ controls: ['resume'] })).toMatchObject([{ type: 'resume' }])
})

test('a command that was carried out leaves after ten seconds, and a toast keeps its Undo', async () => {
  const agent = await setup.addAgent('leaving')
  const offers = { controls: ['pause', 'resume', 'run_now'] }
  await agent.report({ ...offers, state: { level: 'ok', label: 'Working' } })
  const page = await setup.visit('admin', 'leaving', { clock: true })
  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await following(page)
    .getByText(/next report in about \d+\ss/)
    .waitFor()
  const [command] = await agent.report(offers)
  const detail = `Since 2026-11-22 06:45:57 UTC, by the service (command ${command?.id}).`
  const acks = [{ id: command?.id, ok: true, message: 'Paused.' }]
  await agent.report({ ...offers, state: { level: 'info', label: 'Paused', detail }, acks })
  await following(page).getByText('applied').waitFor()
  await seen(page, 'Paused by Ada Winter')
  const run = page.getByRole('button', { name: 'Run now' })
  expect(await run.getAttribute('aria-disabled')).toBe('true')
  await page.getByText('The agent is paused: resume it first.').waitFor({ state: 'attached' })
  // The toast leaves after twenty seconds, so the page's time stands still until its button was pressed.
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 12_000)
  await following(page).getByText('applied').waitFor({ state: 'detached' })
  const toast = page.getByRole('alert').filter({ hasText: 'leaving: Paused' })
  await page.clock.runFor(1000)
  await toast.getByRole('button', { name: 'Undo: Resume' }).click()
  await page.clock.resume()
  await following(page).getByText('queued').waitFor()
  expect(await agent.report(offers)).toMatchObject([{ type: 'resume' }])
})

test('settings: only valid changes are sent, a report does not touch text that is being typed, and a refusal has the agent’s own words', async () => {
  const agent = await setup.addAgent('settings')
  const { settings } = wholeReport(now())
  const reporting = (values: object = {}, more: object = {}) =>
    agent.report({ settings: { ...settings, values: { ...settings.values, ...values } }, ...more })
  await reporting()
  const page = await setup.visit('admin', 'settings', { tab: 'settings' })
  const every = page.getByLabel('Minutes between runs', { exact: true })
  const send = page.getByRole('button', { name: 'Send changes' })
  expect(await every.inputValue()).toBe('10')
  await seen(page, 'How often it looks.')
  await seen(page, '1 to 120')
  await seen(page, '0 to 100%')
  expect(await page.getByLabel('Tone', { exact: true }).getAttribute('placeholder')).toBe('not set')

  // The field of the browser may write times in another way than the page.
  const until = page.locator('.ag-setting', { hasText: 'Not before' })
  await until.getByLabel('Not before', { exact: true }).fill('2099-05-01T10:00')
  await until.getByText(/1 May 2099.* 10:00/).waitFor()
  await page.getByRole('button', { name: 'Undo the change of Not before' }).click()

  await every.fill('500')
  await seen(page, 'Minutes between runs must be between 1 and 120.')
  await send.click()
  expect(await reporting()).toEqual([])

  await every.fill('20')
  await page.getByText('Quiet at night', { exact: true }).click()
  await reporting({ every: 15 })
  await seen(page, 'Changed on the machine meanwhile, from 10.')
  await seen(page, 'The agent reports 15.')
  expect(await every.inputValue()).toBe('20')

  await send.click()
  await seen(page, 'requested: 20')
  expect(await every.inputValue()).toBe('15')
  const [set] = await reporting({ every: 15 })
  expect(set).toMatchObject({ type: 'set', payload: { every: 20, quiet: false } })
  expect(Object.keys(set?.payload ?? {})).toHaveLength(2)
  const agentRoute = '**/api/web/w/*/agents/settings'
  await page.route(agentRoute, (route) => sleep(1000).then(() => route.continue()))
  await reporting({ every: 15 }, { acks: [{ id: set?.id, ok: false, message: 'Not while a run is going on.' }] })
  const form = page.getByRole('form', { name: 'Settings' })
  await form.getByText('Not while a run is going on.').waitFor()
  // The rows no longer have a request, although the page loads them with another answer.
  expect(await form.getByText('requested:').count()).toBe(0)
  await page.unroute(agentRoute)

  await form.getByRole('button', { name: 'Edit it again' }).click()
  expect(await every.inputValue()).toBe('20')
  await page.getByRole('button', { name: 'Undo the change of Quiet at night' }).click()
  await page.getByRole('button', { name: 'Clear Instructions' }).click()
  await send.click()
  await seen(page, 'requested: not set')
  const [again] = await reporting({ every: 15 })
  expect(again?.payload).toEqual({ every: 20, note: null })
  await reporting({ every: 20, note: null }, { acks: [{ id: again?.id, ok: true, message: 'changed' }] })
  await form.getByText('changed', { exact: true }).waitFor()
  await eventually('the form shows 20', async () => expect(await form.locator('input').first().inputValue()).toBe('20'))
})

test('a log is requested, arrives, opens by itself, is searched and downloaded', async () => {
  const agent = await setup.addAgent('logs')
  await agent.report({ active: [{ kind: 'triage', log: 'work' }] })
  const page = await setup.visit('admin', 'logs')
  await page.getByRole('button', { name: 'Request log work' }).click()
  await following(page).getByText('queued').waitFor()
  await page.getByRole('tab', { name: 'Logs' }).click()
  const list = page.getByRole('list', { name: 'Logs' })
  await list.getByText('queued').waitFor()
  const [first] = await agent.report({ active: [{ kind: 'triage', log: 'work' }] })
  expect(first).toMatchObject({ type: 'log', payload: { name: 'work' } })
  await list.getByText('delivered').waitFor()
  await agent.upload(first?.id, 'work', 'the first log')
  await following(page).getByRole('button', { name: 'Read log' }).click()
  await page.getByRole('region', { name: 'Lines of the log' }).getByText('the first log').waitFor()

  await page.getByRole('button', { name: 'Request log', exact: true }).click()
  await list.getByText('queued').waitFor()
  const [second] = await agent.report({ active: [{ kind: 'triage', log: 'work' }] })
  const lines = Array.from(
    { length: 9000 },
    (_, i) => `line ${i + 1}: ${i % 1000 === 7 ? `NEEDLE ${markup}` : 'nothing to see'}`,
  )
  await agent.upload(second?.id, 'work', lines.join('\n'))
  const log = page.getByRole('region', { name: 'Lines of the log' })
  expect(await log.evaluate((element) => getComputedStyle(element).overflowAnchor)).toBe('none')
  await log.getByText('line 9000: nothing to see').waitFor()
  await seen(page, '9,000 lines')
  await seen(page, /kept until/)
  expect(await log.locator('.ag-log-line').count()).toBeLessThan(200)

  const search = page.getByLabel('Search in this log')
  await search.fill('needle')
  await seen(page, '1 of 9')
  await log.getByText('line 8:').waitFor()
  await search.press('Shift+Enter')
  await seen(page, '9 of 9')
  await log.getByText('line 8008:').waitFor()
  expect(await log.locator('mark[data-at=true]').innerText()).toBe('NEEDLE')
  const address = page.url()
  await page.goto(address.replace(/[?&]log=[^&]*/, ''))
  await log.getByText('line 9000: nothing to see').waitFor() // Without a name in the address, the newest log opens.
  await page.goto(address)
  await search.fill('needle')
  await seen(page, '1 of 9')
  expect(await log.locator('img, b').count()).toBe(0)
  await page.getByRole('switch', { name: 'Wrap' }).click()
  expect(await log.getAttribute('data-wrap')).toBe('true')

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download' }).click(),
  ])
  const chunks: Buffer[] = []
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer)
  expect(Buffer.concat(chunks).toString()).toBe(lines.join('\n'))
})

test('runs are filtered, paged and opened', async () => {
  const agent = await setup.addAgent('runs')
  await agent.report({ runs: wholeReport(now()).runs })
  const page = await setup.visit('admin', 'runs', { tab: 'runs' })
  const rows = page.locator('.ag-run')
  await seen(page, '60 runs kept')
  await rows.nth(49).waitFor()
  expect(await rows.count()).toBe(50)
  await page.getByRole('button', { name: 'Next page' }).click()
  await seen(page, '51 to 60 of 60')
  await rows.nth(10).waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  let answer: () => void = () => undefined
  const answered = new Promise<void>((done) => (answer = done))
  await page.route(/\/runs\?.*failed/, (route) => answered.then(() => route.continue()))
  await page.getByRole('combobox', { name: 'Status' }).selectOption('failed')
  await page.locator('.svc-late[data-late="true"]').waitFor()
  expect(await axe(page, ['color-contrast']), 'while the answer is late').toEqual([])
  answer()
  await seen(page, '6 matching runs')
  expect(page.url()).toContain('status=failed')
  await page.keyboard.press('Escape')
  await focusIs(page, 'Filter')
  await page.getByLabel('Search runs').fill('Mail 13')
  await seen(page, '1 matching run')
  await page.getByRole('button', { name: 'Details of run run-13' }).click()
  const details = await page.locator('.ag-run-details').innerText()
  for (const text of ['Mail 13', '75%', 'Calendar', '25%', 'small-2', '$0.25', '2,213', 'run-13', 'work'])
    expect(details).toContain(text)

  await page.setViewportSize({ width: 360, height: 800 })
  await page.locator('table').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Close of run run-13' }).waitFor()
  expect(page.url()).toContain('run=run-13')
})

test('a link to a run opens it wherever it is in the list, and runs are sorted by their columns and downloaded', async () => {
  const page = await setup.visit('admin', 'runs', { tab: 'runs&run=run-55' })
  const other = section(page, 'Run run-55')
  await other.getByText('Mail 55').waitFor()
  await other.getByRole('button', { name: 'Close' }).click()
  await other.waitFor({ state: 'detached' })
  expect(page.url()).not.toContain('run-55')
  const started = page.getByRole('columnheader', { name: 'Started' })
  expect(await started.getAttribute('aria-sort')).toBe('descending')
  await started.getByRole('button').click()
  await page.locator('.ag-run').first().getByText('Mail 59').waitFor()
  expect(page.url()).toContain('order=rising')
  await page.getByRole('button', { name: 'Cost' }).click()
  await page.waitForURL(/sort=cost/)
  await page.getByLabel('Search runs').fill('Mail 13')
  await seen(page, '1 matching run')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('runs-runs.csv')
  const chunks: Buffer[] = []
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer)
  const lines = Buffer.concat(chunks).toString().split('\r\n')
  expect([lines.length, lines[1]?.startsWith('"run-13",')]).toEqual([3, true])
})

test('an admin sets the hours in which an agent is expected to report, is told what is wrong with them, and removes them', async () => {
  const agent = await setup.addAgent('office')
  await agent.report()
  const page = await setup.visit('admin', 'office')
  const alerts = section(page, 'Alerts')
  await page.getByRole('button', { name: 'More about office' }).click()
  await page.getByRole('menuitem', { name: 'Set hours…' }).click()
  const form = page.getByRole('form', { name: 'Expected hours' })
  const save = form.getByRole('button', { name: 'Save hours' })
  const zone = form.getByLabel('Time zone')
  expect(await zone.inputValue()).toBe(await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone))
  await form.getByLabel('To', { exact: true }).fill('')
  await zone.fill('Mars')
  await save.click()
  await form.getByText('Enter a time.').waitFor()
  expect(await wrongLooks(page, () => form.waitFor())).toEqual([])
  await form.getByLabel('To', { exact: true }).fill('19:00')
  await save.click()
  await form
    .getByRole('alert')
    .getByText('The time zone must be one such as Europe/Berlin or UTC: got "Mars".')
    .waitFor()
  await zone.fill('Europe/Berlin')
  await save.click()
  const sentence = 'Expected to report on weekdays from 08:00 to 19:00 (Europe/Berlin).'
  await alerts.getByText(sentence).waitFor()

  const member = await setup.visit('member', 'office')
  await section(member, 'Alerts').getByText(sentence).waitFor()
  expect(await section(member, 'Alerts').getByRole('button', { name: 'Edit hours' }).count()).toBe(0)
  await alerts.getByRole('button', { name: 'Edit hours' }).click()
  await form.getByRole('button', { name: 'Remove hours' }).click()
  await alerts.waitFor({ state: 'detached' })
  await section(member, 'Alerts').getByText(sentence).waitFor({ state: 'detached' })
})

test('before the first report, an agent’s page says how to connect it, and then fills by itself', async () => {
  const agent = await setup.addAgent('newcomer')
  const page = await setup.visit('admin', 'newcomer')
  await seen(page, 'Waiting for its first report')
  await seen(page, 'Never reported')
  await seen(page, /svc\.pyz connect --url|api\/agent\/v1\/report/)
  await agent.report({ state: { level: 'ok', label: 'Here I am' } })
  await seen(page, 'Here I am')
  expect(await page.getByText('Waiting for its first report').count()).toBe(0)
})

test('in a narrow window, lines wrap, times in them are short, and the list of logs is above them', async () => {
  const agent = await setup.addAgent('narrow')
  const parts = { active: [{ kind: 'triage', log: 'work' }] }
  await agent.report(parts)
  const page = await setup.visit('admin', 'narrow', { tab: 'logs' })
  const log = page.getByRole('region', { name: 'Lines of the log' })
  const list = page.getByRole('list', { name: 'Logs' })
  const request = async (line: number) => {
    await page.getByRole('button', { name: 'Request log', exact: true }).click()
    await page.getByText('Requested. It opens below when it comes').waitFor()
    const [command] = await agent.report(parts)
    await agent.upload(command?.id, 'work', `2026-11-28T06:59:17.192Z step ${line}: ${'many words '.repeat(30)}`)
    await log.getByText(`step ${line}:`).waitFor()
  }
  await request(1)
  const date = log.getByText('2026-11-28T', { exact: true })
  const isWide = () => log.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  const looks = async (width: number) => {
    await page.setViewportSize({ width, height: 800 })
    await eventually(`the log is drawn at ${width}`, async () =>
      expect(await log.getAttribute('data-wrap')).toBe(String(width < 600)),
    )
    return { date: await date.isVisible(), wide: await isWide(), list: await list.isVisible() }
  }
  expect(await looks(1440)).toEqual({ date: true, wide: true, list: true })
  expect(await looks(1024)).toEqual({ date: true, wide: true, list: false })
  expect(await looks(360)).toEqual({ date: false, wide: false, list: false })
  expect(await log.getByTitle('2026-11-28T06:59:17.192Z').innerText()).toBe('06:59:17')
  await page.getByLabel('Search in this log').fill('11-28')
  await log.locator('mark').waitFor()
  expect(await log.innerText()).toContain('2026-11-28T06:59:17.192Z')
  await page.getByLabel('Search in this log').fill('')

  await log.locator('mark').waitFor({ state: 'detached' })
  const top = () => log.evaluate((element) => element.getBoundingClientRect().top + window.scrollY)
  const before = await top()
  await page.getByRole('button', { name: 'Request log', exact: true }).click()
  await page.getByText('Requested. It opens below when it comes').waitFor()
  expect(await top(), 'a request does not move the lines that somebody reads').toBe(before)
  const [pending] = await agent.report(parts)
  await agent.upload(pending?.id, 'work', 'step 2: again')
  await log.getByText('step 2:').waitFor()
  await list.getByText('and 1 earlier one').waitFor()
  for (const width of [1024, 360]) {
    await page.setViewportSize({ width, height: 800 })
    const [above, below] = [await list.boundingBox(), await log.boundingBox()]
    expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThan(below?.y ?? 0)
  }
  await page.reload()
  const end = () => log.evaluate((element) => element.getBoundingClientRect().bottom)
  await eventually('the end of a log that opens is in sight', async () => expect(await end()).toBeLessThanOrEqual(801))
  await page.setViewportSize({ width: 1440, height: 900 })
  const [beside, lines] = [await list.boundingBox(), await log.boundingBox()]
  expect((beside?.x ?? 0) + (beside?.width ?? 0)).toBeLessThan(lines?.x ?? 0)
})

test('only values from an old status file are shown with their age; values that the runtime adds are current (D65)', async () => {
  const agent = await setup.addAgent('frozen')
  const health = ['Mailbox', 'Process', 'Status file', 'Binding tasks'].map((name) => ({ name, level: 'ok' as const }))
  await agent.report({ state: { level: 'ok', label: 'Sorting' }, health, status_at: now() - 20 * 3600 })
  const page = await setup.visit('admin', 'frozen')
  const items = section(page, 'Health').getByRole('listitem')
  await items.nth(3).waitFor()
  expect(await items.filter({ hasText: 'as of 20 h ago' }).locator('.ag-health-name').allInnerTexts()).toEqual([
    'Mailbox',
  ])
  expect(await section(page, 'Health').getByText('as of').count()).toBe(1)
})

/** The tabs to test, each with the agent whose page is opened, and a text that is there when the tab is complete. */
const views = [
  ['overview', 'whole', '60 runs'],
  ['runs', 'brief', 'Mail 0'],
  ['commands', 'pressed', 'not before noon'],
  ['logs', 'logs', /kept until/],
  ['settings', 'whole', 'How often it looks.'],
] as const

test.each(views)('the view %s passes axe and fits a phone, light and dark', async (tab, name, whole) => {
  // This agent reports only a dozen runs, which include every kind. With sixty rows the accessibility check axe would
  // take seconds.
  if (name === 'brief') await (await setup.addAgent(name)).report({ runs: wholeReport(now()).runs.slice(0, 12) })
  const page = await setup.visit('admin', name, { tab })
  expect(await wrongLooks(page, () => seen(page, whole))).toEqual([])
})

test('no page had an error meanwhile', () => expect(setup.setup.faults).toEqual([]))
