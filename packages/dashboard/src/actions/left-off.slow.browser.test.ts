/**
 * Tests the page of an action whose agents do not fit into one answer. `npm test` leaves this out.
 * packages/server/src/web/routing/bounded.test.ts proves the same rules.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe } from '../../testing/axe.ts'
import { type BrowserSetup, openBrowserSetup, type Visitor } from '../../testing/browser-setup.ts'

const web = '/api/web/w/north-wind'
const last = 'zz-last'
const names = Array.from({ length: 9000 }, (_, i) => `an-agent-that-never-reported-and-has-a-long-name-${i}`)

let setup: BrowserSetup
let ada: Visitor
let id: string

beforeAll(async () => {
  setup = await openBrowserSetup()
  ada = await setup.ada()
  const { token } = await ada.call<{ token: string }>('POST', `${web}/agents`, { name: last })
  await setup.report(token, { state: { level: 'ok' }, controls: ['pause'] })
  await setup.addAgents('north-wind', names)
  const wanted = { type: 'pause', agents: [...names, last] }
  ;({ id } = await ada.call<{ id: string }>('POST', `${web}/actions`, wanted))
})
afterAll(() => setup?.close())

test('the page of an action says how many agents its list leaves off, and an outcome leads to each of them', async () => {
  const page = await setup.window(ada, { width: 1440, height: 900 })
  await page.goto(`${setup.url}/w/north-wind/actions/${id}`)
  const outcomes = page.getByRole('group', { name: 'Show agents by outcome' })
  const list = page.getByRole('list', { name: 'Agents: ' })
  const note = page.getByText(/^[\d,]+ agents more: the list is too long to be shown as a whole\.$/)
  await note.waitFor()
  await page.getByText('Choose an outcome above to see only its agents.').waitFor()
  await outcomes.getByRole('button', { name: /^9,000 / }).waitFor()
  await page.getByRole('searchbox', { name: 'Find agents of this action' }).fill(last)
  await list.getByRole('listitem').first().waitFor({ state: 'detached' })
  expect(await axe(page)).toEqual([])

  await outcomes.getByRole('button', { name: /^1 / }).click()
  await list.getByText(last, { exact: true }).waitFor()
  await note.waitFor({ state: 'detached' })
  expect(await list.getByRole('listitem').count()).toBe(1)

  await outcomes.getByRole('button', { name: /^9,000 / }).click()
  await note.waitFor()
  expect(setup.faults).toEqual([])
})
