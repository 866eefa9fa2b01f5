/**
 * Tests "Forgot your password?" with a real mail server. `npm test` leaves this out.
 * packages/server/src/people/mails/mails.http.test.ts proves the same rules.
 */
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../testing/eventually.ts'
import { mailbox, readable } from '../../../../testing/mailbox.ts'
import { axe, wrongLooks } from '../../testing/axe.ts'
import { openBrowserSetup, password } from '../../testing/browser-setup.ts'
import { addFactor, codeOf } from '../../testing/factors.ts'

const email = 'ada@example.org'

test('a person who forgot their password is mailed a link, chooses a new password, and signs in with it', async () => {
  const box = await mailbox()
  const setup = await openBrowserSetup({ SVC_SMTP_URL: box.url })
  onTestFinished(() => setup.close())
  await setup.ada()
  const { page } = await setup.visitor()
  await page.goto(`${setup.url}/sign-in`)
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await page.getByLabel('Email').fill('ada')
  const send = page.getByRole('button', { name: 'Send link' })
  await send.click()
  await page.getByText('Enter an email address').waitFor()
  await page.getByLabel('Email').fill(email)
  await send.click()
  await page.getByRole('status').getByText('an email with a link is on its way').waitFor()
  expect(await axe(page)).toEqual([])

  const links = () => box.mails.flatMap(({ source }) => /http\S+\/claim\?token=[^\s"<>]+/.exec(readable(source)) ?? [])
  await eventually('the mail with the link arrives', () => expect(links()).toHaveLength(1))
  expect(box.mails.map(({ to }) => to)).toEqual([[email]])
  const [link = ''] = links()
  await page.goto(link)
  await page.getByRole('heading', { name: 'Choose a new password' }).waitFor()
  expect(await axe(page)).toEqual([])
  const next = 'a staple of another battery'
  await page.getByLabel('Password', { exact: true }).fill(next)
  await page.getByRole('button', { name: 'Save password' }).click()
  await page.waitForURL('**/w/north-wind')

  const other = (await setup.visitor()).page
  await other.goto(`${setup.url}/sign-in`)
  await other.getByLabel('Email').fill(email)
  await other.getByLabel('Password', { exact: true }).fill(password)
  await other.getByRole('button', { name: 'Sign in' }).click()
  await other.getByText('Wrong email or password.').waitFor()
  await other.getByLabel('Password', { exact: true }).fill(next)
  await other.getByRole('button', { name: 'Sign in' }).click()
  await other.waitForURL('**/w/north-wind')
  await other.goto(link)
  await other.getByRole('heading', { name: 'This link can’t be used' }).waitFor()
  expect(setup.faults).toEqual([])
})

test('an account whose address is not confirmed asks for the link on its page, and is confirmed with it', async () => {
  const box = await mailbox()
  const setup = await openBrowserSetup({ SVC_SMTP_URL: box.url })
  onTestFinished(() => setup.close())
  const { page } = await setup.ada({ own: true })
  await page.goto(`${setup.url}/account`)
  const note = page.getByRole('note').filter({ hasText: 'This email address is not confirmed.' })
  await note.waitFor()
  expect(await page.getByText('not confirmed').count()).toBe(1)
  expect(await wrongLooks(page, () => note.waitFor())).toEqual([])
  await note.getByRole('button', { name: 'Send confirmation link' }).click()
  await note.getByRole('status').getByText('The link is on its way.').waitFor()
  const links = () => box.mails.flatMap(({ source }) => /http\S+\/claim\?token=[^\s"<>]+/.exec(readable(source)) ?? [])
  await eventually('the mail with the link arrives', () => expect(links()).toHaveLength(1))
  await page.goto(links()[0] ?? '')
  await page.getByLabel('Password', { exact: true }).fill('a staple of another battery')
  await page.getByRole('button', { name: 'Save password' }).click()
  await page.waitForURL('**/w/north-wind')
  await page.goto(`${setup.url}/account`)
  await page.getByText('ada@example.org').first().waitFor()
  expect(await note.count()).toBe(0)
  expect(setup.faults).toEqual([])
})

test('a person with a second factor chooses a new password, and then shows a code; the sign-in can be begun again', async () => {
  const box = await mailbox()
  const setup = await openBrowserSetup({ SVC_SMTP_URL: box.url })
  onTestFinished(() => setup.close())
  const { secret } = await addFactor(setup, await setup.ada())
  const links = () => box.mails.flatMap(({ source }) => /http\S+\/claim\?token=[^\s"<>]+/.exec(readable(source)) ?? [])
  const { page } = await setup.visitor({ width: 360, height: 780 })
  const choose = async (next: string) => {
    const before = links().length
    await page.goto(`${setup.url}/forgot`)
    await page.getByLabel('Email').fill(email)
    await page.getByRole('button', { name: 'Send link' }).click()
    await eventually('the mail with the link arrives', () => expect(links()).toHaveLength(before + 1))
    await page.goto(links().at(-1) ?? '')
    await page.getByLabel('Password', { exact: true }).fill(next)
    await page.getByRole('button', { name: 'Save password' }).click()
    await page.getByRole('heading', { name: 'Your password was changed' }).waitFor()
  }
  await choose('a staple of another battery')
  expect(await wrongLooks(page, async () => {}, [1440, 360])).toEqual([])
  await page.getByText('svc-server person reset-factor').waitFor()
  await page.getByRole('button', { name: 'Sign in again' }).click()
  await page.getByLabel('Email').waitFor()

  await choose('a third long password')
  await page.getByLabel('Code', { exact: true }).fill(codeOf(setup, secret))
  await page.keyboard.press('Enter')
  await page.waitForURL('**/w/north-wind')
  expect(setup.faults).toEqual([])
})
