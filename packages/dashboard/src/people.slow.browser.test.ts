/**
 * Tests the pages of the members, the activity and one's own account, and a workspace that is not activated. `npm test`
 * leaves this out. packages/server/src/people/workspaces/workspaces.http.test.ts proves the same rules.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { axe, overflow, wrongLooks } from '../testing/axe.ts'
import { type BrowserSetup, openBrowserSetup, password, type Visitor } from '../testing/browser-setup.ts'

let setup: BrowserSetup
let ada: Visitor
let bo: Visitor
const at = (path: string) => `${setup.url}/w/north-wind${path}`

beforeAll(async () => {
  setup = await openBrowserSetup()
  ada = await setup.ada()
  bo = await setup.visitor()
  const { url } = await ada.call<{ url: string }>('POST', '/api/web/w/north-wind/invitations', {
    email: 'bo@example.org',
    role: 'member',
  })
  await bo.call('POST', `/api/web/invitations/${url.split('/').at(-1)}`, { name: 'Bo <i>Lind</i>', password })
})
afterAll(() => setup?.close())
afterEach(() => expect(setup.faults.splice(0)).toEqual([]))

test('an admin sees the members, makes one an admin after reading the consequences, and undoes it', async () => {
  const { page } = ada
  await page.goto(at('/members'))
  const line = page.getByRole('listitem').filter({ hasText: 'bo@example.org' })
  await line.getByText('Bo <i>Lind</i>').waitFor()
  await line.getByRole('combobox', { name: /^Role of Bo/ }).click()
  await page.getByRole('option', { name: 'Admin' }).click()
  const ask = page.getByRole('dialog', { name: /an admin\?$/ })
  await ask.getByText('invite and remove people').waitFor()
  expect(await axe(page)).toEqual([])
  await ask.getByRole('button', { name: 'Make admin' }).click()
  const shows = (role: string) =>
    eventually(`the line shows ${role}`, async () => expect(await line.getByRole('combobox').inputValue()).toBe(role))
  await shows('Admin')
  await line.getByRole('combobox').click()
  await page.getByRole('option', { name: 'Member' }).click()
  await shows('Member')
})

test('the last admin cannot stop being one, and the page says why', async () => {
  const { page } = ada
  await page.goto(at('/members'))
  await page.getByRole('combobox', { name: 'Role of Ada Winter' }).click()
  await page.getByRole('option', { name: 'Member' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Become a member' }).click()
  await page.getByRole('dialog').getByRole('alert').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  expect(await page.getByRole('combobox', { name: 'Role of Ada Winter' }).inputValue()).toBe('Admin')
})

test('an invitation is shown as void once the person who made it may no longer invite', async () => {
  const { page } = ada
  const north = '/api/web/w/north-wind'
  type People = { members: { id: string; email: string }[] }
  const { members } = await ada.call<People>('GET', `${north}/members`)
  const id = members.find(({ email }) => email === 'bo@example.org')?.id
  await ada.call('PATCH', `${north}/members/${id}`, { role: 'admin' })
  const invited = { email: 'di@example.org', role: 'admin' }
  const { url } = await bo.call<{ url: string }>('POST', `${north}/invitations`, invited)
  await page.goto(at('/members'))
  const line = page.getByRole('listitem').filter({ hasText: 'di@example.org' })
  await line.getByRole('button', { name: 'Show link for di@example.org' }).waitFor()

  await ada.call('PATCH', `${north}/members/${id}`, { role: 'member' })
  await page.reload()
  await line.getByText('The link is void, because they can no longer invite admins.').waitFor()
  expect(await line.getByRole('button', { name: /^(Copy|Show) link/ }).count()).toBe(0)
  expect([await axe(page), await overflow(page)]).toEqual([[], 0])
  const stranger = await setup.visitor()
  await stranger.page.goto(url)
  await stranger.page.getByRole('heading', { name: 'This invitation can’t be used' }).waitFor()
  await line.getByRole('button', { name: /^Revoke/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await line.waitFor({ state: 'detached' })
})

test('the workspace is renamed everywhere; its address stays', async () => {
  const { page } = ada
  await page.goto(at('/members'))
  await page.getByRole('list', { name: 'Members' }).waitFor()
  expect(await page.getByLabel('Name', { exact: true }).count()).toBe(0)
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.getByLabel('Name', { exact: true }).fill('South Wind')
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('button', { name: 'Workspace South Wind: switch' }).waitFor()
  expect(page.url()).toBe(at('/settings'))
})

test('a member reads the settings and is offered no change of them', async () => {
  const { page } = bo
  await page.goto(at('/settings'))
  await page.getByText('Admins may sign in with a password alone.').waitFor()
  await page.getByText('Messages contain the level and the label of an agent, and no detail.').waitFor()
  const main = page.getByRole('main')
  expect(await main.getByRole('button').count()).toBe(0)
  expect(await main.getByRole('textbox').count()).toBe(0)
  expect(await wrongLooks(page, () => page.getByText('Messages contain').waitFor(), [1440, 1024, 360])).toEqual([])
  await main.getByRole('link', { name: 'Bots and products' }).click()
  await page.getByText('No bots yet').waitFor()
  expect(await page.getByRole('navigation').getByRole('link', { name: 'Bots' }).count()).toBe(0)
})

test('activity says in sentences who did what, and older lines are on further pages', async () => {
  const { page } = ada
  for (let i = 0; i < 60; i++) await ada.call('POST', '/api/web/w/north-wind/agents', { name: `a-${i}` })
  await page.goto(at('/activity'))
  const lines = page.locator('.activity-line')
  await lines.first().waitFor()
  expect(await lines.first().textContent()).toMatch(/^Ada Winter added a-59/)
  await page.getByRole('button', { name: 'and 49 more like this' }).click()
  expect(await lines.count()).toBe(51)
  await page.getByRole('button', { name: 'Older' }).click()
  await page.getByText('renamed the workspace from North Wind to South Wind').waitFor()
  await lines.getByText('Bo <i>Lind</i>').first().waitFor()
  expect(await page.getByRole('button', { name: 'Older' }).count()).toBe(0)
  expect(await lines.filter({ hasText: 'added a-0' }).count()).toBe(1)
  await page.getByRole('searchbox', { name: 'Search the activity' }).fill('a-59')
  await lines.filter({ hasText: 'added a-58' }).waitFor({ state: 'detached' })
  await page.getByRole('combobox', { name: 'About' }).selectOption('People')
  await page.getByText('Nothing fits the filter').waitFor()
  expect(page.url()).toMatch(/text=a-59.*about=people/)
  expect(await axe(page)).toEqual([])
  await page.getByRole('combobox', { name: 'About' }).selectOption('Agents')
  const line = lines.filter({ hasText: 'added a-59' })
  expect(await line.locator('time').innerText()).toMatch(/^\d\d:\d\d$/)
  await line.locator('time').hover()
  const hint = /\d{4}, \d\d:\d\d:\d\d.*, (now|\d+\s\w+\sago)/
  await page.getByRole('tooltip').filter({ hasText: hint }).waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('north-wind-activity.csv')
  const chunks: Buffer[] = []
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer)
  expect(Buffer.concat(chunks).toString().trim().split('\r\n')).toEqual([
    expect.stringContaining('"time","who","action","subject","details"'),
    expect.stringMatching(/^"[\d-]+T[\d:.]+Z","Ada Winter","agent\.created","agent a-59",/),
  ])
  await page.getByRole('link', { name: 'a-59', exact: true }).click()
  await page.waitForURL('**/agents/a-59')
})

