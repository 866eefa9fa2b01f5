/**
 * Tests how people give agents tags, and how tags lead to the agents that have them. `npm test` leaves this out.
 * packages/server/src/web/operations/tags.http.test.ts proves the same rules.
 */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { axe, overflow, resize, smallTargets } from '../../../testing/axe.ts'
import { type BrowserSetup, openBrowserSetup, type Visitor } from '../../../testing/browser-setup.ts'
import { blueprint, uploadVersions } from '../../updates/testing/fleet.ts'

let setup: BrowserSetup
let ada: Visitor
const web = '/api/web/w/north-wind'

beforeAll(async () => {
  setup = await openBrowserSetup()
  ada = await setup.ada()
  for (const name of ['mail-1', 'mail-2', 'disk-1', 'full']) await ada.call('POST', `${web}/agents`, { name })
})
afterAll(() => setup?.close())
afterEach(() => expect(setup.faults.splice(0)).toEqual([]))

const fleet = () => `${setup.url}/w/north-wind`
const look = (width = 1440, height = 900) => setup.window(ada, { width, height })
const dialogIn = (page: Page) => page.getByRole('dialog')
const tagsOf = async (name: string) => (await ada.call<{ tags: string[] }>('GET', `${web}/agents/${name}`)).tags
const tag = (agents: string[], add: string[]) => ada.call('POST', `${web}/tags`, { agents, add })

async function openFromMenu(page: Page, name: string): Promise<void> {
  await page.goto(`${fleet()}/agents/${name}`)
  await page.getByRole('button', { name: `More about ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Tags…' }).click()
  await dialogIn(page)
    .getByRole('heading', { name: `Tags of ${name}` })
    .waitFor()
}
const save = (page: Page) => dialogIn(page).getByRole('button', { name: 'Save tags' }).click()

test('an agent gets tags from its menu, and each leads to the agents that have it', async () => {
  const page = await look()
  await openFromMenu(page, 'mail-1')
  await dialogIn(page).getByLabel('New tags').fill('eu, prod')
  await dialogIn(page).getByText('Gives eu. Gives prod.').waitFor()
  expect(await axe(page)).toEqual([])
  await save(page)
  const chips = page.getByRole('list', { name: 'Tags' })
  await eventually('the page shows the tags', async () =>
    expect(await chips.getByRole('link').allTextContents()).toEqual(['eu', 'prod']),
  )
  expect(await axe(page)).toEqual([])
  await resize(page, 360)
  expect([await overflow(page), await smallTargets(page)]).toEqual([0, []])
  // On a phone, the room beside another tab is for its content.
  await page.goto(`${fleet()}/agents/mail-1?tab=commands`)
  await page.getByRole('tab', { name: 'Commands', selected: true }).waitFor()
  expect(await chips.isVisible()).toBe(false)
  await page.getByRole('tab', { name: 'Overview' }).click()
  await chips.waitFor()
  await resize(page, 1440)
  await chips.getByRole('link', { name: 'eu' }).click()
  await page.waitForURL((url) => url.searchParams.get('q') === 'tag:eu')
  await page.getByRole('link', { name: 'mail-1', exact: true }).waitFor()
  await page.getByRole('link', { name: 'disk-1', exact: true }).waitFor({ state: 'detached' })
})

test('a wrong tag and a 21st are refused with the reason, and nothing typed is lost', async () => {
  await tag(
    ['full'],
    Array.from({ length: 20 }, (_, i) => `t${i}`),
  )
  const page = await look()
  await openFromMenu(page, 'full')
  const field = dialogIn(page).getByLabel('New tags')
  await field.fill('EU')
  await save(page)
  await dialogIn(page)
    .getByText(/^A tag has 1 to 40 of the characters a-z.*got "EU"\.$/)
    .waitFor()
  await field.fill('eu')
  await save(page)
  await dialogIn(page)
    .getByText(/The agent full would have 21 tags; an agent has at most 20/)
    .waitFor()
  expect(await field.inputValue()).toBe('eu')
  await dialogIn(page).getByRole('checkbox', { name: 't0', exact: true }).click()
  await dialogIn(page).getByText('Gives eu. Takes t0.').waitFor()
  await save(page)
  await dialogIn(page).waitFor({ state: 'detached' })
  expect(await tagsOf('full')).toHaveLength(20)
})

test('selected agents get and lose tags together, and the dialog shows what each has', async () => {
  await tag(['mail-1', 'mail-2'], ['old'])
  await tag(['mail-1'], ['eu'])
  const page = await look()
  await page.goto(fleet())
  for (const name of ['mail-1', 'mail-2', 'disk-1'])
    await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).click()
  await page.getByRole('region', { name: 'Selected agents' }).getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Tags…' }).click()
  const dialog = dialogIn(page)
  await dialog.getByRole('heading', { name: 'Tags of 3 agents' }).waitFor()
  await dialog.getByText('Tags of each agent').click()
  expect(await dialog.locator('dl').textContent()).toMatch(/disk-1none.*mail-1eu, old.*mail-2old/)
  expect(
    await dialog.getByRole('checkbox', { name: /^eu 1 of 3/ }).evaluate((box) => box.matches(':indeterminate')),
  ).toBe(true)
  await dialog.getByRole('checkbox', { name: /^eu 1 of 3/ }).click()
  for (let press = 0; press < 2; press++) await dialog.getByRole('checkbox', { name: /^old 2 of 3/ }).click()
  await dialog.getByText('Gives eu to 2 agents. Takes old from 2 agents.').waitFor()
  expect(await axe(page)).toEqual([])
  for (const width of [360, 1440]) {
    await resize(page, width)
    expect([width, await overflow(page)]).toEqual([width, 0])
    if (width === 360) expect(await smallTargets(page)).toEqual([])
  }
  await save(page)
  await dialog.waitFor({ state: 'detached' })
  const tags = Promise.all(['mail-1', 'mail-2', 'disk-1'].map(tagsOf))
  expect(await tags).toEqual([['eu', 'prod'], ['eu'], ['eu']])
  await page.getByText('3 selected').waitFor()
})

test('an agent and an install code take tags when they are made', async () => {
  const page = await look()
  await page.goto(`${fleet()}/add`)
  await page.getByLabel('Name').fill('made')
  await page.getByLabel('Tags').fill('EU')
  await page.getByRole('button', { name: 'Add agent' }).click()
  await page.getByText(/^A tag has 1 to 40/).waitFor()
  await page.getByLabel('Tags').fill('eu, made')
  await page.getByRole('button', { name: 'Add agent' }).click()
  await page.getByText('Connect made').waitFor()
  expect(await tagsOf('made')).toEqual(['eu', 'made'])

  await uploadVersions(setup, ['1.0.0'])
  await page.goto(`${fleet()}/install?blueprint=${blueprint}`)
  await page.getByLabel('Tags').fill('prod')
  await page.getByRole('button', { name: 'Issue code' }).click()
  await page.getByText('tags prod').waitFor()
  const codes = await ada.call<{ tags: string[] }[]>('GET', `${web}/codes`)
  expect(codes.map(({ tags }) => tags)).toEqual([['prod']])
})
