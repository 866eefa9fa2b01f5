/**
 * Tests every page, and what opens on it, while foreign programs and live data change it: the page must say what an
 * unchanged page says at the same moment. `npm test` leaves this out.
 * packages/dashboard/src/surroundings.browser.test.ts proves the same rules.
 */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { browsers, programs } from '../testing/foreign-programs.ts'
import { type EveryPageSetup, everyPage, openEveryPageSetup } from '../testing/pages.ts'
import { joinedWords } from '../testing/words.ts'
import { paths } from './paths.ts'

let setup: EveryPageSetup

beforeAll(async () => {
  setup = await openEveryPageSetup()
})
afterAll(() => setup?.setup.close())

const report = (level: string, label: string) => setup.report({ state: { level, label, detail: `${label} now` } })

/** The help is not one of the page's own addresses. */
const help = '/help/page'
const pages = [...everyPage, help]

/** Things that open on a page. */
const opened: [what: string, path: string, open: (page: Page) => Promise<unknown>][] = [
  [
    'the palette',
    paths.fleet,
    async (page) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Find' }).waitFor()
      await page.keyboard.type('rep')
      await page
        .getByRole('option', { name: /reporting/ })
        .first()
        .waitFor()
    },
  ],
  ['the menu of views', paths.fleet, (page) => page.getByRole('button', { name: 'Views' }).click()],
  [
    'the help of the filter',
    paths.fleet,
    (page) => page.getByRole('button', { name: 'What a filter can say' }).click(),
  ],
  ['selected agents', paths.fleet, (page) => page.getByRole('checkbox', { name: /^Select all/ }).click()],
  ['the menu of an agent', paths.agent, (page) => page.getByRole('button', { name: /^More/ }).first().click()],
  ['the keys', paths.members, (page) => page.keyboard.press('?')],
]

/** The words of the page and of its charts, without spaces and without the numbers of times that go on. */
const said = (page: Page) =>
  page.evaluate(() => {
    const times = /just now|\bnow\b|\bdue\b|in\s\d+\ss|\d+\s(s|min)(\s\d+\ss)?(\sago)?/g
    return document.body.innerText.replace(times, '').replace(/\s+|\d/g, '')
  })

/** The surroundings of the first difference between two texts, as one line; undefined if they are equal. */
function difference(a: string, b: string): string | undefined {
  if (a === b) return undefined
  let at = 0
  while (a[at] === b[at]) at++
  const near = (text: string) => text.slice(Math.max(0, at - 30), at + 50)
  return `${near(a)} | ${near(b)}`
}

const changes = ['warn', 'bad', 'ok'] as const
let changed = 0
/** Compares a page that a program changes with an unchanged one, before and after a live change. */
async function compare(path: string, program: () => void, open?: (page: Page) => Promise<unknown>) {
  const [plain, foreign] = [
    await setup.setup.window(setup.ada, { width: 1440 }),
    await setup.setup.window(setup.ada, { width: 1440 }),
  ]
  await foreign.addInitScript(program)
  for (const page of [plain, foreign]) {
    await page.goto(setup.addressOf(path))
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await open?.(page)
  }
  const alike = () =>
    eventually(`${path} says the same`, async () =>
      expect(difference(await said(plain), await said(foreign))).toBeUndefined(),
    )
  await alike()
  // The labels differ in letters and length, since digits are not compared, and have at most 80 characters.
  const label = `Queue of ${'xyz'[++changed % 3]?.repeat(1 + (changed % 50))}`
  await report(changes[changed % 3] ?? 'ok', label)
  if (path === paths.fleet && !open) await foreign.getByText(label).first().waitFor()
  await alike()
  expect(await foreign.getByText('Something went wrong').count()).toBe(0)
  await Promise.all([plain.close(), foreign.close()])
}

test('a translation in two steps: every page says what it says without it', { timeout: 240_000 }, async () => {
  for (const path of pages) await compare(path, programs['a translation in two steps'])
  expect(setup.setup.faults.splice(0)).toEqual([])
})

test('a translation in two steps: what opens says what it says without it', { timeout: 240_000 }, async () => {
  for (const [, path, open] of opened) await compare(path, programs['a translation in two steps'], open)
  expect(setup.setup.faults.splice(0)).toEqual([])
})

