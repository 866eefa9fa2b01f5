/**
 * Tests the page of alerts. The service evaluates real alerts and sends its messages to a receiver that the test runs.
 * `npm test` leaves this out. packages/server/src/alerts/changes/changes.store.test.ts proves the same rules.
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../../../testing/eventually.ts'
import { axe, resize, wrongLooks } from '../../testing/axe.ts'
import { type BrowserSetup, openBrowserSetup, password, type Visitor } from '../../testing/browser-setup.ts'
import { focusOn } from '../../testing/keys.ts'

let setup: BrowserSetup
let ada: Visitor
let mo: Visitor
let receiver: Server
const received: string[] = []
/** The HTTP status with which the test's receiver answers each message. */
let answers = 200
const at = (path: string) => `${setup.url}/w/north-wind${path}`
const north = '/api/web/w/north-wind'
/**
 * The timeout for test steps that wait until the service has evaluated the alerts. The service does this every 15 s.
 */
const evaluated = { timeout: 60_000 }

beforeAll(async () => {
  receiver = createServer((request, response) => {
    void request.toArray().then((parts) => {
      // The receiver counts only test messages, because messages about alerts may arrive at any time.
      if (parts.join('').includes('"type":"test"')) received.push(String(request.headers['webhook-id']))
      response.writeHead(answers).end()
    })
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  setup = await openBrowserSetup({ SVC_OUTBOUND_ALLOW: '127.0.0.0/8' })
  ada = await setup.ada()
  await setup.operator(
    ['person', 'create', 'mo@example.org', '--name', 'Mo', '--workspace', 'north-wind', '--role', 'member'],
    password,
  )
  mo = await setup.visitor()
  await setup.signIn(mo, 'mo@example.org')
  await ada.call('PATCH', `${north}/rules`, { rule: 'bad', after: 0 })
  for (const name of ['mail-triage', 'repo-watch']) {
    const { token } = await ada.call<{ token: string }>('POST', `${north}/agents`, { name })
    await setup.report(token, { state: { level: 'bad', label: `<b>${name}</b> fails` } })
  }
})
afterAll(async () => {
  receiver?.close()
  await setup?.close()
})
beforeEach(() => resize(ada.page, 1280))
afterEach(() => expect(setup.faults.splice(0)).toEqual([]))

const receiverUrl = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/alerts`
const rows = (visitor: Pick<Visitor, 'page'>, list: string) =>
  visitor.page.getByRole('list', { name: list }).getByRole('listitem')

test('a workspace without a channel says that nobody is notified, and offers this browser', async () => {
  const { page } = ada
  await page.goto(at(''))
  const banner = page.getByRole('note').filter({ hasText: 'Nobody is notified when an agent goes offline' })
  await banner.waitFor()
  expect(await wrongLooks(page, () => banner.waitFor(), [1440, 360])).toEqual([])
  await resize(page, 1280)
  // The test's browser has no push service, so notifications cannot be turned on, and the page shows an error.
  await banner.getByRole('button', { name: 'Notify this browser' }).click()
  await page.getByRole('alert').filter({ hasText: 'This browser is not notified' }).waitFor()
})

test('an alert that opens appears by itself in the list, in the navigation and in the title of the tab', async () => {
  const { page } = ada
  await page.goto(at('/alerts'))
  const open = rows(ada, 'Open alerts')
  await open.filter({ hasText: 'mail-triage' }).waitFor(evaluated)
  const line = await open.filter({ hasText: 'mail-triage' }).textContent()
  expect(line, 'text of an agent stays text').toContain('<b>mail-triage</b> fails')
  await page.getByRole('link', { name: /^Alerts\W+2 not acknowledged$/ }).waitFor()
  expect(await page.title()).toBe('(2) Alerts · North Wind · svc')
  expect(await wrongLooks(page, () => open.first().waitFor())).toEqual([])
})

test('a member acknowledges with a note, and everybody sees it at once', async () => {
  const connected = ada.page.waitForResponse(/\/events/)
  await ada.page.goto(at('/alerts'))
  await connected
  await mo.page.goto(at('/alerts'))
  const mine = rows(mo, 'Open alerts').filter({ hasText: 'repo-watch' })
  await mine.getByRole('button', { name: /^Acknowledge/ }).click()
  const ask = mo.page.getByRole('dialog', { name: 'Acknowledge this alert?' })
  await ask.getByLabel('Note').fill('I look at the build.')
  expect(await axe(mo.page)).toEqual([])
  await mo.page.keyboard.press('Enter')
  await mine.getByText('acknowledged by Mo').waitFor()
  const hers = rows(ada, 'Open alerts').filter({ hasText: 'repo-watch' })
  await hers.getByText('I look at the build.').waitFor()
  await ada.page.getByRole('link', { name: /^Alerts\W+1 not acknowledged$/ }).waitFor()
})

test('a member mutes an agent by keyboard and lifts it, but neither rules nor the workspace', async () => {
  const { page } = mo
  await page.goto(at('/alerts'))
  const line = rows(mo, 'Open alerts').filter({ hasText: 'mail-triage' })
  await focusOn(line.getByRole('button', { name: 'Mute mail-triage' }))
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'For 1 hour' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  const mute = rows(mo, 'Mutes').filter({ hasText: 'mail-triage' })
  await mute.getByText(/^until .*\(in\s[78]\sh\)/).waitFor()
  expect(await page.getByRole('button', { name: 'Mute the workspace' }).count()).toBe(0)
  await mute.getByRole('button', { name: 'Lift the mute of mail-triage' }).click()
  await mute.waitFor({ state: 'detached' })
  await page.goto(at('/alerts?tab=rules'))
  await rows(mo, 'Rules').first().waitFor()
  expect(await page.getByRole('button', { name: /^Edit the rule/ }).count()).toBe(0)
  expect(await page.getByRole('tab', { name: 'Deliveries' }).count()).toBe(0)
})

test('an admin plans a mute of the whole workspace', async () => {
  const { page } = ada
  await page.goto(at('/alerts'))
  await page.getByRole('button', { name: 'Mute the workspace' }).click()
  await page.getByRole('menuitem', { name: 'Planned window…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Mute the workspace' })
  await dialog.getByLabel('From').fill('2099-05-01T10:00')
  await dialog.getByLabel('Until').fill('2099-05-01T09:00')
  await dialog.getByRole('button', { name: 'Mute' }).click()
  await dialog.getByText('The end must be after the beginning.').waitFor()
  expect(await axe(page)).toEqual([])
  await dialog.getByLabel('Until').fill('2099-05-01T12:00')
  await dialog.getByRole('button', { name: 'Mute' }).click()
  // A mute may begin at most a year from now. The service refuses a mute that begins later, and the page shows the
  // reason.
  await dialog.getByText('A mute may begin at most a year from now.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
})

test('a webhook is added with a secret that is shown once, tested, and its refusal is shown', async () => {
  const { page } = ada
  await page.goto(at('/alerts?tab=channels'))
  await page.getByRole('button', { name: 'Add channel' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add channel' })
  await dialog.getByLabel('Name').fill('ops')
  await dialog.getByRole('button', { name: 'Add channel' }).click()
  await dialog.getByText('Required').waitFor()
  await dialog.getByLabel('URL').fill(receiverUrl())
  expect(await axe(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Add channel' }).click()
  const made = page.getByRole('dialog', { name: '#ops was added' })
  await made.getByText(/^whsec_/).waitFor()
  await made.getByRole('button', { name: 'Send test' }).click()
  await made.getByText('Test taken', { exact: true }).waitFor({ timeout: 30_000 })
  expect(received).toHaveLength(1)
  expect(await axe(page)).toEqual([])
  await made.getByRole('button', { name: 'Done' }).click()
  const line = rows(ada, 'Channels').filter({ hasText: '#ops' })
  await line.getByText('Last response').waitFor()
  expect(await page.content()).not.toContain('whsec_')
  answers = 500
  await line.getByRole('button', { name: 'Send test to #ops' }).click()
  await line.getByText('Test not taken', { exact: true }).waitFor({ timeout: 30_000 })
  expect(await line.getByRole('status').textContent()).toContain('500')
  answers = 200
  expect(await wrongLooks(page, () => line.waitFor())).toEqual([])
  expect(await page.getByRole('note').filter({ hasText: 'Nobody is notified' }).count()).toBe(0)
})

test('a channel whose messages fail is not shown as a good one', async () => {
  const { page } = ada
  const line = rows(ada, 'Channels').filter({ hasText: '#ops' })
  // After an hour of failures an alert would open, and its end would be in the history below.
  setup.failChannel('ops', Date.now() - 600_000)
  await page.goto(at('/alerts?tab=channels'))
  await line.getByText('failing since').waitFor()
  expect(await line.getByText('enabled', { exact: true }).count()).toBe(0)
  expect(await wrongLooks(page, () => line.waitFor())).toEqual([])
  setup.failChannel('ops', null)
  await page.reload()
  await line.getByText('enabled', { exact: true }).waitFor()
})

test('a dead delivery is sent again with the same id', async () => {
  const { page } = ada
  await page.goto(at('/alerts?tab=deliveries'))
  await page.getByText('Dead', { exact: true }).click()
  const dead = rows(ada, 'Deliveries').filter({ hasText: 'dead' })
  await dead.filter({ hasText: 'This is a test of the channel ops' }).waitFor()
  const [, failed] = received
  expect(await wrongLooks(page, () => dead.first().waitFor())).toEqual([])
  const lines = () =>
    dead.locator('.al-words > *').evaluateAll((all) => all.map((line) => line.getBoundingClientRect().toJSON()))
  await resize(page, 1024)
  const [text, facts] = await lines()
  expect(facts.left, 'in a window of middle width the channel and the time are below the text').toBe(text.left)
  expect(facts.top).toBeGreaterThanOrEqual(text.bottom)
  await resize(page, 1280)
  const [wideText, wideFacts] = await lines()
  expect(wideFacts.left).toBeGreaterThan(wideText.right)
  await dead.getByRole('button', { name: 'Send again to #ops' }).click()
  await dead.waitFor({ state: 'detached' })
  await eventually('the delivery arrives once more', () => expect(received).toHaveLength(3))
  expect(received.at(-1)).toBe(failed)
})

test('an admin edits a rule in place and switches it off; a wrong length is refused', async () => {
  const { page } = ada
  await page.goto(at('/alerts?tab=rules'))
  const rule = rows(ada, 'Rules').filter({ hasText: 'When any agent is offline' })
  await rule.getByText('When any agent is offline for 10 minutes.').waitFor()
  await rule.getByRole('button', { name: 'Edit the rule “Offline”' }).click()
  await rule.getByRole('radio', { name: 'Only some' }).check()
  await rule.getByRole('checkbox', { name: '#ops' }).check()
  await rule.getByLabel('Must hold for').fill('soon')
  await rule.getByRole('button', { name: 'Save rule' }).click()
  await rule.getByText('Enter a whole number.').waitFor()
  expect(await wrongLooks(page, () => rule.waitFor())).toEqual([])
  await rule.getByLabel('Must hold for').fill('90')
  await rule.getByRole('button', { name: 'Save rule' }).click()
  await rule.getByText('When any agent is offline for 90 minutes, tell #ops.').waitFor()
  await rule.getByRole('checkbox', { name: 'Rule “Offline”' }).click()
  await rule.getByRole('checkbox', { name: 'Rule “Offline”', checked: false }).waitFor()
})

test('a rule escalates to other channels and sends no reminders, as its sentence says; both can be undone', async () => {
  const { page } = ada
  await page.goto(at('/alerts?tab=rules'))
  const rule = rows(ada, 'Rules').filter({ hasText: 'When the level of any agent is Bad' })
  await page.getByText('are sent again after 1 hour, then daily').waitFor()
  const edit = rule.getByRole('button', { name: 'Edit the rule “Level Bad”' })
  const save = rule.getByRole('button', { name: 'Save rule' })
  await edit.click()
  await rule.getByRole('checkbox', { name: 'Send reminders' }).uncheck()
  await rule.getByRole('checkbox', { name: 'Escalate' }).check()
  await rule.getByLabel('Not acknowledged for').fill('0')
  await save.click()
  await rule.getByText('Choose at least one channel.').waitFor()
  await rule.getByText('Enter a whole number above 0.').waitFor()
  expect(await wrongLooks(page, () => rule.waitFor())).toEqual([])
  await resize(page, 1280)
  await rule.getByLabel('Not acknowledged for').fill('20')
  await rule.getByRole('group', { name: 'Then tell' }).getByRole('checkbox', { name: '#ops' }).check()
  await save.click()
  await rule.getByText(/When .*, tell all channels except #ops\./).waitFor()
  await rule.getByText('Not repeated. If nobody acknowledges it within 20 minutes, also tell #ops.').waitFor()
  await edit.click()
  await rule.getByRole('checkbox', { name: 'Send reminders' }).check()
  await rule.getByRole('checkbox', { name: 'Escalate' }).uncheck()
  await save.click()
  await rule.getByText('Not repeated.').waitFor({ state: 'detached' })
  expect(await rule.textContent()).not.toContain('tell')
})

test('an admin limits a rule to the agents of a filter; a filter that changes with the rule is refused', async () => {
  const { page } = ada
  await page.goto(at('/alerts?tab=rules'))
  const rule = rows(ada, 'Rules: Levels and health').filter({ hasText: 'When the level of any agent is Warning' })
  await rule.getByRole('button', { name: 'Edit the rule “Level Warning”' }).click()
  const field = rule.getByLabel('Only agents')
  await field.fill('level:bad')
  await rule.getByRole('button', { name: 'Save rule' }).click()
  await rule.getByText('level: changes with what the rule is about.').waitFor()
  expect(await wrongLooks(page, () => rule.waitFor(), [1440, 360])).toEqual([])
  await resize(page, 1280)
  await field.fill('tag:prod -host:build-*')
  await rule.getByText('It fits no agent, so the rule is off for all of them.').waitFor()
  await rule.getByText('-host:build-* excludes no agent.').waitFor()
  await page.keyboard.press('Enter')
  await field.waitFor({ state: 'detached' })
  await rule.getByText('Only agents that fit tag:prod -host:build-*').waitFor()
  await rule.getByText('It fits no agent, so the rule is off for all of them.').waitFor()
  expect(await ada.call<{ rule: string; filter: string }[]>('GET', `${north}/rules`)).toContainEqual(
    expect.objectContaining({ rule: 'warning', filter: 'tag:prod -host:build-*' }),
  )
  expect(await wrongLooks(page, () => rule.waitFor(), [1440, 360])).toEqual([])
})

test('an admin allows the detail text of agents in messages; a member is not offered it', async () => {
  const { page, call } = ada
  await page.goto(at('/alerts?tab=rules'))
  await page.getByRole('main').getByRole('link', { name: 'Settings' }).click()
  const allow = page.getByRole('checkbox', { name: 'Include the agent’s detail text' })
  const saved = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await allow.click()
  await saved
  expect(await call('GET', `${north}/alert-settings`)).toEqual({ detail: true })
  await page.reload()
  await allow.waitFor()
  expect(await allow.isChecked()).toBe(true)
  await mo.page.goto(at('/settings'))
  await mo.page.getByText('contain the detail that the agent reports').waitFor()
  expect(await mo.page.getByRole('checkbox').count()).toBe(0)
})

test('ended alerts are listed page by page, newest first', async () => {
  const hour = 3_600_000
  const begin = Date.now() - 80 * hour
  setup.addEndedAlerts(
    'bad',
    Array.from({ length: 70 }, (_, i) => [begin + i * hour, begin + i * hour + (i + 1) * 1000] as const),
  )
  const { page } = ada
  await page.goto(at('/alerts?tab=history'))
  const ended = rows(ada, 'Ended alerts')
  await ended.first().getByText('lasted 1 min 10 s').waitFor()
  expect(await ended.count()).toBe(50)
  expect(await wrongLooks(page, () => ended.first().waitFor())).toEqual([])
  await page.getByRole('button', { name: 'Older' }).click()
  await ended.getByText('lasted 1 s', { exact: true }).waitFor()
  expect(await ended.count()).toBe(70)
})

test("an agent's page shows its alerts, acknowledges them, mutes it, and marks them on the history", async () => {
  const { page } = ada
  setup.ageLevels(3)
  await page.goto(at('/agents/mail-triage'))
  const own = rows(ada, 'Alerts of this agent')
  await own.getByRole('button', { name: /^Acknowledge/ }).waitFor()
  await page.getByRole('img', { name: /States over the last .* alerts?$/ }).waitFor()
  expect(await wrongLooks(page, () => own.first().waitFor())).toEqual([])
  const openAlert = page.getByRole('link', { name: '1 open alert', exact: true })
  expect(await openAlert.count(), 'the tab lists it').toBe(0)
  await page.goto(at('/agents/mail-triage?tab=commands'))
  await openAlert.click()
  await own.getByRole('button', { name: /^Acknowledge/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click()
  await own.getByText('acknowledged by Ada Winter').waitFor()
  await page.goto(at('/agents/mail-triage?tab=commands'))
  await page.getByRole('tab', { name: 'Commands', selected: true }).waitFor()
  expect(await openAlert.count(), 'an acknowledged alert needs nobody').toBe(0)
  await page.goto(at('/agents/mail-triage'))
  await page.getByRole('button', { name: 'More about mail-triage' }).click()
  await page.getByRole('menuitem', { name: 'Mute…' }).click()
  const choice = page.getByRole('dialog', { name: 'Mute mail-triage' })
  expect(await wrongLooks(page, () => choice.waitFor())).toEqual([])
  await choice.getByRole('button', { name: 'Until it is over' }).click()
  await rows(ada, 'Mutes of this agent').getByText('until it is over').waitFor()
})

test('each bad health item has an alert of its own, and a mute of one leaves the other', async () => {
  const { page } = ada
  await ada.call('PATCH', `${north}/rules`, { rule: 'item', after: 0 })
  const { token } = await ada.call<{ token: string }>('POST', `${north}/agents`, { name: 'vela-ada' })
  const health = [
    { name: 'Job backup', level: 'bad', detail: 'failed (exit 1) 03:12' },
    { name: 'Job <i>mail</i>', level: 'bad', detail: 'overdue by 2 h' },
  ]
  await setup.report(token, { state: { level: 'bad', label: '2 of 12 jobs need you' }, health })
  await page.goto(at('/alerts'))
  const open = rows(ada, 'Open alerts').filter({ hasText: 'vela-ada' })
  await open.filter({ hasText: 'Job backup: failed (exit 1) 03:12' }).waitFor(evaluated)
  await open.filter({ hasText: 'Job <i>mail</i>: overdue by 2 h' }).waitFor()
  expect(await open.count(), 'no alert about the level of the agent').toBe(2)
  await page.getByRole('button', { name: 'Acknowledge the alert about Job backup on vela-ada' }).waitFor()
  expect(await wrongLooks(page, () => open.first().waitFor(), [1440, 360])).toEqual([])
  await resize(page, 1280)
  await open.getByRole('button', { name: 'Mute Job backup on vela-ada' }).click()
  await page.getByRole('menuitem', { name: 'For 1 hour' }).click()
  const mute = rows(ada, 'Mutes').filter({ hasText: 'Job backup on vela-ada' })
  await mute.getByText(/^until .* UTC \(in/).waitFor()
  await page.goto(at('/agents/vela-ada'))
  await rows(ada, 'Mutes of this agent').getByText('Muted: Job backup').waitFor()
  const own = rows(ada, 'Alerts of this agent')
  await own.getByRole('button', { name: 'Mute Job <i>mail</i> on vela-ada' }).click()
  await page.getByRole('menuitem', { name: 'Until it is over' }).click()
  await rows(ada, 'Mutes of this agent').getByText('Muted: Job <i>mail</i>').waitFor()
  await page.goto(at('/activity'))
  await page.getByText('for the health item Job backup').waitFor()
})

test('a switch that is pressed again before the first change has ended shows the last choice', async () => {
  const { page } = ada
  await page.goto(at('/alerts?tab=rules'))
  const box = page.getByRole('checkbox', { name: 'Rule “Level Warning”' })
  await box.waitFor()
  const before = await box.isChecked()
  const held: (() => void)[] = []
  await page.route(/\/rules$/, async (route) => {
    if (route.request().method() === 'PATCH') await new Promise<void>((go) => void held.push(go))
    await route.continue()
  })
  await box.click()
  await box.click()
  await eventually('both changes are held', () => expect(held.length).toBe(2))
  const first = page.waitForResponse((response) => response.request().method() === 'PATCH')
  held[0]?.()
  await first
  // The page loads the rules again after the first change, and these have its choice.
  await page.waitForResponse((response) => response.request().method() === 'GET' && /\/rules$/.test(response.url()))
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
  expect(await box.isChecked()).toBe(before)
  held[1]?.()
  await page.unrouteAll({ behavior: 'wait' })
  await page.reload()
  await box.waitFor()
  expect(await box.isChecked()).toBe(before)
})
