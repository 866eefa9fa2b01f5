/**
 * Tests a workspace that requires a second factor, proofs by a password, and what an admin without a factor sees. `npm
 * test` leaves this out. packages/server/src/web/routing/proof.http.test.ts proves the same rules.
 */
import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { overflow, smallTargets, wrongLooks } from '../../../testing/axe.ts'
import { type BrowserSetup, openBrowserSetup, password, type Visitor } from '../../../testing/browser-setup.ts'
import { addFactor, codeOf } from '../../../testing/factors.ts'
import { focusIs, focusOn, tabTo } from '../../../testing/keys.ts'

let setup: BrowserSetup
let ada: Visitor
let bo: Visitor
const open = async (page: Page, which: 'members' | 'settings' = 'settings') => {
  await page.goto(`${setup.url}/w/north-wind/${which}`)
  await (which === 'members'
    ? page.getByRole('list', { name: 'Members' })
    : page.getByText(/Admins (may|have)|From .* on, admins/)
  )
    .first()
    .waitFor()
}
const faults = (page: Page) => wrongLooks(page, async () => {}, [1440, 1024, 360])
const line = (page: Page, email: string) => page.getByRole('listitem').filter({ hasText: email })
const banner = (page: Page) => page.getByRole('note').filter({ hasText: 'second factor' })
const proofOf = (page: Page) => page.getByRole('dialog', { name: 'Confirm that it’s you' })
const require = (value: string) => setup.operator(['workspace', 'require-factor', 'north-wind', ...value.split(' ')])
const signIn = async (email: string) => {
  const visitor = await setup.visitor()
  await setup.signIn(visitor, email)
  return visitor
}

beforeAll(async () => {
  setup = await openBrowserSetup()
  ada = await setup.ada()
  await ada.call('POST', '/api/web/w/north-wind/agents', { name: 'mail-1' })
  for (const [name, role] of [
    ['Bo', 'admin'],
    ['Cy', 'member'],
  ] as const) {
    const email = `${name.toLowerCase()}@example.org`
    const workspace = ['--workspace', 'north-wind', '--role', role]
    await setup.operator(['person', 'create', email, '--name', name, ...workspace], password)
  }
  bo = await signIn('bo@example.org')
})
afterAll(() => setup?.close())
afterEach(() => expect(setup.faults.splice(0)).toEqual([]))

test('an admin requires a second factor from a day on, after reading who has none, and other admins see it at once', async () => {
  const { page } = ada
  await bo.page.goto(`${setup.url}/w/north-wind`)
  await open(page)
  await page.getByText('Admins may sign in with a password alone.').waitFor()
  await page.getByText('Without a second factor: you and Bo.').waitFor()
  await open(page, 'members')
  await line(page, 'bo@example.org').getByText('no second factor').waitFor()
  expect(await line(page, 'cy@example.org').getByText('second factor').count()).toBe(0)
  await open(page)
  const day = page.getByLabel('Starting')
  await day.fill('2026-01-31')
  await page.getByRole('button', { name: 'Require a second factor' }).click()
  await page.getByText('This day is past.').waitFor()
  await day.fill('2099-01-31')
  await page.getByRole('button', { name: 'Require a second factor' }).click()
  await page.getByText('From 31 Jan 2099, 00:00 on, admins need a second factor.').waitFor()
  await banner(bo.page).getByText('From 31 Jan 2099, 00:00 on').waitFor()
  await banner(page).getByRole('link', { name: 'Add a second factor' }).waitFor()
  expect(await faults(page)).toEqual([])
  await page.getByLabel('Required from').fill('2099-02-01')
  await page.getByRole('button', { name: 'Change day' }).click()
  await banner(bo.page).getByText('From 1 Feb 2099, 00:00 on').waitFor()
  await focusOn(page.getByRole('button', { name: 'End requirement' }))
  await page.keyboard.press('Enter')
  await page.getByText('Admins may sign in with a password alone.').waitFor()
  await tabTo(page, 'Add yours', 1)
  await banner(bo.page).waitFor({ state: 'detached' })
  expect(await banner(page).count()).toBe(0)
})

