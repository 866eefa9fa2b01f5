/**
 * Tests the groups of the list and the map of agents as a person sees and uses them. `npm test` leaves this out.
 * packages/dashboard/src/fleet/map/squares.test.ts proves the same rules.
 */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { overflow, smallTargets, wrongLooks } from '../../../testing/axe.ts'
import { type BrowserSetup, type Look, openBrowserSetup, type Visitor } from '../../../testing/browser-setup.ts'

let setup: BrowserSetup
let ada: Visitor
const tokens = new Map<string, string>()
const tags = { 'mail-1': ['eu', 'prod'], 'mail-2': ['eu'], 'link-1': ['us'], 'never-1': [] }
type Name = keyof typeof tags

beforeAll(async () => {
  setup = await openBrowserSetup()
  ada = await setup.ada()
  await ada.call('PATCH', '/api/web/me', { onboarding: false })
  for (const [name, add] of Object.entries(tags)) {
    const made = await ada.call<{ token: string }>('POST', '/api/web/w/north-wind/agents', { name, tags: add })
    tokens.set(name, made.token)
  }
  await report('mail-1', 'ok', 'Sorting mail')
  await report('mail-2', 'warn', 'Slow')
  await report('link-1', 'bad', 'Two links are broken')
})
afterAll(() => setup?.close())
afterEach(() => expect(setup.faults.splice(0)).toEqual([]))

const report = (name: Name, level: string, label: string) =>
  setup.report(tokens.get(name) ?? '', { state: { level, label }, agent: { host: 'north' } })
const open = async (search: string, look: Look = {}): Promise<Page> => {
  const page = await setup.window(ada, look)
  await page.goto(`${setup.url}/w/north-wind${search}`)
  return page
}

const heads = (page: Page) => page.locator('.fleet-group .fleet-link')
const group = (page: Page, name: string) => page.locator('[role="row"][aria-level="1"]', { hasText: name })
const agents = (page: Page) => page.locator('[role="row"][aria-level="2"] .fleet-link').allTextContents()

test('groups are folded at first, the worst above, and open by press and by keyboard', async () => {
  const page = await open('')
  await page.getByRole('combobox', { name: 'Group by' }).selectOption('By tag')
  await page.waitForURL(/group=tag/)
  await group(page, 'prod').waitFor()
  expect(await heads(page).allTextContents()).toEqual(['us', 'eu', 'prod', 'No tag'])
  await page.getByText('4 groups. Agents with several tags are in several.').waitFor()
  await group(page, 'eu').click()
  await eventually('the group has its agents', async () => expect(await agents(page)).toEqual(['mail-2', 'mail-1']))
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  const both = ['mail-2', 'mail-1', 'mail-1']
  await eventually('an agent with two tags is in both groups', async () => expect(await agents(page)).toEqual(both))
  await page.keyboard.press('ArrowLeft')
  await eventually('Left folds the group', async () => expect(await agents(page)).toHaveLength(2))
  expect(await group(page, 'eu').getAttribute('aria-expanded')).toBe('true')

  await page.getByRole('link', { name: /^Warning/ }).click()
  await page.waitForURL(/group=tag/)
  await eventually('the groups follow the filter', async () =>
    expect(await heads(page).allTextContents()).toEqual(['eu']),
  )
  await page.getByRole('link', { name: 'mail-2', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'mail-2' }).waitFor()
  await page.goBack()
  await eventually('the group is still open', async () => expect(await agents(page)).toEqual(['mail-2']))
})

test('the box of a group selects its agents, folded or open, and says how many of them are', async () => {
  const page = await open('?group=tag')
  const box = (name: string) => page.getByRole('checkbox', { name: `Select all of ${name}`, exact: true })
  await box('eu').click()
  await page.getByText('2 selected').waitFor()
  await eventually('an agent with two tags counts in both groups', async () =>
    expect(await Promise.all(['us', 'eu', 'prod'].map((name) => box(name).isChecked()))).toEqual([false, true, true]),
  )
  await group(page, 'eu').click()
  await page.getByRole('checkbox', { name: 'Select mail-2' }).click()
  await page.getByText('1 selected').waitFor()
  const isMixed = () => box('eu').evaluate((input) => (input as HTMLInputElement).indeterminate)
  await eventually('only a part of the group is selected', async () => expect(await isMixed()).toBe(true))
  await group(page, 'us').first().focus()
  await page.keyboard.press('x')
  await page.getByText('2 selected').waitFor()
  await box('us').click()
  await page.getByText('1 selected').waitFor()
})

test('while groups are folded, the headings name their numbers; above agents they name columns', async () => {
  const page = await open('?group=tag')
  await group(page, 'eu').waitFor()
  const headings = async () => (await page.locator('.fleet-head').innerText()).split(/\s*\n\s*/)
  expect(await headings()).toEqual(['Tag', 'Agents', 'States', 'Bad', 'Warning', 'OK', 'Never reported', 'Cost today'])
  await group(page, 'eu').click()
  await page.getByRole('columnheader', { name: 'State' }).waitFor()
  expect(await headings()).toContain('Last seen')
})

