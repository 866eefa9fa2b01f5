/**
 * Tests a workspace of one agent whose texts are as wide as they can be. `npm test` leaves this out. The widths of
 * texts are known only to a browser that draws them.
 */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { wrongLooks } from '../../testing/axe.ts'
import { type BrowserSetup, openBrowserSetup, type Visitor } from '../../testing/browser-setup.ts'

let setup: BrowserSetup
let ada: Visitor
/** The longest name of an agent, and 65 characters without a space that are two columns wide. */
const name = 'w'.repeat(63)
const wide = '界'.repeat(65)
const tag = 'm'.repeat(30)

beforeAll(async () => {
  setup = await openBrowserSetup()
  ada = await setup.ada()
  await ada.call('PATCH', '/api/web/me', { onboarding: false })
  const made = await ada.call<{ token: string }>('POST', '/api/web/w/north-wind/agents', { name, tags: [tag] })
  await setup.report(made.token, {
    agent: { version: '1'.repeat(20), host: 'h'.repeat(63) },
    state: { level: 'bad', label: wide, detail: wide },
    active: [{ kind: wide, title: wide, detail: wide }],
    health: [{ name: wide, level: 'warn', detail: wide }],
    gauges: [{ label: wide, value: 1, max: 2 }],
    panels: [{ type: 'table', title: wide, columns: [wide, wide], rows: [[wide, wide]] }],
    runs: [{ id: wide, kind: wide, status: 'failed', started: 1_760_000_000, subjects: [{ title: wide }] }],
  })
})
afterAll(() => setup?.close())

/**
 * Returns the pairs of texts that are drawn over each other. A text counts only within the boxes that cut it, and not
 * in a part that floats above the page. A text that is cut has two boxes, which are not compared.
 */
const overlaps = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const texts: { node: Node; words: string; box: DOMRect }[] = []
    const walker = document.createTreeWalker(document.querySelector('main') ?? document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const { currentNode: node } = walker
      const element = node.parentElement
      if (!element?.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) || !node.textContent?.trim())
        continue
      if (element.closest('title, desc, script, style')) continue
      const range = document.createRange()
      range.selectNodeContents(node)
      for (const { left, top, right, bottom } of range.getClientRects()) {
        const edges = { left, top, right, bottom }
        let floats = false
        for (let box: Element | null = element; box; box = box.parentElement) {
          const { overflowX, clip, position, overflowY } = getComputedStyle(box)
          const cut = box.getBoundingClientRect()
          floats ||= position === 'fixed' || position === 'sticky'
          if (overflowX !== 'visible' || clip !== 'auto') {
            edges.left = Math.max(edges.left, cut.left)
            edges.right = Math.min(edges.right, cut.right)
          }
          if (overflowY !== 'visible' || clip !== 'auto') {
            edges.top = Math.max(edges.top, cut.top)
            edges.bottom = Math.min(edges.bottom, cut.bottom)
          }
        }
        const [width, height] = [edges.right - edges.left, edges.bottom - edges.top]
        if (floats || width < 2 || height < 2) continue
        texts.push({
          node,
          words: node.textContent.trim().slice(0, 30),
          box: new DOMRect(edges.left, edges.top, width, height),
        })
      }
    }
    const isOver = (a: DOMRect, b: DOMRect) =>
      Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
      // The boxes of neighbouring lines overlap by a little where the lines are close together.
      Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > Math.min(a.height, b.height) / 2
    return texts.flatMap((one, at) =>
      texts
        .slice(at + 1)
        .flatMap((two) => (one.node !== two.node && isOver(one.box, two.box) ? [`${one.words} / ${two.words}`] : [])),
    )
  })

const list = (page: Page) => page.locator('.fleet-body').getByRole('link', { name, exact: true }).waitFor()
const group = (page: Page) => page.locator('[role="row"][aria-level="1"]').first().waitFor()
const map = async (page: Page) => {
  await page.getByRole('application').waitFor()
  expect(await page.getByRole('application').getAttribute('aria-label')).toMatch(/^1 agent: 1 bad\./)
}

const heading = (page: Page) => page.getByRole('heading', { level: 1, name }).waitFor()
const overview = (page: Page) => page.getByRole('main').getByText(wide).nth(5).waitFor()
const views: [address: string, whole: (page: Page) => Promise<unknown>][] = [
  ['', list],
  ['?group=tag', group],
  ['?group=host', group],
  ['?as=map', map],
  ['?group=tag&as=map', map],
  [`/agents/${name}`, overview],
  [`/agents/${name}?tab=runs`, heading],
  ['/activity', (page) => page.getByRole('heading', { level: 1 }).waitFor()],
]

test.each(views)('the one agent with the widest texts fits and overlaps nothing: %s', async (address, whole) => {
  const page = await setup.window(ada, { width: 1440 })
  await page.goto(`${setup.url}/w/north-wind${address}`)
  const wrong = await wrongLooks(page, () => whole(page), [1440, 360])
  expect(wrong).toEqual([])
  const over: string[] = []
  for (const width of [1440, 360]) {
    await page.setViewportSize({ width, height: 800 })
    await whole(page)
    over.push(...(await overlaps(page)).map((pair) => `${width}: ${pair}`))
  }
  expect(over).toEqual([])
})

test('the check finds texts that are drawn over each other', async () => {
  const page = await setup.window(ada, { width: 1440 })
  await page.goto(`${setup.url}/w/north-wind/agents/${name}`)
  await overview(page)
  await page.getByRole('main').evaluate((main) => {
    for (const text of ['over', 'under']) {
      const line = document.createElement('div')
      line.textContent = text
      line.style.marginBottom = '-1.5em'
      main.append(line)
    }
  })
  expect(await overlaps(page)).toContain('over / under')
})

test('groups of one agent say so, and open to it', async () => {
  const page = await setup.window(ada, { width: 1440 })
  await page.goto(`${setup.url}/w/north-wind?group=tag`)
  await page.getByText('1 group', { exact: false }).first().waitFor()
  await page.locator('[role="row"][aria-level="1"]', { hasText: tag }).click()
  await page.locator('[role="row"][aria-level="2"]').getByRole('link', { name, exact: true }).waitFor()
})

test('no page had an error', () => expect(setup.faults).toEqual([]))