test.each(['/api/web/w/north-wind', '/api/web/me'])(
  'the section has the focus after its button is gone, if the answer of %s comes last',
  async (path) => {
    const { page } = ada
    await open(page)
    await page.route(
      (url) => url.pathname === path,
      async (route) => {
        if (route.request().method() === 'GET') await setTimeout(200)
        await route.fallback()
      },
    )
    await page.getByRole('button', { name: 'Require a second factor' }).click()
    await focusOn(page.getByRole('button', { name: 'End requirement' }))
    await page.keyboard.press('Enter')
    await page.getByText('Admins may sign in with a password alone.').waitFor()
    await tabTo(page, 'Add yours', 1)
    await page.unrouteAll()
  },
)

test('without a proof the page asks for the password and goes on; a wrong one loses nothing that was typed', async () => {
  const { page } = ada
  await open(page, 'members')
  setup.ageProofs(11)
  await page.getByRole('button', { name: 'Invite' }).click()
  const invite = page.getByRole('dialog', { name: 'Invite someone' })
  await invite.getByLabel('Email').fill('di@example.org')
  await invite.getByRole('radio', { name: 'Admin' }).check()
  const create = invite.getByRole('button', { name: 'Create link' })
  await focusOn(create)
  await page.keyboard.press('Enter')
  const proof = proofOf(page)
  await focusIs(page, 'Password')
  await proof.getByText('To invite somebody, give your password.').waitFor()
  expect(await faults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await proof.waitFor({ state: 'detached' })
  await invite.getByText('Nothing was changed').waitFor()
  await focusIs(page, 'Create link')
  expect(await invite.getByLabel('Email').inputValue()).toBe('di@example.org')
  expect(await invite.getByRole('radio', { name: 'Admin' }).isChecked()).toBe(true)

  await page.keyboard.press('Enter')
  await focusIs(page, 'Password')
  // A dialog that has just opened may give its first field the focus once more.
  await tabTo(page, 'Close', 5, 'Shift+Tab')
  await page.keyboard.press('Escape')
  await proof.waitFor({ state: 'detached' })
  await focusIs(page, 'Create link')
  await page.keyboard.press('Enter')
  await focusIs(page, 'Password')
  await page.keyboard.type('not my password')
  await page.keyboard.press('Enter')
  await proof.getByText('That password is not right.').waitFor()
  expect(await proof.getByLabel('Password', { exact: true }).inputValue()).toBe('not my password')
  await proof.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Link for di@example.org' }).waitFor()
  await page.keyboard.press('Escape')
  await line(page, 'di@example.org').waitFor()
})

test('a cancelled proof gives the focus back to the button, and a changed password is typed only once', async () => {
  const { page } = ada
  await open(page)
  setup.ageProofs(11)
  await focusOn(page.getByRole('button', { name: 'Require a second factor' }))
  await page.keyboard.press('Enter')
  await focusIs(page, 'Password')
  await page.keyboard.press('Escape')
  await page.getByText('Nothing was changed').waitFor()
  await focusIs(page, 'Require a second factor')

  await page.goto(`${setup.url}/account`)
  await page.getByText('None. With an authenticator app').waitFor()
  const next = 'a staple of another battery'
  const change = async (before: string, after: string) => {
    await page.getByLabel('Current password').fill(before)
    await page.getByLabel('New password').fill(after)
    await page.getByRole('button', { name: 'Change password' }).click()
  }
  await change('not my password', next)
  await page.getByText('That password is not right.').waitFor()
  await change(password, next)
  await page.getByText('Password changed.').waitFor()
  expect(await proofOf(page).count()).toBe(0)
  await page.getByRole('button', { name: 'Dismiss message' }).click()
  await page.getByText('Password changed.').waitFor({ state: 'detached' })
  await change(next, password)
  await page.getByText('Password changed.').waitFor()
})

test('from the day on, an admin without a factor has the rights of a member and the way to get them back', async () => {
  await require('on --from 2026-01-01')
  const { page } = await signIn('bo@example.org')
  await open(page, 'members')
  await banner(page).getByText('Until you show a second factor, you have the rights of a member.').waitFor()
  expect(await page.getByRole('button', { name: 'Invite' }).count()).toBe(0)
  expect(await page.getByRole('combobox').count()).toBe(0)
  await open(page)
  expect(await page.getByText('Delete this workspace').count()).toBe(0)
  expect(await faults(page)).toEqual([])
  await bo.call('POST', '/api/web/w/north-wind/agents', { name: 'too-early' }).then(
    () => expect.fail('The service let an admin without a factor add an agent.'),
    (error: Error) => expect(error.message).toContain('factor_required'),
  )
  await page.setViewportSize({ width: 360, height: 780 })
  await page.goto(`${setup.url}/w/north-wind`)
  await banner(page).waitFor()
  await page.getByRole('link', { name: 'mail-1', exact: true }).waitFor()
  const row = await page.locator('.fleet-body .fleet-row').first().boundingBox()
  expect(row?.y, 'the list begins in the upper third of a phone').toBeLessThan(260)
  expect(await smallTargets(page)).toEqual([])
  await banner(page).getByRole('link', { name: 'Add a second factor' }).click()
  const add = page.getByRole('button', { name: 'Add an authenticator app' })
  await add.waitFor()
  expect(await add.evaluate((e) => e.getBoundingClientRect().bottom <= innerHeight), 'it is in sight').toBe(true)
  expect([await faults(page), await overflow(page)]).toEqual([[], 0])
  await add.click()
  const copy = page.getByRole('button', { name: 'Copy secret' })
  const secret = (await page.locator('.svc-copy', { has: copy }).locator('pre').textContent()) ?? ''
  await page.getByLabel('Code', { exact: true }).fill(codeOf(setup, secret))
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'I have saved them' }).click()
  await banner(page).waitFor({ state: 'detached' })
  await open(page, 'members')
  await page.getByRole('button', { name: 'Invite' }).waitFor()
  await open(page)
  await page.getByText('Without a second factor: Ada Winter.').waitFor()
  await page.getByText(/^Admins have needed a second factor since/).waitFor()
})