test('a member sees members and activity, can leave, and then has no workspace', async () => {
  const { page } = bo
  await page.goto(at('/members'))
  await page.getByText('ada@example.org').waitFor()
  expect(await page.getByRole('button', { name: 'Invite' }).count()).toBe(0)
  expect(await page.getByRole('combobox').count()).toBe(0)
  await page.getByRole('button', { name: /^More for Bo/ }).click()
  await page.getByRole('menuitem', { name: 'Leave this workspace' }).click()
  // The answer about who is signed in may come late, when the live stream has already said that the workspace is gone.
  await page.route('**/api/web/me', (route) => sleep(1000).then(() => route.continue()))
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { name: 'You are not in a workspace yet' }).waitFor()
  await page.unrouteAll({ behavior: 'wait' })
  expect(await axe(page)).toEqual([])
})

test('my account: name, other sessions, password; the old password no longer signs in', async () => {
  const { page } = ada
  const elsewhere = await setup.ada()
  await page.goto(`${setup.url}/account`)
  const unconfirmed = page.getByRole('note').filter({ hasText: 'This email address is not confirmed.' })
  await unconfirmed.getByText('svc-server link ada@example.org --claim').waitFor()
  expect(await unconfirmed.getByRole('button', { name: 'Send confirmation link' }).count()).toBe(0)
  await page.getByRole('textbox', { name: 'Name' }).fill('Ada W.')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Name changed.').waitFor()
  expect(await page.getByText('This one').count()).toBe(1)
  await page.getByRole('button', { name: 'End all other sessions' }).click()
  await page.getByRole('button', { name: 'End all other sessions' }).waitFor({ state: 'detached' })
  await elsewhere.page.goto(at(''))
  await elsewhere.page.waitForURL('**/sign-in?*')
  await page.getByLabel('Current password').fill('not this one at all')
  await page.getByLabel('New password').fill('another long sentence')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByRole('alert').first().waitFor()
  await page.getByLabel('Current password').fill(password)
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Password changed.').waitFor()
  await expect(setup.signIn(await setup.visitor(), 'ada@example.org')).rejects.toThrow('401')
})