test('the numbers of a group follow reports', async () => {
  const page = await open('?group=host')
  const bad = () => group(page, 'north').locator('.fleet-group-count[data-level="bad"]')
  await eventually('one agent is bad', async () => expect(await bad().textContent()).toBe('1 Bad'))
  await report('mail-1', 'bad', 'No answer')
  await eventually('two agents are bad', async () => expect(await bad().textContent()).toBe('2 Bad'))
  await report('mail-1', 'ok', 'Sorting mail')
})

test.each(['?group=tag', '?group=tag&as=map'])(
  'axe finds nothing at %s in light and dark, wide and narrow, and everything can be pressed',
  async (search) => {
    const page = await open(search, { scheme: 'dark' })
    const whole = () => page.locator('.fleet-group, .map-tile').first().waitFor()
    await whole()
    if (!search.includes('map')) await group(page, 'eu').click()
    expect(await wrongLooks(page, whole)).toEqual([])
    expect(await smallTargets(page)).toEqual([])
    const first = await page.locator('.fleet-body .fleet-row, .map-ground').first().boundingBox()
    expect(first?.y).toBeLessThan(search.includes('map') ? 300 : 260)
    expect(await overflow(page)).toBe(0)
  },
)

const map = (page: Page) => page.getByRole('application')
const said = (page: Page) => page.locator('.map-line').innerText()

test('the map is a link away, says its squares in words, and keys lead to each agent', async () => {
  const page = await open('?group=tag')
  await page.getByRole('link', { name: 'Map', exact: true }).click()
  await page.waitForURL(/as=map/)
  await map(page).waitFor()
  expect(await map(page).getAttribute('aria-label')).toMatch(
    /^4 agents: 1 bad, 1 warning, 1 OK, 1 never reported\. Arrow keys/,
  )
  expect(await page.locator('.map-heading > :first-child').allTextContents()).toEqual(['us', 'eu', 'prod', 'No tag'])
  await map(page).focus()
  const reads = (words: RegExp) => eventually(`it reads ${words}`, async () => expect(await said(page)).toMatch(words))
  await reads(/^link-1\s+Bad\s+Two links are broken$/)
  await page.keyboard.press('ArrowRight')
  await reads(/^mail-2\s+Warning\s+Slow$/)
  await page.keyboard.press('PageDown')
  await page.keyboard.press('PageDown')
  await reads(/^never-1\s+Never reported$/)
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowRight')
  await reads(/^mail-2\s+Warning\s+Slow$/)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'mail-2' }).waitFor()
  await page.goBack()
  await map(page).waitFor()
})

/** The pixels of the sign of a square in the map without groups: all of it, or one that every sign fills. */
const sign = (page: Page, square: number, { from, size } = { from: 8, size: 15 }) =>
  page.locator('.map-tile').evaluate(
    (canvas, { square, from, size }) => {
      const room = canvas.clientWidth + 6
      const left = Math.round((square * room) / Math.floor(room / 150))
      const to = (canvas as HTMLCanvasElement).getContext('2d')
      return [...(to?.getImageData(left + from, from, size, size).data ?? [])].join()
    },
    { square, from, size },
  )
const middle = (page: Page, square: number) => sign(page, square, { from: 18, size: 1 })

