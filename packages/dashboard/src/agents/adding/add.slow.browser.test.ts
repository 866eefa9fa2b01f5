/**
 * Tests the page to add an agent: its names, its block with the token, its first report, and leaving it. `npm test`
 * leaves this out. packages/dashboard/src/newcomer.browser.test.ts proves the same rules.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { resize, smallTargets, wrongLooks } from '../../../testing/axe.ts'
import { tabTo } from '../../../testing/keys.ts'
import { noTerminal, Terminal } from '../../../testing/terminal.ts'
import { type AgentPageSetup, openAgentPageSetup } from '../testing/setup.ts'

let setup: AgentPageSetup
let page: Page
beforeAll(async () => {
  setup = await openAgentPageSetup()
  for (const name of ['mail', 'mail-2', 'my-agent']) await setup.addAgent(name)
  page = await setup.visit('admin', 'mail')
})
afterAll(() => setup?.setup.close())
afterEach(() => expect(setup.setup.faults.splice(0)).toEqual([]))

const open = (what = '') => page.goto(`${setup.setup.url}/w/north-wind/add${what}`)
const field = (label: string) => page.getByLabel(label, { exact: true })
const add = () => page.getByRole('button', { name: 'Add agent' }).click()
const block = async () => (await page.locator('.svc-copy pre').first().textContent()) ?? ''
const tokenIn = (text: string) => /svc_agt_[\w-]{43}/.exec(text)?.[0] ?? ''
const asked = () => page.getByRole('dialog', { name: /^Leave before/ })

test('a free name is offered, a wrong one is refused, and of a taken one the next is named', async () => {
  await open()
  await eventually('a free name is offered', async () => expect(await field('Name').inputValue()).toBe('my-agent-2'))
  await field('Name').fill('Price Scout')
  await add()
  await page.getByText('Lowercase letters only.').waitFor()
  await field('Name').fill('mail')
  await page.getByText('The workspace already has an agent mail. mail-3 is free.').waitFor()
  await page.getByRole('link', { name: 'Cron jobs' }).click()
  expect(await field('Name').inputValue()).toBe('cron-jobs')
  await page.getByRole('link', { name: 'A blueprint' }).click()
  await page.waitForURL('**/add?what=blueprint')
  await page.getByRole('link', { name: 'Choose a blueprint' }).waitFor()
})

test('the block holds the token, which no later visit shows; its first report leads to the agent', async () => {
  await open()
  await field('Name').fill('price-scout')
  await add()
  await page.getByText('Waiting for its first report').waitFor()
  const token = tokenIn(await block())
  expect(await block()).toContain(
    `echo ${token} | python3 svc.pyz connect --url ${setup.setup.url} --name price-scout --yes --token-file -`,
  )
  await page.getByText('works only on the machine of this service').waitFor()
  expect(await field('Command that starts it').isVisible()).toBe(false)
  await page.getByText('Keep it running').click()
  await field('Command that starts it').fill('node scout.ts')
  await page.getByText('["node","scout.ts"]').waitFor()

  await page.getByRole('link', { name: 'Activity' }).click()
  await asked().getByText('Its token is shown only here.').waitFor()
  await asked().getByRole('button', { name: 'Cancel' }).click()
  await setup.setup.report(token, { state: { level: 'ok', label: 'Hello' } })
  await page.getByText('First report received: Hello').waitFor()
  await page.getByText('two lines in its program write a status file').waitFor()
  expect(await page.getByText('["node","scout.ts"]').isVisible()).toBe(true)
  await page.getByRole('button', { name: 'Add another: price-scout-2' }).waitFor()
  await page.getByRole('link', { name: 'Open price-scout' }).click()
  await page.getByRole('heading', { level: 1, name: 'price-scout' }).waitFor()
  await page.goBack()
  await field('Name').waitFor()
  expect(await page.content()).not.toContain(token)
})

test('each step begins at the top of the page, and each line of the block further left than the rest of a long line', async () => {
  await open()
  await field('Name').fill('on-a-phone')
  await page.setViewportSize({ width: 360, height: 560 })
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
  expect(await page.evaluate(() => window.scrollY)).toBeGreaterThan(0)
  await add()
  await page.getByText('Waiting for its first report').waitFor()
  await eventually('the page is at its top', async () => expect(await page.evaluate(() => window.scrollY)).toBe(0))
  const lines = page.locator('.svc-copy').first().locator('.svc-copy-line')
  const rows = await lines.evaluateAll((all) =>
    all.map((line) => [...line.querySelectorAll('span')].map((word) => word.getBoundingClientRect().left)),
  )
  expect(rows.length).toBe(3)
  for (const [first = 0, ...others] of rows) expect(Math.min(...others)).toBeGreaterThan(first)
  const copied = await page.evaluate(() => {
    const pre = document.querySelector('.svc-copy pre') as Element
    window.getSelection()?.selectAllChildren(pre)
    return window.getSelection()?.toString()
  })
  expect(copied).toBe(await block())
  // Other programs, and some browsers, read the lines as they are drawn.
  expect(await page.locator('.svc-copy pre').first().innerText()).toBe(await block())
  const lefts = await lines.evaluateAll((all) =>
    all.map((line) => {
      const range = document.createRange()
      range.selectNodeContents(line.querySelector('span') ?? line)
      return Math.round(range.getBoundingClientRect().left - (line.parentElement?.getBoundingClientRect().left ?? 0))
    }),
  )
  expect(lefts, 'the first letters are at the edge, not a space further right').toEqual([0, 0, 0])
  await resize(page, 1440)
  await page.getByRole('link', { name: 'Activity' }).click()
  await asked().getByRole('button', { name: 'Leave' }).click()
})

