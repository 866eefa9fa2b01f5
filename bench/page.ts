/**
 * Measures how long people wait for the fleet list and for the page of an agent in Chromium, with 10, 1,000 and 10,000
 * agents that report every 30 s meanwhile, and what 200 open pages cost the service.
 *
 *   npm run bench -- page [--agents 10,1000,10000] [--rounds 7] [--pages 200] [--seconds 15]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Browser, BrowserContext } from 'playwright-core'
import { build } from '../scripts/build.ts'
import { contextOptions, launchBrowser } from '../testing/browser.ts'
import { type Service, startService, workspace } from './common/service.ts'
import { signIn } from './common/sign-in.ts'
import { count, fixed, table } from './common/table.ts'
import { median } from './common/times.ts'
import { memory } from './common/usage.ts'
import { startLoad, type Window, window } from './fleet/load.ts'
import { openPages, perPerson, type ReceivedCounts } from './page/open.ts'

const interval = 30
const goal = 1000

/**
 * The pages that are measured: the name, the path, and a selector for content that is visible when the page is ready.
 */
const pages = [
  ['fleet', `/w/${workspace}`, '.fleet-body .fleet-link'],
  ['groups', `/w/${workspace}?group=host`, '.fleet-group'],
  ['map', `/w/${workspace}?as=map`, '.map-tile'],
  ['agent', `/w/${workspace}/agents/agent-7`, 'main [role=tabpanel]'],
] as const

interface Size {
  agents: number
  /**
   * The milliseconds that one page took in each round: `first` with an empty browser cache, `again` when it was opened
   * for the second time.
   */
  waits: { page: string; first: number[]; again: number[] }[]
  alone: Window
  watched: Window
  memory: number
  /** The frames and lists that all simulated pages received during the measurement. */
  seen: ReceivedCounts
}

export async function benchPage(args: string[]): Promise<string> {
  const { agents, rounds, open, seconds } = optionsOf(args)
  await build()
  const browser = await launchBrowser()
  try {
    const sizes: Size[] = []
    for (const n of agents) sizes.push(await measure(browser, n, rounds, open, seconds))
    return tables(sizes, rounds, open, seconds)
  } finally {
    await browser.close()
  }
}

async function measure(browser: Browser, agents: number, rounds: number, open: number, seconds: number): Promise<Size> {
  console.error(`page: ${count(agents)} agents`)
  const people = Array.from({ length: Math.max(1, Math.ceil(open / perPerson)) }, (_, i) => `person-${i}@example.org`)
  const service = await startService(agents, { people })
  const load = await startLoad({ port: service.port, agents, connections: Math.min(agents, 10_000), interval })
  try {
    await sleep((interval + 2) * 1000)
    const cookies = await Promise.all(people.map((email) => signIn(service, email)))
    const waits = []
    for (const [page, path, ready] of pages)
      waits.push({ page, ...(await waitsOf(browser, service, cookies[0] ?? '', path, ready, rounds)) })
    await sleep(2000)
    const alone = await window(load, service.pid, seconds)
    const opened = openPages(service, cookies, open)
    await sleep(5000)
    const before = opened.seen()
    const watched = await window(load, service.pid, seconds)
    const received = difference(opened.seen(), before)
    opened.close()
    return { agents, waits, alone, watched, memory: memory(service.pid).now, seen: received }
  } finally {
    await load.stop()
    await service.stop()
  }
}

/**
 * Opens a page twice in each round, and returns the milliseconds from each navigation until the page's content was
 * visible, by the browser's own clock.
 */
async function waitsOf(
  browser: Browser,
  service: Service,
  cookie: string,
  path: string,
  ready: string,
  rounds: number,
): Promise<{ first: number[]; again: number[] }> {
  const [first, again]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    const context = await browser.newContext({ ...contextOptions, viewport: { width: 1280, height: 800 } })
    await signedIn(context, service, cookie)
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    for (const all of [first, again]) {
      await page.goto(service.url + path, { waitUntil: 'commit' })
      all.push(await page.evaluate(untilVisible, ready))
      await page.waitForTimeout(300)
    }
    await context.close()
  }
  return { first, again }
}

