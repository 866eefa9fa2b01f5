/**
 * Tests second factors on the page at the width of a phone, with the keyboard only: adding an app, signing in, losing
 * the phone, and proofs. `npm test` leaves this out. packages/server/src/web/routing/second-factor.http.test.ts proves
 * the same rules.
 */
import { createHmac } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { axe } from '../../../testing/axe.ts'
import { type BrowserSetup, openBrowserSetup, password } from '../../../testing/browser-setup.ts'

let setup: BrowserSetup
let secret = ''
let recovery: string[] = []
beforeAll(async () => {
  setup = await openBrowserSetup()
})
afterAll(() => setup?.close())
afterEach(() => expect(setup.faults.splice(0)).toEqual([]))

/** A code that was not used yet, as far as the service remembers (RFC 6238, RFC 4226). */
function code(): string {
  setup.forgetFactors()
  const bits = [...secret].map((letter) => base32.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const step = Buffer.alloc(8)
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)))
  const hash = createHmac('sha1', key).update(step).digest()
  const at = (hash.at(-1) ?? 0) & 15
  return String((hash.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}
const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const bothSchemes = async (page: Page) => {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await axe(page)).toEqual([])
  }
}
const press = async (page: Page, name: string) => {
  await page.getByRole('button', { name, exact: true }).focus()
  await page.keyboard.press('Enter')
}
const visit = async () => {
  const { page } = await setup.visitor()
  await page.setViewportSize({ width: 360, height: 780 })
  return page
}
async function halfway(): Promise<Page> {
  const page = await visit()
  await page.goto(`${setup.url}/sign-in`)
  await page.getByLabel('Email').fill('ada@example.org')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  return page
}

test('an authenticator app is added by its secret, and ten recovery codes are shown once', async () => {
  const { page } = await setup.ada()
  await page.setViewportSize({ width: 360, height: 780 })
  await page.goto(`${setup.url}/account`)
  await press(page, 'Add an authenticator app')
  await page.getByRole('img', { name: 'QR code with the secret' }).waitFor()
  secret = (await page.locator('.svc-copy pre').first().textContent()) ?? ''
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  await bothSchemes(page)
  await page.getByLabel('Code', { exact: true }).fill(code())
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
  recovery = ((await page.locator('.svc-copy pre').first().textContent()) ?? '').split('\n')
  expect(recovery).toHaveLength(10)
  await bothSchemes(page)
  await press(page, 'I have saved them')
  await page.getByText('10 recovery codes left').waitFor()
})

test('a sign-in asks for a code, and somebody who lost the phone uses a recovery code', async () => {
  const page = await halfway()
  await page.getByLabel('Code', { exact: true }).waitFor()
  await bothSchemes(page)
  await page.getByLabel('Code', { exact: true }).fill('000000')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('That code is not right').waitFor()
  await page.getByLabel('Code', { exact: true }).fill(code())
  await page.keyboard.press('Enter')
  await page.waitForURL('**/w/north-wind')

  const lost = await halfway()
  await press(lost, 'Use a recovery code')
  await lost.getByText('svc-server person reset-factor').waitFor()
  await lost.getByLabel('Recovery code').fill(recovery[0] ?? '')
  await bothSchemes(lost)
  await lost.keyboard.press('Enter')
  await lost.waitForURL('**/w/north-wind')
  await lost.goto(`${setup.url}/account`)
  await lost.getByText('9 recovery codes left').waitFor()
})

test('in a session that showed no factor, the page asks for a code and goes on; a cancelled proof changes nothing', async () => {
  const page = await halfway()
  await page.getByLabel('Code', { exact: true }).fill(code())
  await page.keyboard.press('Enter')
  await page.waitForURL('**/w/north-wind')
  await page.goto(`${setup.url}/account`)
  setup.forgetFactors()
  await press(page, 'Remove app')
  const confirm = page.getByRole('dialog', { name: 'Remove the authenticator app?' })
  await confirm.getByRole('button', { name: 'Remove app' }).click()
  const proof = page.getByRole('dialog', { name: 'Confirm that it’s you' })
  await proof.getByLabel('Code', { exact: true }).waitFor()
  await bothSchemes(page)
  await page.keyboard.press('Escape')
  await confirm.getByText('Nothing was changed').waitFor()
  await confirm.getByRole('button', { name: 'Remove app' }).click()
  await proof.getByLabel('Code', { exact: true }).fill(code())
  await page.keyboard.press('Enter')
  await page.getByText('Add an authenticator app').waitFor()
  setup.faults.splice(0)
})