/** Draws the icon of a chip on a canvas, in the size of the signs; returns its pixels as `sign` does. */
const chipIcon = (page: Page, words: string) =>
  page
    .getByRole('link', { name: new RegExp(`^${words}`) })
    .locator('svg')
    .evaluate(async (icon) => {
      const copy = icon.cloneNode(true) as SVGElement
      copy.style.color = getComputedStyle(icon).color
      const picture = new Image()
      picture.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`
      await picture.decode()
      const canvas = document.createElement('canvas')
      const to = canvas.getContext('2d')
      to?.drawImage(picture, 0, 0, 15, 15)
      return [...(to?.getImageData(0, 0, 15, 15).data ?? [])]
    })

test('beside the name of an agent is the icon of its chip, in the same colour', async () => {
  const page = await open('?as=map', { scheme: 'light' })
  await map(page).waitFor()
  // The squares are those of link-1, mail-2, mail-1 and never-1.
  for (const [square, words] of ['Bad', 'Warning', 'OK', 'Never reported'].entries()) {
    const [drawn, icon] = [(await sign(page, square)).split(',').map(Number), await chipIcon(page, words)]
    const pixels = [...Array(15 * 15).keys()]
    // The ground of a square may be tinted, as the corner shows.
    const alpha = (of: readonly number[], at: number) => (of[at * 4 + 3] ?? 0) / 255
    const over = (at: number) => 1 - (1 - alpha(icon, at)) * (1 - alpha(drawn, 0))
    // A few pixels at edges may differ, since a picture and a canvas are drawn in two ways.
    expect(pixels.filter((at) => Math.abs(alpha(drawn, at) - over(at)) > 0.1).length, words).toBeLessThan(8)
    expect(pixels.filter((at) => alpha(icon, at) > 0.4).length, words).toBeGreaterThan(15)
    const opaque = pixels.filter((at) => icon[at * 4 + 3] === 255)
    const colours = (of: readonly number[]) => opaque.map((at) => of.slice(at * 4, at * 4 + 4).join())
    expect(colours(drawn), words).toEqual(colours(icon))
  }
})

test('a report changes its square at once, the filter which squares there are, and a press opens an agent', async () => {
  const page = await open('?as=map')
  const connected = page.waitForResponse(/\/events/)
  await page.reload()
  await connected
  await map(page).waitFor()
  const before = await middle(page, 2)
  await report('mail-1', 'bad', 'No answer')
  await eventually('the square has another colour', async () => expect(await middle(page, 2)).not.toBe(before))
  await eventually('the map says it', async () => expect(await map(page).getAttribute('aria-label')).toMatch(/: 2 bad/))
  await report('mail-1', 'ok', 'Sorting mail')
  await eventually('the square is as before', async () => expect(await middle(page, 2)).toBe(before))

  await map(page).hover({ position: { x: 400, y: 10 } })
  await page.locator('.map-tip', { hasText: 'Sorting mail' }).waitFor()
  await page.getByRole('link', { name: /^Warning/ }).click()
  await page.waitForURL(/as=map/)
  await eventually('the map has the agent', async () =>
    expect(await map(page).getAttribute('aria-label')).toMatch(/^1 agent: 1 warning\./),
  )
  await map(page).click({ position: { x: 10, y: 10 } })
  await page.getByRole('heading', { level: 1, name: 'mail-2' }).waitFor()
})

test('the scheme changes the colours of squares, and forced colours leave the shapes', async () => {
  const page = await open('?as=map', { scheme: 'light' })
  await map(page).waitFor()
  const light = await middle(page, 1)
  await page.emulateMedia({ colorScheme: 'dark' })
  await eventually('the square has the colour of the scheme', async () => expect(await middle(page, 1)).not.toBe(light))
  await page.emulateMedia({ forcedColors: 'active' })
  await eventually('no two states look the same', async () => {
    const pictures = await Promise.all([0, 1, 2, 3].map((square) => sign(page, square)))
    expect(new Set(pictures).size).toBe(4)
    const colors = pictures.map((each) => each.split(',').slice(0, 3).join())
    expect(colors[0]).toBe(colors[1])
  })
})

test('10,000 squares are drawn within 100 ms, in parts of the map that are in sight', async () => {
  await setup.addAgents(
    'north-wind',
    Array.from({ length: 10_000 - 4 }, (_, i) => `crowd-${i}`),
  )
  for (const look of [{ width: 1440 }, { width: 360 }]) {
    const page = await open('?as=map', look)
    await map(page).waitFor()
    await page.getByText('10,000', { exact: false }).first().waitFor({ state: 'attached' })
    const drawn = () =>
      page.evaluate(() => Math.min(...performance.getEntriesByName('map drawn').map(({ duration }) => duration)))
    await eventually('the map is drawn', async () => expect(await drawn()).toBeLessThan(Infinity))
    expect(await drawn()).toBeLessThan(100)
    expect(await page.locator('.map-tile').count()).toBeLessThan(6)
    await map(page).focus()
    await page.keyboard.press('End')
    await eventually('the last agent has the focus', async () => expect(await said(page)).toMatch(/^never-1/))
    const top = () => page.locator('.map-ring').evaluate((ring) => ring.getBoundingClientRect().top)
    await eventually(`its square is in sight at ${look.width}`, async () => expect(await top()).toBeLessThan(800))
    expect(await overflow(page)).toBe(0)
  }
})

/** Touches the page with a finger, as a phone does. */
async function tap(page: Page, x: number, y: number): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: true })
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] })
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await session.detach()
}

test.each([1440, 1024, 360])(
  'far down a large map, the first press chooses the square under it, at %i pixels',
  async (width) => {
    const at = [width / 2, 400] as const
    for (const press of ['mouse', 'finger']) {
      const page = await open('?as=map', { width })
      await map(page).waitFor()
      await page.locator('.map-tile').first().waitFor()
      await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight / 2))
      const top = () => page.evaluate(() => Math.round(window.scrollY))
      const before = await top()
      expect(before).toBeGreaterThan(0)
      if (press === 'mouse') {
        await page.mouse.move(...at)
        const name = await page.locator('.map-tip strong').innerText()
        await page.mouse.click(...at)
        await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
      } else {
        await tap(page, ...at)
        const ring = () => page.locator('.map-ring').evaluate((element) => element.getBoundingClientRect().toJSON())
        await eventually('the square under the finger is chosen', async () => {
          const { left, right, top, bottom } = await ring()
          expect(at[0] >= left - 2 && at[0] <= right + 2 && at[1] >= top - 2 && at[1] <= bottom + 2).toBe(true)
        })
        expect(await top()).toBe(before)
        expect(await said(page)).toMatch(/^crowd-\d+\s+Never reported$/)
      }
    }
  },
)