/** The pages that use most of what a browser may refuse. */
const demanding = [paths.fleet, paths.agent, paths.account, `${paths.alerts}?tab=mine`]
test.each(Object.entries(browsers))('%s: the page says what it says without it', async (_name, program) => {
  for (const path of demanding) await compare(path, program)
  expect(setup.setup.faults.splice(0)).toEqual([])
})

test('on every page, wide and narrow, words of two elements have a space between them', {
  timeout: 120_000,
}, async () => {
  const page = await setup.setup.window(setup.ada)
  const joined: string[] = []
  for (const path of pages) {
    await page.goto(setup.addressOf(path))
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.waitForLoadState('networkidle')
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 800 })
      joined.push(...(await joinedWords(page)).map((words) => `${path} at ${width}: ${words}`))
    }
  }
  expect(joined.join('\n')).toBe('')
})

/**
 * The lowest contrast between the page and the edge of a text field, of a box that is not checked, or of a switch that
 * is off.
 */
const lowestContrast = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const luminance = (color: string) => {
      const [r = 0, g = 0, b = 0] = (color.match(/[\d.]+/g) ?? []).map((part) => {
        const share = Number(part) / 255
        return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * r + 0.7152 * g + 0.0722 * b
    }
    const ground = luminance(getComputedStyle(document.body).backgroundColor)
    const edges = [...document.querySelectorAll<HTMLInputElement>('main input:is([type=checkbox], [type=radio])')]
      .filter((input) => !input.checked && !input.disabled && !input.indeterminate)
      .concat(...document.querySelectorAll<HTMLInputElement>('main :is(input, select, textarea).mantine-Input-input'))
      .map((input) => {
        const track = input.nextElementSibling
        if (!track?.matches('.mantine-Switch-track')) return getComputedStyle(input).borderTopColor
        const { borderTopWidth, borderTopColor, backgroundColor } = getComputedStyle(track)
        return borderTopWidth === '0px' ? backgroundColor : borderTopColor
      })
    return Math.min(
      ...edges.map(luminance).map((edge) => (Math.max(edge, ground) + 0.05) / (Math.min(edge, ground) + 0.05)),
    )
  })

test('text fields, boxes that are not checked and switches that are off can be seen in each scheme and with forced colours', async () => {
  const page = await setup.setup.window(setup.ada, { width: 1440 })
  // The rules and the list have boxes, the logs have a switch.
  for (const path of [`${paths.alerts}?tab=rules`, paths.fleet, `${paths.agent}?tab=logs`]) {
    await page.goto(setup.addressOf(path))
    await page.getByRole('main').locator('input:is([type=checkbox], [type=radio])').first().waitFor()
    for (const look of ['light', 'dark', 'forced'] as const) {
      await page.emulateMedia(
        look === 'forced'
          ? { colorScheme: 'light', forcedColors: 'active' }
          : { colorScheme: look, forcedColors: 'none' },
      )
      await page.locator(`html[data-mantine-color-scheme="${look === 'dark' ? 'dark' : 'light'}"]`).waitFor()
      await eventually(`${path} in ${look}`, async () => expect(await lowestContrast(page)).toBeGreaterThanOrEqual(3))
    }
    await page.emulateMedia({ colorScheme: null, forcedColors: 'none' })
  }
})

test('with forced colours, what is chosen still looks different from what is not', async () => {
  const page = await setup.setup.window(setup.ada, { width: 1440 })
  await page.emulateMedia({ forcedColors: 'active' })
  await page.goto(setup.addressOf(`${paths.alerts}?tab=rules`))
  const boxes = page.getByRole('main').getByRole('checkbox')
  await boxes.first().waitFor()
  const look = async (checked: boolean) => {
    for (const box of await boxes.all()) if ((await box.isChecked()) === checked) return await box.screenshot()
    throw new Error(`No box is ${checked ? 'checked' : 'empty'}.`)
  }
  expect((await look(true)).equals(await look(false))).toBe(false)
  const underlined = page
    .locator('[role=tab]')
    .evaluateAll((tabs) =>
      tabs.filter((tab) => getComputedStyle(tab).textDecorationLine === 'underline').map((tab) => tab.textContent),
    )
  expect(await underlined).toEqual(['Rules'])
  await page.goto(setup.addressOf(paths.agent))
  const marks = page.locator('.svc-chart-legend i')
  await marks.first().waitFor()
  const colours = await marks.evaluateAll((all) => all.map((mark) => getComputedStyle(mark).backgroundColor))
  expect(new Set(colours).size).toBe(colours.length)
  await page.emulateMedia({ forcedColors: 'none' })
})