/**
 * Runs in the browser's page. Returns the milliseconds from the navigation until the first element that matches the
 * selector is visible, and has text unless it is a picture.
 */
function untilVisible(selector: string): Promise<number> {
  return new Promise((resolve) => {
    const check = () => {
      const element = document.querySelector(selector)
      const isFull = element instanceof HTMLCanvasElement || !!element?.textContent
      if (element && isFull && element.getClientRects().length > 0) resolve(performance.now())
      else requestAnimationFrame(check)
    }
    check()
  })
}

async function signedIn(context: BrowserContext, { url }: Service, cookie: string): Promise<void> {
  const [name = '', value = ''] = cookie.split(/=(.*)/s)
  await context.addCookies([{ name, value, url }])
}

const difference = (now: ReceivedCounts, before: ReceivedCounts): ReceivedCounts => ({
  frames: now.frames - before.frames,
  frameBytes: now.frameBytes - before.frameBytes,
  lists: now.lists - before.lists,
  listBytes: now.listBytes - before.listBytes,
  ended: now.ended - before.ended,
})

function tables(sizes: Size[], rounds: number, open: number, seconds: number): string {
  const base = sizes[0]
  const waits = sizes.flatMap((size) =>
    size.waits.map(({ page, first, again }, i) => [
      count(size.agents),
      page,
      fixed(median(first), 0),
      fixed(Math.max(...first), 0),
      fixed(median(again), 0),
      fixed(Math.max(...again), 0),
      `${fixed(median(first) / median(base?.waits[i]?.first ?? []), 2)} ×`,
    ]),
  )
  const share = ({ cpu, seconds: of }: Window) => (cpu / of) * 100
  const costs = sizes.map(({ agents, alone, watched, memory: mb, seen }) => [
    count(agents),
    count(watched.counts.answered / watched.seconds),
    `${fixed(share(alone))} %`,
    `${fixed(share(watched))} %`,
    `${fixed(share(watched) / share(alone), 2)} ×`,
    ...[seen.frames, seen.frameBytes / 1024, seen.lists, seen.listBytes / 1024].map((all) =>
      fixed(all / open / watched.seconds, 2),
    ),
    seen.ended,
    count(mb),
  ])
  const fleet = sizes.at(-1)
  const wait = median(fleet?.waits[0]?.first ?? [])
  return [
    `Milliseconds from the navigation until it can be seen, with an empty cache and again; medians of ${rounds}. The limit is the same page of the smallest fleet.`,
    table(['agents', 'page', 'first', 'slowest', 'again', 'slowest', '÷ smallest'], waits),
    `CPU of the service, as a share of a core, over ${seconds} s, without and with ${open} open pages that listen to the fleet:`,
    table(
      [
        ...['agents', 'reports/s', 'no page', `${open} pages`, '÷ no page'],
        ...['frames/s a page', 'KB/s', 'lists/s a page', 'KB/s', 'streams ended', 'MB'],
      ],
      costs,
    ),
    wait <= goal
      ? `The goal is met: the fleet list of ${count(fleet?.agents ?? 0)} agents is ready within ${goal / 1000} s.`
      : `The goal is MISSED: the fleet list of ${count(fleet?.agents ?? 0)} agents is ready after ${fixed(wait, 0)} ms.`,
  ].join('\n\n')
}

function optionsOf(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      agents: { type: 'string', default: '10,1000,10000' },
      rounds: { type: 'string', default: '7' },
      pages: { type: 'string', default: '200' },
      seconds: { type: 'string', default: '15' },
    },
  })
  return {
    agents: values.agents.split(',').map(Number),
    rounds: Number(values.rounds),
    open: Number(values.pages),
    seconds: Number(values.seconds),
  }
}