test('the account page leads to the licences of the libraries that the page contains', async () => {
  const { page } = ada
  await page.goto(`${setup.url}/account`)
  const path = await page.getByRole('link', { name: 'Libraries in this page' }).getAttribute('href')
  const response = await page.request.get(`${setup.url}${path}`)
  expect(response.headers()['content-type']).toBe('text/plain; charset=utf-8')
  const notices = await response.text()
  for (const name of [
    '@mantine/core',
    '@tabler/icons-react',
    '@tanstack/react-router',
    'react',
    'react-dom',
    'scheduler',
  ])
    expect(notices).toMatch(new RegExp(`^${name} \\d[\\d.]* \\(MIT\\)$`, 'm'))
  expect(notices).toContain('Copyright (c) Meta Platforms')
})

test('light and dark are chosen, kept over a reload, and set before the first paint', async () => {
  const { page } = ada
  await page.goto(`${setup.url}/account`)
  await page.getByText('Dark', { exact: true }).click()
  await page.reload({ waitUntil: 'commit' })
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.getByText('Light', { exact: true }).click()
  await page.locator('html[data-mantine-color-scheme="light"]').waitFor()
})

test('a workspace that is not activated says so and names who can activate it', async () => {
  await setup.operator(['workspace', 'deactivate', 'north-wind', 'svc'])
  const { page } = ada
  await page.goto(at(''))
  await page.getByText('This workspace is not activated.').waitFor()
  await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
  expect(await axe(page)).toEqual([])
  await setup.operator(['workspace', 'activate', 'north-wind', 'svc'])
})

test('on a phone the menu opens, leads to a page, and closes', async () => {
  const { page } = ada
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(at(''))
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('button', { name: 'Close menu' }).waitFor()
  expect(await axe(page)).toEqual([])
  await page.getByRole('link', { name: 'Activity' }).click()
  await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor()
  await page.getByRole('button', { name: 'Open menu' }).waitFor()
})

test('axe finds nothing in light and dark, wide and narrow', async () => {
  const { page } = ada
  await page.evaluate(() => localStorage.removeItem('svc-colour-scheme'))
  for (const path of ['/w/north-wind/members', '/w/north-wind/settings', '/w/north-wind/activity', '/account']) {
    await page.goto(setup.url + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const isLoaded = () =>
      page
        .getByText(/Include the agent’s detail|ada@example.org|Ada Winter/)
        .first()
        .waitFor()
    expect(await wrongLooks(page, isLoaded), path).toEqual([])
  }
})

test('an admin creates another workspace, whose address follows its name until one is typed', async () => {
  const { page } = ada
  await page.goto(`${setup.url}/workspaces/new`)
  const address = page.getByLabel('Workspace URL')
  await page.getByLabel('Name', { exact: true }).fill('South Wind')
  await page.getByText(/^Address: localhost:\d+\/w\/south-wind$/).waitFor()
  expect(await address.count()).toBe(0)
  await page.getByRole('button', { name: 'Change the address' }).click()
  expect(await address.inputValue()).toBe('south-wind')
  expect(await address.evaluate((e) => e === document.activeElement)).toBe(true)
  await address.fill('south')
  await page.getByLabel('Name', { exact: true }).fill('South Wind Two')
  expect(await address.inputValue()).toBe('south')
  await page.getByRole('button', { name: 'Create workspace' }).click()
  await page.waitForURL(/\/w\/south$/)
})

test('my account has the frame of the workspace that was open last, and the menu says the version', async () => {
  const { page } = ada
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto(at('/activity'))
  await page.getByRole('button', { name: 'account and appearance' }).click()
  await page.getByText(/^svc \d+\.\d+\.\d+/).waitFor()
  await page.getByRole('menuitem', { name: 'My account' }).click()
  await page.getByRole('heading', { level: 1, name: 'My account' }).waitFor()
  await page.getByText(/used now, signed in/).waitFor()
  await page.reload()
  await page.getByText(/^svc \d+\.\d+\.\d+.*, open source/).waitFor()
  await page.getByRole('link', { name: 'Members' }).click()
  await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/w/north-wind/members')
})

test('an admin deletes a workspace after typing its short name', async () => {
  const { page } = ada
  await setup.operator(['workspace', 'create', 'cellar', '--name', 'The Cellar'])
  await setup.operator(['member', 'add', 'cellar', 'ada@example.org', '--role', 'admin'])
  await ada.call('POST', '/api/web/w/cellar/agents', { name: 'wine-watch' })
  await page.goto(`${setup.url}/w/cellar/settings`)
  await page.getByRole('button', { name: 'Delete workspace…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete The Cellar?' })
  const confirm = dialog.getByRole('button', { name: 'Delete workspace' })
  await dialog.getByText('1 agent with all runs, costs, history, commands and logs').waitFor()
  await dialog.getByText('1 person will no longer see the workspace.').waitFor()
  await dialog.getByLabel('Type cellar to confirm').fill('Cellar')
  expect(await confirm.isDisabled()).toBe(true)
  expect(await axe(page)).toEqual([])
  await dialog.getByLabel('Type cellar to confirm').fill('cellar')
  await confirm.click()
  await page.getByText('Workspace cellar deleted.').waitFor()
  await page.waitForURL((url) => !url.pathname.startsWith('/w/cellar'))
  await page.goto(`${setup.url}/w/cellar`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(await page.getByText('The Cellar').count()).toBe(0)
})
