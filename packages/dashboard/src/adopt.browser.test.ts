/**
 * The way of a person with cron jobs, from an account on a machine to the jobs on the page: the lines that the page
 * shows, typed in a real terminal, and the answers that svc asks for.
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

test.skipIf(noTerminal)('cron jobs are on the page after at most five answers', async () => {
  machine.crontab.write('0 3 * * * /opt/backup.sh --password secret-word\n@daily /opt/report.py\n')
  const { page } = await setup.ada()
  await page.goto(`${setup.url}/w/north-wind`)
  await page.getByRole('button', { name: 'Add agent' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('vela-ada')
  await dialog.getByRole('button', { name: 'Add agent' }).click()
  await dialog.getByRole('button', { name: 'Copy token', exact: true }).waitFor()

  const shell = new Terminal(machine.home, { ...machine.env, SVC_TIME_SCALE: '0.2' })
  terminal = shell
  await shell.ready()
  shell.type(await copied(page, 'lines that download the program'))
  await shell.until('Installed svc ')
  await shell.ready()
  shell.type(await copied(page, 'line that shows cron jobs'))
  let answers = 0
  const answer = async (question: string | RegExp, line?: string) => {
    await shell.until(question)
    answers++
    if (line === undefined) shell.press('Enter')
    else shell.type(line)
  }
  await answer(/token \(it is not shown\)/, await copied(page, 'token'))
  await answer('Show your jobs on the page')
  await answer('Change the crontab like this?')
  await answer('Start it now')
  const said = await shell.until('Jobs in the crontab now: backup, report.')
  expect(answers, said).toBeLessThanOrEqual(5)
  await dialog.getByText('First report received').waitFor()
  await dialog.getByRole('link', { name: 'Open agent' }).click()
  await page.getByText('Job backup').waitFor()
  await page.getByText('Job report').waitFor()
  expect(await page.content()).not.toContain('secret-word')
  expect(machine.crontab.table()).toContain(`${join(machine.bin, 'svc-exec')} backup --)`)
  expect(setup.faults).toEqual([])
})
