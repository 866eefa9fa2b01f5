/**
 * Tests the bar for selected agents, its dialogs, and the page of an action, as people use them. `npm test` leaves this
 * out. packages/dashboard/src/keyboard.browser.test.ts proves the same rules.
 */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../../testing/eventually.ts'
import { axe, overflow, resize, smallTargets, wrongLooks } from '../../../testing/axe.ts'
import { type BrowserSetup, openBrowserSetup, password, type Visitor } from '../../../testing/browser-setup.ts'
import { tabTo } from '../../../testing/keys.ts'

let setup: BrowserSetup
let ada: Visitor
const tokens = new Map<string, string>()
const token = (name: string) => tokens.get(name) ?? ''
const fleet = () => `${setup.url}/w/north-wind`
const web = '/api/web/w/north-wind'

/** 40 bad agents, of which two offer no Pause, and one has another schema. */
const bad = Array.from({ length: 40 }, (_, i) => `bad-${String(i).padStart(2, '0')}`)
const bodyOf = (name: string) => ({
  state: { level: 'bad', label: 'HTTP 401' },
  controls: name === 'bad-38' || name === 'bad-39' ? ['run_now'] : ['pause', 'resume', 'run_now'],
  settings: {
    schema: [
      { key: 'every', label: 'Every', type: 'number', min: 1, max: name === 'bad-39' ? 10 : 120 },
      ...(name === 'bad-00' ? [{ key: 'note', label: 'Note', type: 'text' }] : []),
    ],
    values: { every: name === 'bad-39' ? 5 : 30 },
  },
  active: [{ kind: 'work', log: 'work' }],
})
const report = (name: string, more: object = {}) => setup.report(token(name), { ...bodyOf(name), ...more })
const add = async (name: string) => {
  const { token: its } = await ada.call<{ token: string }>('POST', `${web}/agents`, { name })
  tokens.set(name, its)
}
/** Lets agents report until they have got their command, and answer it. */
async function answer(names: readonly string[], ack: object = { ok: true }): Promise<void> {
  for (const name of names) {
    const { commands } = await report(name)
    await report(name, { acks: commands.map(({ id }) => ({ id, ...ack })) })
  }
}

beforeAll(async () => {
  setup = await openBrowserSetup()
  ada = await setup.ada()
  for (const name of [...bad, 'calm', 'never-1', 'never-2']) await add(name)
  for (const name of bad) await report(name)
  await report('calm', { state: { level: 'ok', label: 'Working' } })
})
afterAll(() => setup?.close())
afterEach(() => expect(setup.faults.splice(0)).toEqual([]))

const look = (width = 1440, height = 900) => setup.window(ada, { width, height })
const dialogIn = (page: Page) => page.getByRole('dialog')
const outcomes = (page: Page) => page.getByRole('group', { name: 'Show agents by outcome' })
async function select(page: Page, ...names: string[]): Promise<void> {
  const size = page.viewportSize() ?? { width: 1440, height: 900 }
  // In a window of this height, no row is out of sight.
  await page.setViewportSize({ ...size, height: 3600 })
  await page.goto(fleet())
  for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).click()
  await page.getByText(`${names.length} selected`).waitFor()
  await page.setViewportSize(size)
}
async function more(page: Page, item: string): Promise<void> {
  await page.getByRole('region', { name: 'Selected agents' }).getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: item }).click()
}
test('a term that excludes no agent is said before the press, whatever is pressed', async () => {
  const page = await look()
  await page.goto(`${fleet()}?q=bad-01+-host%3Amial`)
  await page.getByRole('checkbox', { name: /^Select all/ }).click()
  const bar = page.getByRole('region', { name: 'Selected agents' })
  await bar.getByText('-host:mial excludes no agent.').waitFor()
  await bar.getByRole('link', { name: 'Update…' }).waitFor()
  await more(page, 'Tags…')
  await dialogIn(page).getByText('-host:mial excludes no agent.').waitFor()
})

