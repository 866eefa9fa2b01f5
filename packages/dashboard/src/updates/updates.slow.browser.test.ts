/**
 * Tests updates on the page, with the real service and a real browser. The agents are simulated, and run the versions
 * that the service's real answers name (3.3, 3.4). `npm test` leaves this out.
 * packages/server/src/updates/rollouts/rollouts.http.test.ts proves the same rules.
 */
import type { NewToken, RolloutPage, Rollouts } from '@svc/api'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../testing/eventually.ts'
import { axe, wrongLooks } from '../../testing/axe.ts'
import { type BrowserSetup, openBrowserSetup, password, type Visitor } from '../../testing/browser-setup.ts'
import { install, type SimulatedAgent, uploadVersions } from './testing/fleet.ts'

let setup: BrowserSetup
let ada: Visitor
const agents = new Map<string, SimulatedAgent>()
const agent = (name: string): SimulatedAgent => {
  const found = agents.get(name)
  if (!found) throw new Error(`There is no agent ${name}`)
  return found
}
const w = '/api/web/w/north-wind'
const at = (path: string) => `${setup.url}/w/north-wind${path}`
const runtime = { version: '0.0.9', previous: '0.0.8' }

beforeAll(async () => {
  setup = await openBrowserSetup()
  ada = await setup.ada()
  await uploadVersions(setup, ['1.0.0', '1.1.0', '1.2.0'])
  for (const name of ['east', 'north', 'south', 'west']) agents.set(name, await install(setup, name, '1.0.0'))
})
afterAll(() => setup?.close())

async function window(path: string, width = 1280, scheme: 'light' | 'dark' = 'light'): Promise<Page> {
  const page = await setup.window(ada, { width, scheme })
  await page.goto(at(path))
  return page
}
const card = (page: Page, name: string) => page.getByRole('article', { name, exact: true })
const confirm = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
const kinds = (page: Page) =>
  page.getByRole('list', { name: 'Timeline of updates' }).locator('li .svc-tone').allInnerTexts()