test('a link of the operator shows no factor: the banner asks for a code, and then the rights are back', async () => {
  await require('off')
  const cyl = await signIn('cy@example.org')
  const { secret } = await addFactor(setup, cyl)
  await setup.operator(['member', 'role', 'north-wind', 'cy@example.org', 'admin'])
  await require('on --from 2026-01-01')
  const { link } = await setup.operator<{ link: string }>(['link', 'cy@example.org'])
  const { page } = await setup.visitor()
  await page.goto(link)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/w/north-wind')
  await focusOn(banner(page).getByRole('button', { name: 'Enter a code' }))
  await page.keyboard.press('Enter')
  await focusIs(page, 'Code')
  await page.keyboard.type('000000')
  await page.keyboard.press('Enter')
  await proofOf(page).getByText('That code is not right').waitFor()
  await page.getByLabel('Code', { exact: true }).fill(codeOf(setup, secret))
  await page.keyboard.press('Enter')
  await banner(page).waitFor({ state: 'detached' })
  await open(page, 'members')
  await page.getByRole('button', { name: 'Invite' }).waitFor()
})

test('the last admin is not locked out: with a factor they can end the requirement', async () => {
  await require('off')
  for (const email of ['bo@example.org', 'cy@example.org'])
    await setup.operator(['member', 'role', 'north-wind', email, 'member'])
  await require('on --from 2026-01-01')
  const visitor = await setup.ada()
  const { page } = visitor
  await open(page)
  await banner(page).getByText('you have the rights of a member').waitFor()
  await addFactor(setup, visitor)
  await open(page)
  await page.getByRole('button', { name: 'End requirement' }).click()
  await page.getByText('Admins may sign in with a password alone. You have a second factor.').waitFor()
  expect(await banner(page).count()).toBe(0)
})
