/**
 * Tests AI sessions on the page, with the real service, the real host agent, and files as the tools write them, of
 * processes that really live. No text of a person or a model may reach the service. `npm test` leaves this out. The
 * tests of packages/runtime/src/host/sessions prove what a report says of such files.
 */
import type { NewToken } from '@svc/api'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Account, account } from '../../../runtime/testing/adopting.ts'
import {
  asksPerson,
  type CodexHome,
  codexHome,
  hasFlock,
  personAnswered,
  rolloutHead,
  turnBegan,
  turnEnded,
} from '../../../runtime/testing/ai/codex.ts'
import { answerOf, type ClaudeHome, claudeHome, failure, prompt } from '../../../runtime/testing/ai/home.ts'
import { modelAnswers, type OpencodeHome, opencodeHome, personAsks } from '../../../runtime/testing/ai/opencode.ts'
import { markIn } from '../../../runtime/testing/private.ts'
import { wrongLooks } from '../../testing/axe.ts'
import { type BrowserSetup, openBrowserSetup, type Visitor } from '../../testing/browser-setup.ts'

if (!hasFlock) process.stderr.write('NOT TESTED: AI sessions on the page, since there is no flock\n')

const north = '/api/web/w/north-wind'
const minute = 60_000
/** Shortens the intervals of the host agent; those of the service stay. */
const quick = { SVC_TIME_SCALE: '0.1' }
/** Reports come every few seconds, and the service evaluates alerts as often. */
const reported = { timeout: 60_000 }

let setup: BrowserSetup
let ada: Visitor
let machine: Account
let claude: ClaudeHome
let codex: CodexHome
let opencode: OpencodeHome
/** The process of the session that waits. */
let waiting: ReturnType<ClaudeHome['startProcess']>
/** The texts of all answers of the service to the page, but for the stream of changes. */
const answers: Promise<string>[] = []

beforeAll(async () => {
  setup = await openBrowserSetup()
  ada = await setup.ada({ width: 1440, height: 1000 })
  ada.page.on('response', (response) => {
    const isJson = response.headers()['content-type']?.includes('json')
    if (isJson) answers.push(response.text().catch(() => ''))
  })
  machine = account()
  claude = claudeHome(machine.home)
  waiting = claude.startProcess()
  codex = codexHome(machine.home)
  opencode = opencodeHome(1, machine.home)
})
afterAll(async () => {
  await machine?.remove()
  for (const home of [claude, codex, opencode]) home?.remove()
  await setup?.close()
})

const at = (path: string) => `${setup.url}/w/north-wind${path}`
const section = (page: Page, name: string) => page.getByRole('article', { name, exact: true })
const line = (page: Page, name: string, words: string | RegExp) =>
  section(page, name).locator('tr, li').filter({ hasText: words })

/** Writes the files of all tools: a session that waits, one that runs, one that is idle, and one that failed before. */
async function work(): Promise<void> {
  const since = { updatedAt: Date.now() - 2 * minute, statusUpdatedAt: Date.now() - 2 * minute }
  claude.lines('one', [prompt, answerOf('a')])
  claude.note('one', waiting.pid, 'waiting', { waitingFor: 'prompt-mark', ...since })
  // A session that ended before the first look raises nothing.
  const timestamp = new Date(Date.now() - 2 * minute).toISOString()
  claude.lines(
    'two',
    [prompt, failure].map((one) => ({ ...one, timestamp })),
  )
  codex.lines(1, rolloutHead(1), ['turn_context', { model: 'gpt-m', cwd: '/srv/folder-mark' }], turnBegan)
  await codex.holds(1)
  opencode.session('s')
  opencode.message('a', 's', personAsks)
  opencode.message('b', 's', modelAnswers())
  opencode.start()
}