test('the page can be left before a report, and used with the keyboard alone', async () => {
  await open()
  await tabTo(page, /^Cron jobs/)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/add?what=cron')
  await tabTo(page, /^Tags/)
  await page.keyboard.type('eu')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Connect cron-jobs' }).waitFor()
  await page.getByText('tags eu').waitFor()
  expect(await block()).toMatch(/ python3 svc\.pyz adopt$/)
  expect(await tabTo(page, 'Copy block')).toBeLessThan(5)
  await page.getByRole('link', { name: 'Activity' }).click()
  await asked().getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor()
})

test('the palette adds another agent after it asked about the token', async () => {
  const again = async () => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('add agent')
    await page.getByRole('option', { name: 'Add agent' }).first().click()
  }
  await open()
  await field('Name').fill('first-try')
  await add()
  await page.getByRole('heading', { level: 1, name: 'Connect first-try' }).waitFor()
  await again()
  await asked().getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('heading', { level: 1, name: 'Connect first-try' }).waitFor()
  await again()
  await asked().getByRole('button', { name: 'Leave' }).click()
  await field('Name').waitFor()
  await page.getByRole('heading', { level: 1, name: 'Add agent' }).waitFor()
})

test('a member reads who can add agents', async () => {
  const member = await setup.visit('member', 'mail')
  await member.goto(`${setup.setup.url}/w/north-wind/add`)
  await member.getByText('Only admins of this workspace can add agents.').waitFor()
  expect(await member.getByLabel('Name').count()).toBe(0)
})

test('what is typed replaces the offered name, also if the names come later than the focus', async () => {
  const late = await setup.visit('admin', 'mail')
  let answer = () => {}
  const pressed = new Promise<void>((resolve) => {
    answer = resolve
  })
  await late.route(/fleet\/names/, async (route) => {
    await pressed
    await route.continue()
  })
  await late.goto(`${setup.setup.url}/w/north-wind/add`)
  const name = late.getByLabel('Name', { exact: true })
  await name.focus()
  const names = late.waitForResponse(/fleet\/names/)
  answer()
  await names
  await late.waitForLoadState('networkidle')
  await late.keyboard.type('scout')
  expect(await name.inputValue()).toBe('scout')
  await name.fill('')
  await late.getByRole('button', { name: 'Add agent' }).focus()
  await late.getByRole('link', { name: 'Cron jobs' }).click()
  await eventually('a free name is offered, since an earlier test added cron-jobs', async () =>
    expect(await name.inputValue()).toBe('cron-jobs-2'),
  )
})

test('a late answer is waited for, and the button says so', async () => {
  const late = await setup.visit('admin', 'mail')
  await late.route(/\/agents$|fleet\/names/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 600))
    await route.continue()
  })
  await late.goto(`${setup.setup.url}/w/north-wind/add`)
  await late.getByLabel('Name', { exact: true }).fill('late')
  await late.getByRole('button', { name: 'Add agent' }).click()
  await late.locator('button[data-loading="true"]').waitFor()
  await late.getByRole('heading', { level: 1, name: 'Connect late' }).waitFor()
})

test('axe finds nothing in light and dark, wide and narrow; targets are large enough for a thumb', async () => {
  const whole = () => page.getByText(/What do you have\?|Waiting for its first|First report received/).waitFor()
  const looks = async () => {
    expect(await wrongLooks(page, whole)).toEqual([])
    await resize(page, 360)
    expect(await smallTargets(page)).toEqual([])
    await resize(page, 1440)
  }
  await open()
  await looks()
  await field('Name').fill('seen')
  await add()
  await page.getByText('Waiting for its first report').waitFor()
  for (const summary of await page.locator('summary').all()) await summary.click()
  await looks()
  await setup.setup.report(tokenIn(await block()), { state: { level: 'warn', label: 'Slow' } })
  await page.getByText('First report received').waitFor()
  await looks()
})

test.skipIf(noTerminal)('Bash as Debian sets it up keeps no line of the block in its history', async () => {
  const machine = mkdtempSync(join(tmpdir(), 'svc-history-'))
  const shell = new Terminal(machine, { XDG_BIN_HOME: join(machine, 'bin'), PS1: '$ ' })
  try {
    await open()
    await field('Name').fill('unkept')
    await add()
    await shell.ready()
    const history = join(machine, 'history')
    shell.type(`HISTFILE=${history} HISTCONTROL=ignoreboth exec bash --norc`)
    shell.type('PS1="$ "; echo kept')
    await shell.until(/^kept$/m)
    shell.type(await block())
    await page.getByText('First report received: Hello').waitFor()
    await shell.ready()
    shell.type('history -w; echo written')
    await shell.until(/^written$/m)
    const kept = readFileSync(history, 'utf8')
    expect(kept).toContain('echo kept')
    expect(kept).not.toContain('svc_agt_')
  } finally {
    await shell.close()
    // A shell may write its history while it ends.
    rmSync(machine, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
})
