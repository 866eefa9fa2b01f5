/**
 * Tests the way past the watch of a version on the page, with the real service and a real browser. `npm test` leaves
 * this out. packages/server/src/updates/wishes/watch.http.test.ts proves the same rules.
 */
import type { RolloutPage } from '@svc/api'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe } from '../../testing/axe.ts'
import { type BrowserSetup, openBrowserSetup, password, type Visitor } from '../../testing/browser-setup.ts'
import { blueprint, install, type SimulatedAgent, uploadVersions } from './testing/fleet.ts'

let setup: BrowserSetup
let ada: Visitor
let east: SimulatedAgent
let north: SimulatedAgent
let south: SimulatedAgent
const w = '/api/web/w/north-wind'
const desired = { blueprint, version: '1.2.0' }

beforeAll(async () => {
  setup = await openBrowserSetup()
  ada = await setup.ada()
  await uploadVersions(setup, ['1.0.0', '1.1.0', '1.2.0'])
  east = await watching('east')
  north = await watching('north')
  south = await watching('south', '0.1.0')
})
afterAll(() => setup?.close())

/** Installs an agent that has just kept 1.1.0, so that it watches that version. */
async function watching(name: string, runtime = '0.2.0'): Promise<SimulatedAgent> {
  const agent = await install(setup, name, '1.0.0')
  await agent.report({ runtime: { version: runtime } })
  await ada.call('PUT', `${w}/agents/${name}/wishes/blueprint`, { version: '1.1.0' })
  await agent.report()
  await agent.keeps('1.1.0')
  return agent
}

async function open(path: string): Promise<Page> {
  const page = await setup.window(ada, { width: 1280 })
  await page.goto(`${setup.url}/w/north-wind${path}`)
  return page
}
const button = (page: Page) => page.getByRole('button', { name: 'Do not wait…' })

/** Presses the button, reads what is given up, cancels, and then does it with the proof. */
async function press(page: Page, who: string, watched: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: `Update ${who} to 1.2.0 without waiting?` })
  await button(page).click()
  await dialog
    .getByText(`You give up the rest of the watch: ${watched} is no longer rolled back by itself if it gets worse.`)
    .waitFor()
  await dialog.getByText(`If it fails, its agent goes back to ${watched}.`).waitFor()
  expect(await axe(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })

  await button(page).click()
  setup.ageProofs(11)
  await dialog.getByRole('button', { name: 'Do not wait', exact: true }).click()
  const proof = page.getByRole('dialog', { name: 'Confirm that it’s you' })
  await proof.getByLabel('Password', { exact: true }).fill(password)
  await proof.getByRole('button', { name: 'Continue' }).click()
  await button(page).waitFor({ state: 'detached' })
}

test('one agent does not wait after a proof, and the page says before what is given up', async () => {
  await ada.call('PUT', `${w}/agents/east/wishes/blueprint`, { version: '1.2.0' })
  expect((await east.report()).desired).toEqual(desired)
  const page = await open('/agents/east?tab=updates')
  await page.getByText('It watches 1.1.0').waitFor()
  await press(page, 'east', '1.1.0')
  expect((await east.report()).desired).toEqual({ ...desired, now: true })
  await page.goto(`${setup.url}/w/north-wind/activity`)
  await page.getByText('without the end of its watch').first().waitFor()
})

test('the agents of a rollout do not wait after a proof; one whose runtime is too old is counted', async () => {
  const wanted = { kind: 'blueprint', blueprint, version: '1.2.0', agents: ['north', 'south'], waves: ['100%'] }
  const { id } = await ada.call<RolloutPage>('POST', `${w}/rollouts`, wanted)
  for (const agent of [north, south]) expect((await agent.report()).desired).toEqual(desired)
  const page = await open(`/updates/${id}`)
  await page.getByText('Ends the watch of 1 agent, so that the update starts there at once.').waitFor()
  await press(page, '1 agent', 'the version that each watches')
  await page.getByText('1 agent waits for the end of a watch, and the runtime there is too old to end one.').waitFor()
  expect((await north.report()).desired).toEqual({ ...desired, now: true })
  expect((await south.report()).desired).toEqual(desired)
})

test('no page had an error', () => {
  expect(setup.faults).toEqual([])
})