test.runIf(hasFlock)('the page shows which sessions run, which wait, and what they cost', async () => {
  await work()
  const { page } = ada
  await ada.call('PATCH', `${north}/rules`, { rule: 'item', after: 0 })
  const { token } = await ada.call<NewToken>('POST', `${north}/agents`, { name: 'vela-ada' })
  const adopted = await machine.adopt(['--yes', '--only', 'ai', '--url', setup.url, '--name', 'vela-ada'], {
    input: token,
    env: quick,
  })
  expect(adopted, adopted.err).toMatchObject({ code: 0 })
  await page.goto(at('/agents/vela-ada'))
  await line(page, 'Health', 'Session claude 1').filter({ hasText: 'Warning' }).waitFor(reported)
  await line(page, 'Health', /waits for you since \d\d:\d\d UTC/).waitFor()
  await page.getByText('claude 1 waits for you').first().waitFor()
  const running = section(page, 'Running now')
  await running.filter({ hasText: 'codex 1' }).filter({ hasText: 'waits for you' }).waitFor(reported)
  await section(page, 'Sessions').locator('tbody tr').nth(2).waitFor()
  const rows = await section(page, 'Sessions').locator('tbody tr').allInnerTexts()
  expect(rows.map((row) => row.split(/\s*\t\s*/).filter((_, cell) => cell !== 3))).toEqual([
    ['claude 1', 'Claude Code', 'waits for you', 'claude-m', '–', '34 out, 2.1k in'],
    ['codex 1', 'Codex', 'running', 'gpt-m', '–', '–'],
    ['opencode 1', 'opencode', 'idle', 'claude-m', '$0.50', '34 out, 2.1k in'],
  ])
  await line(page, 'Today', 'opencode').filter({ hasText: '$0.50' }).waitFor()
  const whole = () => section(page, 'Today').waitFor()
  expect(await wrongLooks(page, whole)).toEqual([])
})

test.runIf(hasFlock)('a setting from the page makes a session Bad that waits, and estimates costs', async () => {
  const { page } = ada
  await page.goto(at('/agents/vela-ada?tab=settings'))
  await page.getByRole('textbox', { name: 'Minutes after which a waiting AI session is bad' }).fill('1')
  await page.getByRole('textbox', { name: 'Prices of models' }).fill('claude-m=1/2/0.5 gpt-m=1/2/0.5')
  await page.getByRole('button', { name: 'Send changes' }).click()
  await page.goto(at('/agents/vela-ada'))
  await line(page, 'Health', 'Session claude 1').filter({ hasText: 'Bad' }).waitFor(reported)
  await line(page, 'Sessions', 'claude 1').filter({ hasText: 'estimated' }).waitFor(reported)
})

test.runIf(hasFlock)('a session that waits too long or died opens an alert, which ends with the answer', async () => {
  const { page } = ada
  await page.goto(at('/alerts'))
  const open = page.getByRole('list', { name: 'Open alerts' }).getByRole('listitem')
  const waits = open.filter({ hasText: 'Session claude 1: waits for you since' })
  await waits.waitFor(reported)
  codex.lines(1, asksPerson, personAnswered, turnEnded)
  claude.note('one', waiting.pid, 'idle')
  await waits.waitFor({ state: 'detached', ...reported })
})

test.runIf(hasFlock)('no text of a person or a model is in what the service stores and answers', async () => {
  const { page } = ada
  for (const [path, words] of [
    ['', 'vela-ada'],
    ['/agents/vela-ada?tab=runs', 'opencode 1'],
    ['/agents/vela-ada', 'Tokens today'],
    ['/activity', 'vela-ada'],
    ['/cost', 'opencode 1'],
    ['/alerts?tab=history', 'Session claude 1'],
  ] as const) {
    await page.goto(at(path))
    await page.locator('main').getByText(words).first().waitFor()
  }
  const answered = (await Promise.all(answers)).join('\n')
  const stored = setup.stored()
  for (const name of ['Session claude 1', 'codex 1', 'opencode:ses_'])
    expect([answered.includes(name), stored.includes(name)], name).toEqual([true, true])
  expect([markIn(answered), markIn(stored)]).toEqual([undefined, undefined])
  expect(setup.faults).toEqual([])
})