test('with the keyboard alone: find the bad agents, pause 40, follow it, resume them, open the palette', async () => {
  const page = await look()
  await page.goto(fleet())
  await page.getByRole('link', { name: 'bad-00', exact: true }).waitFor()
  await page.keyboard.press('/')
  await tabTo(page, /^Bad/)
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'calm', exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('checkbox', { name: /^Select all 40/ }).waitFor()
  await tabTo(page, /^Select all 40/)
  await page.keyboard.press('Space')
  await page.getByText('40 selected').waitFor()
  await tabTo(page, /^Pause$/)
  await page.keyboard.press('Enter')
  const dialog = dialogIn(page)
  await dialog.getByText('38 of 40: 2 do not offer Pause.').waitFor()
  expect(await dialog.getByRole('group', { name: /does not offer/ }).textContent()).toBe('bad-38, bad-39')
  expect(await axe(page)).toEqual([])
  await tabTo(page, /^Pause 38$/)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Pause: 40 agents' }).waitFor()
  await outcomes(page).getByRole('button', { name: '38 waiting' }).waitFor()
  await outcomes(page).getByRole('button', { name: '2 skipped' }).waitFor()
  await answer(bad.slice(0, 30))
  await answer(bad.slice(30, 38), { ok: false, message: 'not now' })
  await outcomes(page).getByRole('button', { name: '30 applied' }).waitFor()
  await outcomes(page).getByRole('button', { name: '8 refused' }).waitFor()
  await tabTo(page, /^8 refused/)
  await page.keyboard.press('Enter')
  await eventually('only those that refused are shown, with their words', async () => {
    expect(await page.locator('.act-group p').allTextContents()).toEqual(['not now'])
    const refused = page.getByRole('list', { name: 'Agents: refused' })
    expect(await refused.locator('li').allTextContents()).toEqual(bad.slice(30, 38))
  })

  await page.keyboard.press('g')
  await page.keyboard.press('a')
  await page.getByRole('link', { name: 'bad-00', exact: true }).waitFor()
  await tabTo(page, /^Select all/)
  await page.keyboard.press('Space')
  await page.getByText(/^4\d selected/).waitFor()
  await tabTo(page, /^Resume$/)
  await page.keyboard.press('Enter')
  await dialog.getByText(/of 4\d: /).waitFor()
  await tabTo(page, /^Resume \d+$/)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: /^Resume: 4\d agents/ }).waitFor()
  await answer(bad)
  await outcomes(page).getByRole('button', { name: '38 applied' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').waitFor()
  await page.keyboard.press('Escape')
})

test('settings are chosen among those that the agents declare, and whom they do not fit is named', async () => {
  const page = await look()
  await select(page, 'bad-00', 'bad-01', 'bad-39', 'never-1')
  await more(page, 'Change settings…')
  const dialog = dialogIn(page)
  await dialog.getByLabel('Setting').click()
  await page.getByRole('option', { name: 'Note (1 of 4)' }).waitFor()
  await page.getByRole('option', { name: 'Every (3 of 4)' }).click()
  const every = dialog.getByLabel('Every', { exact: true })
  expect(await every.inputValue()).toBe('30')
  await dialog.getByText('Now 30 for 2, 5 for 1.').waitFor()
  await every.fill('500')
  await dialog.getByText('Every must be between 1 and 120.').waitFor()
  await every.fill('45')
  await dialog.getByText('2 of 4: 1 does not accept this, 1 never reported.').waitFor()
  await dialog.getByText('Every must be between 1 and 10: got 45.').waitFor()
  expect(await axe(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Change settings of 2 agents' }).click()
  await page.getByRole('heading', { level: 1, name: 'Change settings: 4 agents' }).waitFor()
  await page.getByRole('list', { name: 'Values' }).getByText('every: 45').waitFor()
  const { commands } = await report('bad-01')
  expect(commands).toMatchObject([{ type: 'set', payload: { every: 45 } }])
  await page.getByRole('button', { name: 'Cancel what waits' }).click()
  await outcomes(page).getByRole('button', { name: '1 cancelled' }).waitFor()
})

test('a log is requested from several agents, and the page of the action leads to each that arrives', async () => {
  const page = await look()
  await select(page, 'bad-00', 'bad-01', 'never-1')
  await more(page, 'Request a log…')
  const dialog = dialogIn(page)
  await dialog.getByText('2 of 3: 1 never reported.').waitFor()
  expect(await dialog.getByLabel('Log', { exact: true }).inputValue()).toBe('work (2 of 3)')
  await dialog.getByRole('button', { name: 'Request 2 logs' }).click()
  await page.getByRole('heading', { level: 1, name: 'Request a log: 3 agents' }).waitFor()
  const { commands } = await report('bad-00')
  const id = commands.find(({ type }) => type === 'log')?.id ?? ''
  const answered = await fetch(`${setup.url}/api/agent/v1/log`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token('bad-00')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ command: id, name: 'work', text: 'the last line' }),
  })
  expect(answered.status).toBeLessThan(300)
  await page.getByRole('link', { name: 'Read log' }).click()
  await page.getByText('the last line').waitFor()
})

