/**
 * Tests many tabs of one browser, which all share its six connections to the service (HTTP/1.1). All tabs of a headless
 * browser are visible, so a test hides a tab by changing the visibility that the page reads. `npm test` leaves this
 * out. packages/dashboard/src/data/live/freshness.test.ts proves the same rules.
 */
import type { BrowserContext, Page, Request } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { type BrowserSetup, openBrowserSetup, password, type Visitor } from '../../../testing/browser-setup.ts'
import { maxHiddenMs } from './freshness.ts'

const agents = Array.from({ length: 8 }, (_, i) => `agent-${i}`)
const tokens = new Map<string, string>()
let setup: BrowserSetup
let ada: Visitor

beforeAll(async () => {
  setup = await openBrowserSetup()
  ada = await setup.ada()
  for (const name of agents) {
    const { token } = await ada.call<{ token: string }>('POST', '/api/web/w/north-wind/agents', { name })
    tokens.set(name, token)
    await report(name, 'Idle')
  }
})
afterAll(() => setup?.close())
afterEach(() => expect(setup.faults.splice(0)).toEqual([]))

const report = (name: string, label: string) =>
  setup.report(tokens.get(name) ?? '', { state: { level: 'ok', label }, controls: ['pause'] })
const list = '/w/north-wind'
const agentPage = (name: string) => `${list}/agents/${name}`

interface Tab {
  page: Page
  /** The number of streams that the tab holds now. */
  streams: () => number
  /** The query strings of these streams. */
  about: () => string[]
}

/** Opens a tab in which Ada is signed in. */
async function tab(context: BrowserContext, address: string, before?: (page: Page) => Promise<unknown>): Promise<Tab> {
  const page = await context.newPage()
  page.on('pageerror', (error) => setup.faults.push(error.message))
  const open = new Set<Request>()
  page.on('request', (request) => request.url().includes('/events') && open.add(request))
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
  page.on('crash', () => open.clear())
  page.on('close', () => open.clear())
  await before?.(page)
  await page.goto(setup.url + address)
  const about = () => [...open].map((request) => new URL(request.url()).search)
  return { page, streams: () => open.size, about }
}

/** Opens a tab for each address in Ada's browser, and closes them after `use`. */
async function withTabs(addresses: readonly string[], use: (tabs: Tab[]) => Promise<void>, { context } = ada) {
  const tabs: Tab[] = []
  try {
    for (const address of addresses) tabs.push(await tab(context, address))
    await use(tabs)
  } finally {
    for (const { page } of tabs) await page.close()
  }
}

const held = (tabs: readonly Tab[]) => tabs.reduce((sum, { streams }) => sum + streams(), 0)
const holders = (tabs: readonly Tab[]) => tabs.filter(({ streams }) => streams() > 0)
const places = (tabs: readonly Tab[]) =>
  eventually(`four of ${tabs.length} tabs hold a stream`, () => {
    expect(held(tabs)).toBe(4)
    expect(holders(tabs).length).toBe(4)
  })
/** Waits until each tab shows a text. Each has the five seconds that the page promises. */
const allShow = (tabs: readonly Tab[], text: string) =>
  Promise.all(tabs.map(({ page }) => page.getByText(text).first().waitFor({ timeout: patience })))
/** The milliseconds that a change may take to appear in every tab, with room for a busy machine. */
const patience = 15_000

/** Makes a tab visible or hidden for its page. */
const see = ({ page }: Tab, state: 'visible' | 'hidden') =>
  page.evaluate((to) => {
    Object.defineProperty(document, 'visibilityState', { value: to, configurable: true })
    Object.defineProperty(document, 'hidden', { value: to === 'hidden', configurable: true })
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
  }, state)

/** Stops everything that a tab runs, with no event before it, as a browser may do with a tab that is hidden. */
async function sleep({ page }: Tab): Promise<void> {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('Debugger.enable')
  const paused = new Promise((done) => devTools.once('Debugger.paused', done))
  await devTools.send('Debugger.pause')
  await paused
}

const lists = (count: number) => Array<string>(count).fill(list)
const [first = ''] = agents

test('eight tabs on one list show their data and a change, and a button in the first one answers', async () => {
  await withTabs(lists(8), async (tabs) => {
    await allShow(tabs, 'agent-7')
    await places(tabs)
    await report('agent-3', 'Eight lists show this')
    await allShow(tabs, 'Eight lists show this')
    const page = tabs[0]?.page as Page
    await page.getByRole('checkbox', { name: 'Select agent-5' }).click()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('heading', { name: 'Pause: 1 agent' }).waitFor()
    await page.getByText('1 waiting').waitFor()
  })
})

test('tabs on eight agents show their data and a change, and a button in the first one answers', async () => {
  await withTabs(agents.map(agentPage), async (tabs) => {
    await Promise.all(tabs.map((each, i) => allShow([each], `agent-${i}`)))
    await places(tabs)
    for (const name of agents) await report(name, `News of ${name}`)
    await Promise.all(tabs.map((each, i) => allShow([each], `News of agent-${i}`)))
    const page = tabs[0]?.page as Page
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByRole('list', { name: 'Commands in progress' }).waitFor()
  })
})