test('a requested version is offered to one agent, fetched and kept, and is shown next to the running one until then', async () => {
  const page = await window('/agents/east?tab=updates')
  const version = card(page, 'Blueprint version')
  await page.getByRole('button', { name: 'Update to 1.2.0…' }).waitFor()
  await version.getByLabel('Version').selectOption('1.1.0')
  await page.getByRole('button', { name: 'Update to 1.1.0…' }).click()
  await page.getByRole('dialog').getByText('you can cancel the request').waitFor()
  await confirm(page, 'Update to 1.1.0')
  await version.getByText('waiting for its next report').waitFor()

  const fleet = await window('/')
  const row = fleet.locator('.fleet-body .fleet-row', { hasText: 'east' })
  await row.getByText('requested: 1.1.0', { exact: false }).waitFor()
  const blueprint = await window('/blueprints/mail-triage')
  await blueprint.getByText('requested for 1').waitFor()

  expect((await agent('east').report()).desired).toEqual({ blueprint: 'mail-triage', version: '1.1.0' })
  await version.getByText('sent', { exact: true }).waitFor()
  await agent('east').fetch('1.1.0')
  await version.getByText('testing').waitFor()
  await agent('east').keeps('1.1.0')
  await version.getByRole('status').getByText('kept', { exact: true }).waitFor()
  await eventually('the timeline has five lines', async () =>
    expect(await kinds(page)).toEqual(['kept', 'downloaded', 'sent', 'requested', 'installed']),
  )
  await row.getByText('1.1.0', { exact: true }).waitFor()
  expect(await row.locator('.up-wished').count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Update to 1.1.0…' }).count(), 'there is nothing to do').toBe(0)
  expect(await version.getByLabel('Version').locator('option').allInnerTexts()).toContain('1.1.0, running')
  const steps = version.getByRole('list', { name: 'Steps of the update' })
  expect(await steps.getByRole('listitem').allInnerTexts()).toHaveLength(5)
})

test('an agent that rolls back says why in the words of the machine, as text, and its log can be requested', async () => {
  const page = await window('/agents/east?tab=updates')
  await page.getByRole('button', { name: 'Update to 1.2.0…' }).click()
  await confirm(page, 'Update to 1.2.0')
  await card(page, 'Blueprint version').getByText('waiting for its next report').waitFor()
  await agent('east').report()
  await agent('east').report()
  await card(page, 'Blueprint version').getByText('It watches 1.1.0').waitFor()
  await agent('east').rollsBack('1.2.0', '<img src=x onerror=window.taken=1> reported bad')
  await page.getByText('1.2.0 is on hold').waitFor()
  const why = page.getByText('<img src=x onerror=window.taken=1> reported bad')
  await page.getByRole('note').filter({ has: why }).waitFor()
  await card(page, 'Timeline').getByText('rolled back').waitFor()
  expect(await why.count()).toBe(1)
  expect(await page.evaluate('window.taken')).toBeUndefined()
  expect(await page.getByRole('button', { name: 'Update to 1.2.0…' }).count(), 'it is on hold').toBe(0)
  const asked = page.waitForResponse((answer) => answer.request().method() === 'POST')
  await page.getByRole('button', { name: 'Request log work' }).click()
  await asked
  const { commands } = (await agent('east').report()) as { commands?: { type: string }[] }
  expect(commands).toMatchObject([{ type: 'log', payload: { name: 'work' } }])

  await page.getByRole('button', { name: 'Cancel request…' }).click()
  await confirm(page, 'Cancel request')
  await card(page, 'Timeline').getByText('cancelled').waitFor()
  expect((await agent('east').report()).desired).toBeUndefined()

  await page.getByRole('button', { name: 'Go back to 1.0.0…' }).click()
  await confirm(page, 'Go back to 1.0.0')
  await card(page, 'Blueprint version').getByText('waiting for its next report').waitFor()
  await agent('east').report()
  await agent('east').keeps('1.0.0')
  await card(page, 'Blueprint version').getByRole('status').getByText('1.0.0', { exact: true }).waitFor()
})

test('each refusal of a runtime update is explained, a failure holds the version, and the hold can be lifted', async () => {
  const page = await window('/agents/south?tab=updates')
  const part = card(page, 'Runtime')
  await part.getByText('a runtime this old cannot be updated from here').first().waitFor()
  await agent('south').report({ runtime: { ...runtime, pinned: '0.0.9' } })
  await part.getByText('run “svc pin-runtime off” on its machine').first().waitFor()
  await agent('south').report({ runtime })
  const press = part.getByRole('button', { name: /^Update runtime to / })
  await eventually('the button is enabled', async () => expect(await press.getAttribute('aria-disabled')).toBeNull())
  await press.click()
  await confirm(page, 'Update runtime')
  await part.getByText('waiting for its next report').waitFor()
  const { runtime_desired } = await agent('south').report()
  await part.getByText('sent', { exact: true }).waitFor()
  const applied = { version: '0.0.9', outcome: 'failed', message: 'the signature is missing' }
  await agent('south').report({ runtime: { ...runtime, applied } })
  await part.getByText(`${runtime_desired} is on hold`).waitFor()
  await part.getByText('or an admin lifts the hold').waitFor()
  const fleet = await window('/')
  await fleet.getByText('The served runtime version could not be installed').waitFor({ state: 'attached' })
  await part.getByRole('button', { name: 'Lift hold…' }).click()
  await confirm(page, 'Lift hold')
  await eventually('the button is enabled', async () => expect(await press.getAttribute('aria-disabled')).toBeNull())
  await card(page, 'Timeline').getByText('hold lifted').waitFor()
})

test('the runtime is updated in waves; a rollback while the service was down is named as such and halts nothing', async () => {
  const [north, south, west] = [agent('north'), agent('south'), agent('west')]
  for (const one of [north, south, west]) await one.report({ runtime })
  const page = await window('/updates/new')
  await page.getByLabel(/^The runtime, /).check()
  await page.getByLabel('Waves', { exact: true }).fill('1')
  await page.getByLabel('Minutes to watch each wave').fill('0')
  await page.getByRole('button', { name: /^Start rollout \(3 agents\)/ }).click()
  await page.getByRole('heading', { level: 1, name: /^Runtime / }).waitFor()
  await page.getByText('Wave 1 of 2 is waiting for north.').waitFor()
  const { runtime_desired: version } = await north.report()
  await north.report({ runtime: { version, previous: '0.0.9' } })
  await page.getByRole('list', { name: 'Wave 1' }).getByText('testing').waitFor()

  await setup.kill()
  setup.addDowntime(120)
  await setup.start()
  const applied = { version: '0.0.9', outcome: 'rolled_back', message: 'no report arrived within five minutes' }
  await north.report({ runtime: { ...runtime, applied } })
  await page.getByRole('list', { name: 'Wave 1' }).getByText('rolled back while the service was away').waitFor()
  await page.getByText('No agent of this wave kept the version. The next wave starts when you approve it.').waitFor()
  const timeline = card(await window('/agents/north?tab=updates'), 'Timeline')
  await timeline.getByText(/^The service was away from .* to .* during the test, which may be why\.$/).waitFor()

  await page.getByRole('button', { name: 'Start wave 2 anyway…' }).click()
  await confirm(page, 'Start wave 2 anyway')
  await page.getByText(/^Wave 2 of 2 is waiting for/).waitFor()
  expect((await west.report()).runtime_desired).toBe(version)
})

test('agents selected in the fleet get a version in waves, which halt by themselves; a person resumes or cancels the rollout', async () => {
  await ada.call<NewToken>('POST', `${w}/agents`, { name: 'by-hand' })
  const page = await window('/')
  for (const name of ['by-hand', 'north', 'south', 'west']) await page.getByLabel(`Select ${name}`).check()
  await page.getByRole('link', { name: 'Update…' }).click()
  await page.getByLabel('Version', { exact: true }).selectOption('1.1.0')
  await page.getByLabel('Waves', { exact: true }).fill('1, often')
  await page.getByText('Enter numbers or percentages, e.g. 1, 10%, all').waitFor()
  await page.getByLabel('Waves', { exact: true }).fill('1, 50 %, all')
  await page.getByLabel('Minutes to watch each wave').fill('0')
  const preview = card(page, 'Preview')
  await preview.getByText('Not included: 1 agent').waitFor()
  await preview.getByRole('link', { name: 'by-hand' }).waitFor()
  await page.getByRole('button', { name: 'Start rollout (3 agents)' }).click()

  await page.getByRole('heading', { level: 1, name: 'mail-triage 1.1.0' }).waitFor()
  await page.getByText('Wave 1 of 3 is waiting for north.').waitFor()
  await agent('north').report()
  await agent('north').keeps('1.1.0')
  await page.getByText('Wave 2 of 3 is waiting for south.').waitFor()
  await agent('south').report()
  await agent('south').rollsBack('1.1.0', 'no answer from the mailbox')
  await page.getByRole('status').getByText('halted', { exact: true }).waitFor()
  await page.getByText(/The rollout halted by itself/).waitFor()
  const status = page.getByRole('article', { name: 'Status' })
  expect(await page.getByText('no answer from the mailbox').count(), 'the reason stands once').toBe(1)
  await status.getByText(/^On south 1\.1\.0 was rolled back: .*no answer from the mailbox\./).waitFor()
  expect(await card(page, 'Wave 2: the first 50%').innerText()).toContain('halted')
  const picture = status.getByRole('img')
  expect(await picture.locator('> title').textContent()).toMatch(
    /^Wave 1, done: 1 kept\. Wave 2, halted: 1 rolled back\. Wave 3, waits: 1 not reached yet\.$/,
  )
  const primary = status.locator('button[data-variant="filled"]')
  expect(await primary.allInnerTexts()).toEqual(['Cancel rollout…'])
  expect((await agent('west').report()).desired).toBeUndefined()

  await page.getByRole('button', { name: 'Continue anyway…' }).click()
  await page.getByRole('dialog').getByText('further agents get 1.1.0').waitFor()
  await confirm(page, 'Continue anyway')
  await page.getByText('Wave 3 of 3 is waiting for west.').waitFor()
  await page.getByRole('button', { name: 'Cancel rollout…' }).click()
  await page.getByRole('dialog').getByText('1 agent runs 1.1.0 and keeps it').waitFor()
  await page.getByLabel(/Also cancel requests/).check()
  await confirm(page, 'Cancel rollout')
  await page.getByRole('status').getByText('Cancelled.').waitFor()
  expect((await agent('west').report()).desired).toBeUndefined()
  expect(await page.getByRole('button', { name: 'Pause' }).count(), 'nothing is left to do').toBe(0)
  await page.goto(at('/updates'))
  await page.getByRole('list', { name: 'Ended' }).getByText('cancelled').waitFor()
})

test('an update at once is a rollout with one wave; the next one names it, ends it and goes on in one press', async () => {
  const page = await window('/blueprints/mail-triage?version=1.1.0')
  await page.getByRole('link', { name: 'Update agents to this version' }).click()
  await page.getByLabel('At once').check()
  await page.getByRole('button', { name: /^Update \d agents?$/ }).click()
  await page.getByRole('heading', { level: 1, name: 'mail-triage 1.1.0' }).waitFor()
  await page.getByText(/^Wave 1 of 1 is waiting for/).waitFor()
  expect((await agent('west').report()).desired).toMatchObject({ version: '1.1.0' })
  expect(await page.locator('.up-waves [data-tone="waiting"]').count()).toBe(1)

  await page.goto(at('/updates/new?blueprint=mail-triage&version=1.2.0'))
  const blocking = page.getByRole('note').filter({ hasText: 'in the rollout of' })
  await blocking.getByRole('link', { name: 'mail-triage 1.1.0' }).waitFor()
  expect(await axe(page)).toEqual([])
  await blocking.getByRole('button', { name: 'End it and go on' }).click()
  await page.getByRole('heading', { level: 1, name: 'mail-triage 1.2.0' }).waitFor()
  const { rows } = await ada.call<Rollouts>('GET', `${w}/rollouts`)
  expect(rows.slice(0, 2).map(({ version, state }) => [version, state])).toEqual([
    ['1.2.0', 'running'],
    ['1.1.0', 'cancelled'],
  ])

  await ada.call('POST', `${w}/rollouts/${rows[0]?.id}/cancel`, { withdraw: true })
  await page.goto(at('/updates/new?blueprint=mail-triage'))
  await page.getByLabel('Cancel pending updates').check()
  await page.getByRole('button', { name: 'Cancel pending updates', exact: true }).click()
  await page.getByRole('heading', { name: /^Cancelled for/ }).waitFor()
  expect((await agent('west').report()).desired).toBeUndefined()

  await page.goto(at('/updates/new'))
  await page.getByLabel(/^The runtime, /).check()
  await page.getByText('Not included:').waitFor()
  await page.goto(at('/activity'))
  const line = page.locator('.activity-line', { hasText: 'cancelled the rollout of' }).first()
  await line.getByRole('link', { name: 'mail-triage 1.2.0' }).click()
  await page.waitForURL(`**/updates/${rows[0]?.id}`)
})

test('nothing is sent before the agents are known', async () => {
  const page = await window('/updates')
  let answer = () => {}
  const asked = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route('**/rollouts/preview', async (route) => {
    await asked
    await route.continue()
  })
  await page.goto(at('/updates/new?blueprint=mail-triage'))
  await page.getByLabel('Cancel pending updates').check()
  const button = page.getByRole('button', { name: 'Cancel pending updates', exact: true })
  await page.getByText('Still loading the agents concerned.').waitFor({ state: 'attached' })
  await button.click({ force: true })
  expect(await page.getByRole('link', { name: 'View agents' }).count()).toBe(0)
  answer()
  await button.click()
  await page
    .getByRole('heading', { name: /^(Cancelled|Refused) for \d agents?/ })
    .first()
    .waitFor()
})

test('a member sees everything and can change nothing', async () => {
  const mo = ['person', 'create', 'mo@example.org', '--name', 'Mo', '--workspace', 'north-wind', '--role', 'member']
  await setup.operator(mo, password)
  const visitor = await setup.visitor()
  await setup.signIn(visitor, 'mo@example.org')
  const { page } = visitor
  const { rows } = await ada.call<Rollouts>('GET', `${w}/rollouts`)
  await page.goto(at(`/updates/${rows[0]?.id}`))
  await page.getByRole('status').getByText('Cancelled.').waitFor()
  await page.goto(at('/agents/east?tab=updates'))
  await card(page, 'Timeline').getByText('kept').first().waitFor()
  for (const button of await page.getByRole('button', { name: /^(Update|Go back|Cancel request|Lift)/ }).all())
    expect(await button.getAttribute('aria-disabled')).toBe('true')
  await page.goto(at('/updates/new'))
  await page.getByText('Only admins of this workspace can update agents.').waitFor()
})

test('axe finds nothing in light and dark, wide and narrow, and nothing is wider than the window', async () => {
  const { rows } = await ada.call<Rollouts>('GET', `${w}/rollouts`)
  const halted = rows.find(({ kind, version }) => kind === 'blueprint' && version === '1.1.0')
  const page = await window('/updates')
  for (const [path, words] of [
    ['/updates', 'mail-triage 1.1.0'],
    ['/updates/new', 'Preview'],
    [`/updates/${halted?.id}`, 'no answer from the mailbox'],
    ['/agents/east?tab=updates', 'newest first'],
    ['/blueprints/mail-triage', 'keeps'],
  ] as const) {
    await page.goto(at(path))
    const whole = () => page.getByRole('main').getByText(words).first().waitFor()
    expect(await wrongLooks(page, whole), path).toEqual([])
  }
})

test('older rollouts are loaded on request, page by page, each once', async () => {
  const wanted = { kind: 'blueprint', blueprint: 'mail-triage', version: '1.2.0', agents: ['west'] }
  const { id } = await ada.call<RolloutPage>('POST', `${w}/rollouts`, wanted)
  await ada.call('POST', `${w}/rollouts/${id}/cancel`, { withdraw: true })
  const { rows } = await ada.call<Rollouts>('GET', `${w}/rollouts`)
  expect(rows.length).toBeGreaterThan(2)
  const { context, page } = await setup.visitor()
  await context.addCookies(await ada.context.cookies())
  // The test makes the page request two rollouts at a time instead of 50, so that a few rollouts fill a list that loads
  // in several steps.
  await page.route(/\/rollouts\?/, (route) =>
    route.continue({ url: route.request().url().replace('limit=50', 'limit=2') }),
  )
  await page.goto(at('/updates'))
  const links = page.locator('.up-rollout').getByRole('link')
  const shown = () => links.evaluateAll((all) => all.map((link) => link.getAttribute('href')?.split('/').at(-1)))
  const isEnded = ({ state }: { state: string }) => state === 'done' || state === 'cancelled'
  // The page lists rollouts that are under way above those that ended.
  const idsOf = (some: typeof rows) =>
    [...some.filter((row) => !isEnded(row)), ...some.filter(isEnded)].map((r) => r.id)
  await page.getByText('the newest 2').waitFor()
  expect(await shown()).toEqual(idsOf(rows.slice(0, 2)))
  const older = page.getByRole('button', { name: 'Older' })
  for (let count = 4; count < rows.length; count += 2) {
    await older.click()
    await page.getByText(`the newest ${count}`).waitFor()
  }
  await older.click()
  await page.getByText(`${rows.filter(isEnded).length} rollouts`).waitFor()
  expect(await shown()).toEqual(idsOf(rows))
  expect(await older.count()).toBe(0)
})

test('a version has the same colour in the bar of its blueprint and over time', async () => {
  const colours = async (path: string, within: string) => {
    const page = await window(path)
    const items = page.locator(within, { hasText: 'mail-triage' }).locator('.svc-chart-legend li')
    await items.nth(1).waitFor()
    const found = await items.evaluateAll((all) =>
      all.map((item) => {
        const mark = item.querySelector('i')
        return [item.querySelector('.svc-text')?.textContent ?? '', mark ? getComputedStyle(mark).backgroundColor : '']
      }),
    )
    return Object.fromEntries(found) as Record<string, string>
  }
  const [bar, chart] = [await colours('/blueprints', 'main li'), await colours('/updates', 'article:has(.up-choices)')]
  const shared = Object.keys(bar).filter((version) => version in chart)
  expect(shared.length).toBeGreaterThan(1)
  expect(shared.map((version) => bar[version])).toEqual(shared.map((version) => chart[version]))
})

test('a secret that only the new version needs is named before the update is sent', async () => {
  await uploadVersions(setup, ['1.3.0'], 'secrets: [{name: MAIL_PASSWORD, purpose: to read the mail}]\n')
  const page = await window('/agents/south?tab=updates')
  await page.getByRole('button', { name: 'Update to 1.3.0…' }).click()
  const note = page.locator('.up-secrets')
  await note.getByText('svc secrets set MAIL_PASSWORD').waitFor()
  expect(await note.textContent()).toContain(`Version 1.3.0 asks for a secret that ${agent('south').running} did not.`)
  expect(await axe(page)).toEqual([])
  await page.goto(at('/updates/new?blueprint=mail-triage&version=1.3.0'))
  await note.getByText('to read the mail').waitFor()
  await page.getByLabel('Version', { exact: true }).selectOption('1.2.0')
  await note.waitFor({ state: 'detached' })
})

test('a rollout that is done says so once, marks no wave, and its agents have the time of the clock', async () => {
  const fresh = await install(setup, 'fresh', '1.0.0')
  await fresh.report()
  const wanted = { kind: 'blueprint', blueprint: 'mail-triage', version: '1.1.0', agents: ['fresh'], watchSeconds: 0 }
  const { id } = await ada.call<RolloutPage>('POST', `${w}/rollouts`, wanted)
  await eventually('the agent is asked', async () =>
    expect((await fresh.report()).desired).toMatchObject({ version: '1.1.0' }),
  )
  await fresh.keeps('1.1.0')
  const page = await window(`/updates/${id}`)
  await page.getByText('Done: 1 agent runs the version.').waitFor()
  expect(await page.getByRole('main').getByText('keeps it').count()).toBe(0)
  expect(await page.locator('.up-waves [data-current="true"]').count()).toBe(0)
  expect(await page.getByRole('list', { name: 'Wave 1' }).locator('time').innerText()).toMatch(/^\d\d:\d\d$/)
  expect(await axe(page)).toEqual([])
})

test('the form warns of a version that was rolled back, and leads to the agents', async () => {
  const fallen = await install(setup, 'fallen', '1.0.0')
  await ada.call('PUT', `${w}/agents/fallen/wishes/blueprint`, { version: '1.2.0' })
  await fallen.report()
  await fallen.rollsBack('1.2.0', 'no answer from the mailbox')
  const page = await window('/updates/new?blueprint=mail-triage&version=1.2.0')
  const warning = page
    .getByRole('note')
    .filter({ hasText: /1\.2\.0 was rolled back on 1 of \d agents? that tried it\./ })
  await warning.waitFor()
  await page.getByLabel('Version', { exact: true }).selectOption('1.1.0')
  await warning.waitFor({ state: 'detached' })
  await page.getByLabel('Version', { exact: true }).selectOption('1.2.0')
  await page.getByLabel('Cancel pending updates').check()
  await warning.waitFor({ state: 'detached' })
  await page.getByLabel('At once').check()
  await warning.getByRole('link', { name: 'View agents' }).click()
  await page.getByRole('link', { name: 'fallen', exact: true }).waitFor()
})

test('the preview names a dozen agents of a wave, and says how many more there are', async () => {
  const names = Array.from({ length: 15 }, (_, at) => `many-${at + 10}`)
  for (const name of names) await install(setup, name, '1.0.0')
  const page = await window('/updates/new?blueprint=mail-triage&version=1.1.0', 360)
  await page.getByLabel('At once').check()
  const list = card(page, 'Preview').getByRole('list', { name: 'Agents of wave 1' })
  const folded = 11
  await eventually('the first agents are named', async () =>
    expect(await list.getByRole('listitem').count()).toBe(folded),
  )
  await page.getByRole('button', { name: /^Update \d\d agents$/ }).waitFor()
  const more = card(page, 'Preview').getByRole('button', { name: /^and \d+ more$/ })
  const left = Number(/\d+/.exec(await more.innerText())?.[0])
  expect(left).toBeGreaterThan(0)
  await more.click()
  expect(await list.getByRole('listitem').count()).toBe(folded + left)
  const tops = await page
    .getByRole('radio')
    .evaluateAll((all) => all.map((radio) => radio.closest('.mantine-Radio-root')?.clientHeight ?? 0))
  expect(Math.min(...tops)).toBeGreaterThanOrEqual(44)
})

test('no page had an error', () => {
  expect(setup.faults).toEqual([])
})