test('only agents that never reported are deleted, after a proof, and then the page goes on', async () => {
  const page = await look()
  await select(page, 'bad-00', 'never-1', 'never-2')
  await more(page, 'Delete…')
  const dialog = page.getByRole('dialog', { name: 'Delete: 3 agents?' })
  await dialog.getByText('2 of 3: 1 has reported.').waitFor()
  expect(await dialog.getByRole('group', { name: 'To delete: 2 agents' }).textContent()).toBe('never-1, never-2')
  expect(await axe(page)).toEqual([])
  setup.ageProofs(11)
  await dialog.getByRole('button', { name: 'Delete 2 agents' }).click()
  const proof = page.getByRole('dialog', { name: 'Confirm that it’s you' })
  await proof.getByLabel('Password', { exact: true }).fill(password)
  await proof.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { level: 1, name: 'Delete: 3 agents' }).waitFor()
  await outcomes(page).getByRole('button', { name: '2 applied' }).waitFor()
  await page.getByText('The agent has reported. Delete it on its own page.').waitFor()
  expect(await page.getByRole('link', { name: 'never-1' }).count()).toBe(0)
  // The browser reports the refusal that asked for the proof.
  setup.faults.splice(0)
  for (const name of ['never-1', 'never-2']) await add(name)
})

test('a selected agent that somebody deletes meanwhile is deselected and named, and the rest can be sent', async () => {
  const page = await look()
  await add('short-lived')
  await select(page, 'bad-00', 'short-lived')
  await ada.call('POST', '/api/web/proof', { password })
  await ada.call('DELETE', `${web}/agents/short-lived`)
  await page.getByRole('button', { name: 'Run now' }).click()
  const dialog = dialogIn(page)
  await dialog.getByText('One agent is gone or renamed, and no longer selected: short-lived').waitFor()
  await dialog.getByRole('button', { name: 'Run now 1' }).click()
  await page.getByRole('heading', { level: 1, name: 'Run now: 1 agent' }).waitFor()
  setup.faults.splice(0)
})

test('a reader without rights sees each outcome with its reason, and presses nothing', async () => {
  const { id } = await ada.call<{ id: string }>('POST', `${web}/actions`, {
    type: 'pause',
    agents: ['bad-00', 'bad-38'],
  })
  const { url } = await ada.call<{ url: string }>('POST', `${web}/invitations`, {
    email: 'bo@example.org',
    role: 'member',
  })
  const bo = await setup.visitor()
  await bo.call('POST', `/api/web/invitations/${url.split('/').at(-1)}`, { name: 'Bo', password })
  await bo.page.goto(`${fleet()}/actions/${id}`)
  await bo.page.getByText('The agent does not offer "pause".').waitFor()
  const button = bo.page.getByRole('button', { name: 'Cancel what waits' })
  expect(await button.getAttribute('aria-disabled')).toBe('true')
  await button.hover()
  await bo.page.getByRole('tooltip', { name: 'Only admins of this workspace can do this.' }).waitFor()
  expect(await bo.page.getByRole('button', { name: /^Retry the rest/ }).count(), 'nothing to retry').toBe(0)
})

test('on a phone the bar is at the bottom, a thumb can press everything, and nothing is wider than the window', async () => {
  const page = await look(360, 780)
  await select(page, 'bad-00')
  const bar = await page.getByRole('region', { name: 'Selected agents' }).boundingBox()
  expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBe(780)
  expect(bar?.height).toBeLessThan(130)
  expect(await smallTargets(page)).toEqual([])
  for (const [item, ready] of [
    ['Change settings…', 'Another setting'],
    ['Request a log…', 'It reaches the agent.'],
    ['Lift holds…', '0 of 1: 1 holds no version.'],
    ['Delete…', '0 of 1: 1 has reported.'],
  ] as const) {
    await more(page, item)
    const dialog = dialogIn(page)
    if (item === 'Change settings…') {
      await dialog.getByLabel('Setting').click()
      await page.getByRole('option', { name: /^Every/ }).click()
    }
    await dialog.getByText(ready).first().waitFor()
    expect(await smallTargets(page), item).toEqual([])
    expect(await overflow(page), item).toBe(0)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
})

test('axe finds nothing on the page of an action and in the dialogs, and nothing scrolls sideways at any width', async () => {
  const { id } = await ada.call<{ id: string }>('POST', `${web}/actions`, {
    type: 'set',
    agents: [...bad.slice(0, 3), 'never-1'],
    values: { every: 20 },
    filter: 'tag:eu level:bad',
  })
  const page = await look()
  for (const path of ['/actions', `/actions/${id}`]) {
    await page.goto(fleet() + path)
    expect(
      await wrongLooks(page, () =>
        page
          .getByRole('list', { name: /^(Agents: |In progress$)/ })
          .first()
          .waitFor(),
      ),
    ).toEqual([])
    for (const width of [320, 768, 992, 1024, 1204, 1440]) {
      await resize(page, width)
      expect(await overflow(page), `${path} at ${width}`).toBe(0)
    }
  }
  for (const item of ['Change settings…', 'Delete…']) {
    await page.setViewportSize({ width: 1440, height: 900 })
    await select(page, 'bad-00', 'bad-39', 'never-1')
    await more(page, item)
    expect(await wrongLooks(page, () => dialogIn(page).getByRole('button', { name: 'Cancel' }).waitFor())).toEqual([])
  }
})
