/**
 * Tests a person's way through the page, from the first agent to a command and its answer, and the rules that every
 * page must follow. The other browser tests are slow, because each tests one page in every detail.
 */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { level } from '../../../testing/level.ts'
import { password } from '../testing/browser-setup.ts'
import { codeOf } from '../testing/factors.ts'
import { focusOn } from '../testing/keys.ts'
import { wholeReport } from './agents/testing/reports.ts'
import { type AgentPageSetup, openAgentPageSetup } from './agents/testing/setup.ts'

let setup: AgentPageSetup
beforeAll(async () => {
  setup = await openAgentPageSetup()
})
afterAll(() => setup?.setup.close())

const now = () => Math.floor(Date.now() / 1000)
const section = (page: Page, name: string) => page.getByRole('article', { name, exact: true })
const seen = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

test('an agent is added, reports, is paused, and answers', async () => {
  const page = await setup.setup.window(await setup.setup.ada())
  await page.goto(`${setup.setup.url}/w/north-wind`)
  const steps = page.getByRole('list', { name: 'First steps' }).getByRole('listitem')
  await steps.nth(3).waitFor()
  await page.getByRole('link', { name: 'Add your first agent' }).click()
  await page.getByLabel('Name').fill('first')
  await page.getByRole('button', { name: 'Add agent' }).click()
  const block = (await page.locator('.svc-copy pre').first().textContent()) ?? ''
  const [token = ''] = /svc_agt_[\w-]+/.exec(block) ?? []
  const report = (parts: object) => setup.setup.report(token, { controls: ['pause', 'resume'], ...parts })
  await report({})
  await page.getByText('First report received').waitFor()
  await page.getByRole('link', { name: 'Agents' }).click()
  await steps.filter({ hasText: 'Add an agent (done)' }).waitFor()
  await page.getByRole('link', { name: 'first', exact: true }).click()
  await section(page, 'Next step').waitFor()
  await report({ state: { level: 'ok', label: 'Hello' } })
  await section(page, 'Next step').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  const following = page.getByRole('list', { name: 'Commands in progress' })
  await following.getByText('queued').waitFor()
  const [pause] = (await report({ state: { level: 'ok', label: 'Hello' } })).commands as { id: string; type: string }[]
  expect(pause?.type).toBe('pause')
  const acks = [{ id: pause?.id, ok: true, message: 'Paused as asked' }]
  await report({ state: { level: 'ok', label: 'Hello', paused: { since: now() } }, acks })
  await following.getByText('applied').waitFor()
  await seen(page, 'Paused as asked')
})

test.skipIf(level === 'short')(
  'an address with the old name of a renamed agent opens the agent, and becomes its new address',
  async () => {
    const agent = await setup.addAgent('old-name')
    await agent.report({ state: { level: 'ok', label: 'Hello' } })
    const ada = await setup.setup.ada()
    await ada.call('PATCH', '/api/web/w/north-wind/agents/old-name', { name: 'new-name' })
    await ada.page.goto(`${setup.setup.url}/w/north-wind/agents/old-name?tab=commands`)
    await ada.page.getByRole('heading', { level: 1, name: 'new-name' }).waitFor()
    await ada.page.waitForURL(`${setup.setup.url}/w/north-wind/agents/new-name?tab=commands`)
  },
)

test.skipIf(level === 'short')('a person hides the first steps, and they stay hidden', async () => {
  const { page } = await setup.setup.ada()
  await page.goto(`${setup.setup.url}/w/north-wind`)
  const steps = page.getByRole('list', { name: 'First steps' })
  await page.getByRole('button', { name: 'Hide steps' }).click()
  await steps.waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('link', { name: 'new-name', exact: true }).waitFor()
  expect(await steps.count()).toBe(0)
})

test('a link that an agent reported learns nothing about the page', async () => {
  const agent = await setup.addAgent('linking')
  await agent.report(wholeReport(now()))
  const page = await setup.visit('admin', 'linking')
  const inbox = page.getByRole('link', { name: 'Inbox' })
  await inbox.waitFor()
  expect(await inbox.getAttribute('rel')).toBe('noopener noreferrer nofollow')
})