test.each<[string, (holder: Tab) => Promise<unknown>]>([
  ['leaves the page', ({ page }) => page.goto(`${setup.url}/icon.svg`)],
  [
    'crashes',
    async ({ page }) => {
      const crashed = page.waitForEvent('crash')
      const devTools = await page.context().newCDPSession(page)
      void devTools.send('Page.crash').catch(() => {})
      await crashed
    },
  ],
  ['is frozen', ({ page }) => page.evaluate(() => void document.dispatchEvent(new Event('freeze')))],
  [
    'is hidden, and sleeps',
    async (holder) => {
      await see(holder, 'hidden')
      await sleep(holder)
    },
  ],
])('when a tab with a stream %s, another tab takes over, and no change is missed', async (what, ends) => {
  await withTabs(lists(5), async (tabs) => {
    await allShow(tabs, 'agent-7')
    await places(tabs)
    const [holder] = holders(tabs)
    const rest = tabs.filter((each) => each !== holder)
    const gone = ends(holder as Tab)
    await report('agent-2', `Seen although it ${what}`)
    await gone
    await allShow(rest, `Seen although it ${what}`)
    await places(rest)
    await report('agent-2', `Seen after it ${what}`)
    await allShow(rest, `Seen after it ${what}`)
  })
})

test('a visible tab takes the place of a hidden one, which loads again when it is shown', async () => {
  await withTabs(lists(5), async (tabs) => {
    await places(tabs)
    const [holder] = holders(tabs) as [Tab]
    const waiting = tabs.find(({ streams }) => streams() === 0) as Tab
    await see(holder, 'hidden')
    await eventually('the waiting tab holds a stream, and the hidden one none', () =>
      expect([waiting.streams(), holder.streams()]).toEqual([1, 0]),
    )
    await report('agent-1', 'Reported while one is hidden')
    await see(holder, 'visible')
    await allShow(tabs, 'Reported while one is hidden')
  })
})

test('a tab gives its stream up after some minutes out of sight, and has one when it is shown again', async () => {
  const { context } = await setup.ada({ own: true })
  const only = await tab(context, list, (page) => page.clock.install())
  const streams = (count: number) =>
    eventually(`the tab holds ${count} streams`, () => expect(only.streams()).toBe(count))
  await allShow([only], 'agent-7')
  await streams(1)
  await see(only, 'hidden')
  await only.page.clock.fastForward(maxHiddenMs - 60_000)
  await report('agent-4', 'Reported out of sight')
  await allShow([only], 'Reported out of sight')
  await streams(1) // After such a jump of the clock the stream is opened again.
  await only.page.clock.fastForward(70_000)
  await streams(0)
  await report('agent-4', 'Reported without a stream')
  await see(only, 'visible')
  await allShow([only], 'Reported without a stream')
  await streams(1)
})

test('signing out in one tab leads all tabs to the sign-in page, and ends their streams', async () => {
  const signOut = async (tabs: Tab[]) => {
    await places(tabs)
    const page = tabs[0]?.page as Page
    await page.evaluate(() => fetch('/api/auth/sign-out', { method: 'POST', body: '{}' }))
    await Promise.all(tabs.map((each) => each.page.waitForURL(/sign-in/)))
    await eventually('no tab holds a stream', () => expect(held(tabs)).toBe(0))
  }
  await withTabs(lists(5), signOut, await setup.ada())
})

test('a person who is removed from the workspace sees nothing of it in any tab', async () => {
  const mo = ['person', 'create', 'mo@example.org', '--name', 'Mo', '--workspace', 'north-wind', '--role', 'member']
  await setup.operator(mo, password)
  const visitor = await setup.visitor()
  await setup.signIn(visitor, 'mo@example.org')
  const remove = async (tabs: Tab[]) => {
    await allShow(tabs, 'agent-7')
    await places(tabs)
    await setup.operator(['member', 'remove', 'north-wind', 'mo@example.org'])
    await allShow(tabs, 'Page not found')
    await eventually('no tab holds a stream', () => expect(held(tabs)).toBe(0))
    const page = tabs[0]?.page as Page
    await page.getByRole('link', { name: 'Back to agents' }).click()
    await page.getByRole('heading', { name: 'You are not in a workspace yet' }).waitFor()
  }
  await withTabs(lists(5), remove, visitor)
})

test('in a browser without locks a tab holds a stream only while it is visible', async () => {
  const { context } = await setup.ada({ own: true })
  await context.addInitScript(() => Object.defineProperty(navigator, 'locks', { value: undefined }))
  const only = await tab(context, agentPage(first))
  const streams = (count: number) =>
    eventually(`the tab holds ${count} streams`, () => expect(only.streams()).toBe(count))
  await streams(1)
  await see(only, 'hidden')
  await streams(0)
  await report(first, 'Reported to nobody')
  await see(only, 'visible')
  await streams(1)
  await allShow([only], 'Reported to nobody')
})

test('a tab with a stream keeps it on the way from one agent to another', async () => {
  await withTabs(lists(5), async (tabs) => {
    await places(tabs)
    const [holder] = holders(tabs) as [Tab]
    await holder.page.getByRole('link', { name: first, exact: true }).click()
    await holder.page.getByRole('heading', { level: 1, name: first }).waitFor()
    await eventually('the stream is about the agent', () => expect(holder.about()).toEqual([`?agent=${first}`]))
    await places(tabs)
    expect(holders(tabs)).toContain(holder)
  })
})
