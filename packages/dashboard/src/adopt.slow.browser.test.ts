/**
 * The way of a person with cron jobs, from an account on a machine to the jobs on the page: the block that the page
 * shows, typed in a real terminal, and the answer that svc asks for. `npm test` leaves this out.
 * packages/runtime/src/cli/host/adopt.process.test.ts proves the same rules.
 */
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Account, account } from '../../runtime/testing/adopting.ts'
import { type BrowserSetup, openBrowserSetup } from '../testing/browser-setup.ts'
import { noTerminal, Terminal } from '../testing/terminal.ts'

if (noTerminal) process.stderr.write(`NOT TESTED: the way from a crontab to the page: ${noTerminal}\n`)

let setup: BrowserSetup
let machine: Account
let terminal: Terminal | undefined
beforeAll(async () => {
  setup = await openBrowserSetup()
  machine = account()
})
afterAll(async () => {
  await terminal?.close()
  await machine?.remove()
  await setup?.close()
})

const copied = async (page: Page, label: string): Promise<string> =>
  (await page
    .locator('.svc-copy', { has: page.getByRole('button', { name: `Copy ${label}`, exact: true }) })
    .locator('pre')
    .textContent()) ?? ''

test.skipIf(noTerminal)('cron jobs are on the page after one block and one answer', async () => {
  machine.crontab.write('0 3 * * * /opt/backup.sh --password secret-word\n@daily /opt/report.py\n')
  const { page } = await setup.ada()
  await page.goto(`${setup.url}/w/north-wind`)
  await page.getByRole('link', { name: 'Add your first agent' }).click()
  await page.getByRole('link', { name: 'Cron jobs' }).click()
  await page.getByLabel('Name').fill('vela-ada')
  await page.getByRole('button', { name: 'Add agent' }).click()
  await page.getByRole('button', { name: 'Copy block', exact: true }).waitFor()

  const shell = new Terminal(machine.home, { ...machine.env, SVC_TIME_SCALE: '0.2' })
  terminal = shell
  await shell.ready()
  // The whole text is typed at once, like a paste: no line of it may answer a question that an earlier line asks.
  shell.type(await copied(page, 'block'))
  await shell.until('Change the crontab like this?')
  shell.press('Enter')
  await shell.until('Jobs in the crontab now: backup, report.')
  await page.getByText('First report received').waitFor()
  await page.getByRole('link', { name: 'Open vela-ada' }).click()
  await page.getByRole('rowheader', { name: 'backup' }).waitFor()
  await page.getByRole('rowheader', { name: 'report' }).waitFor()
  expect(await page.content()).not.toContain('secret-word')
  expect(machine.crontab.table()).toContain(`${join(machine.bin, 'svc-exec')} backup --)`)
  expect(setup.faults).toEqual([])
})