test('text typed in the settings stays while another tab is open, and is not lost without a question', async () => {
  const agent = await setup.addAgent('drafts')
  await agent.report(wholeReport(now()))
  const page = await setup.visit('admin', 'drafts', { tab: 'settings' })
  const every = page.getByLabel('Minutes between runs', { exact: true })
  await every.fill('33')
  await page.getByRole('tab', { name: 'Runs' }).click()
  await seen(page, '60 runs kept')
  await page.getByRole('tab', { name: 'Settings' }).click()
  expect(await every.inputValue()).toBe('33')

  const question = page.getByRole('dialog', { name: 'Leave without sending?' })
  await page.getByRole('link', { name: 'Activity' }).click()
  await question.getByText('You changed 1 setting and did not send it to the agent.').waitFor()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'detached' })
  expect(await every.inputValue()).toBe('33')
  await page.getByRole('link', { name: 'Activity' }).click()
  await question.getByRole('button', { name: 'Discard and leave' }).click()
  await page.getByRole('heading', { name: 'Activity' }).waitFor()

  await page.goBack()
  await every.waitFor()
  expect(await every.inputValue()).toBe('10')
  await page.getByRole('link', { name: 'Activity' }).click()
  await page.getByRole('heading', { name: 'Activity' }).waitFor()
})

test('a member sees everything but logs, and each disabled button says why', async () => {
  const agent = await setup.addAgent('watched')
  await agent.report(wholeReport(now()))
  const page = await setup.visit('member', 'watched')
  const pause = page.getByRole('button', { name: 'Pause', exact: true })
  expect(await pause.getAttribute('aria-disabled')).toBe('true')
  await focusOn(pause)
  await page.getByRole('tooltip').getByText('Only admins of this workspace can do this.').waitFor()
  await pause.press('Enter')
  expect(await page.getByRole('tab').allInnerTexts()).not.toContain('Logs')
  await page.getByRole('tab', { name: 'Settings' }).click()
  expect(await page.getByLabel('Minutes between runs', { exact: true }).isDisabled()).toBe(true)
  expect(await agent.report(wholeReport(now()))).toEqual([])
})

test('an offline agent is grey, and its last report is shown as past (D20)', async () => {
  const agent = await setup.addAgent('silent')
  await agent.report(wholeReport(now()))
  const page = await setup.visit('admin', 'silent', { clock: true })
  await seen(page, /^reported/)
  await page.clock.runFor(5 * 60_000)
  await seen(page, 'Offline, was Warning')
  await seen(page, /Offline: last report/)
  await section(page, 'Was running').waitFor()
})

test('while the service is down the page says so; afterwards it reconnects by itself and is right again', async () => {
  const agent = await setup.addAgent('lasting')
  await agent.report({ state: { level: 'ok', label: 'At work' } })
  const page = await setup.visit('admin', 'lasting')
  await seen(page, 'At work')
  await setup.setup.kill()
  await page.getByText('Reconnecting…').waitFor()
  // The report arrives before the page connects, so no frame tells the page about it.
  await page.route(/\/events/, (route) => route.abort())
  await setup.setup.start()
  await agent.report({ state: { level: 'ok', label: 'Back at work' } })
  // The page tries again at growing intervals, of up to 13 seconds.
  const connected = page.waitForResponse(/\/events/, { timeout: 60_000 })
  await page.unrouteAll()
  await connected
  await page.getByText('Back at work').first().waitFor()
  await page.getByText('Reconnecting…').waitFor({ state: 'detached' })
})

test.skipIf(level === 'short')(
  'a person adds an authenticator app, and the next sign-in asks for its code',
  async () => {
    const { page } = await setup.setup.ada()
    await page.goto(`${setup.setup.url}/account`)
    await page.getByRole('button', { name: 'Add an authenticator app' }).click()
    const copy = page.getByRole('button', { name: 'Copy secret' })
    const secret = (await page.locator('.svc-copy', { has: copy }).locator('pre').textContent()) ?? ''
    await page.getByLabel('Code', { exact: true }).fill(codeOf(setup.setup, secret))
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'I have saved them' }).click()
    await seen(page, '10 recovery codes left')
    await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Email').fill('ada@example.org')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await page.getByLabel('Code', { exact: true }).fill(codeOf(setup.setup, secret))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
  },
)

test('no page had an error meanwhile', () => expect(setup.setup.faults).toEqual([]))
