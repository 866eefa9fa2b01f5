/**
 * Tests the whole way to a running agent with nothing simulated. A person uploads a bundle on the page, and types `svc
 * init` and `svc run` in a real terminal. The agent works on a real example product, and the page controls the agent.
 * `npm test` leaves this out. packages/server/src/updates/wishes/wishes.http.test.ts proves the same rules.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentPage } from '@svc/api'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { Product } from '../../../../examples/product-running.ts'
import { eventually } from '../../../../testing/eventually.ts'
import { freePort } from '../../../../testing/free-port.ts'
import { type BrowserSetup, openBrowserSetup } from '../../testing/browser-setup.ts'
import { noTerminal, Terminal } from '../../testing/terminal.ts'
import { dropFile } from './testing/drop.ts'
import { Machine } from './testing/machine.ts'

if (noTerminal) process.stderr.write(`NOT TESTED: the whole way from an upload to a revoked bot: ${noTerminal}\n`)
const example = join(import.meta.dirname, '../../../../examples/link-checker')

let setup: BrowserSetup | undefined
let terminal: Terminal | undefined
const machine = new Machine()
afterAll(async () => {
  await terminal?.close()
  await setup?.close()
  machine.remove()
})

test.skipIf(noTerminal)('from a dropped bundle to an agent that obeys, and to a bot that no longer may', async () => {
  setup = await openBrowserSetup()
  const { page, call } = await setup.ada()
  const product = await startProduct(setup)
  const at = (path: string) => `${setup?.url}/w/north-wind${path}`
  const one = (wish: string) =>
    page.getByRole('list', { name: 'Commands in progress' }).getByRole('listitem').filter({ hasText: wish })
  const main = page.getByRole('main')

  // The person uploads a bundle on the page and gets an install code for it.
  await page.goto(at('/blueprints'))
  await dropFile(page, 'link-checker.zip', readFileSync(await machine.packFolder(example, 'link-checker.zip')))
  await heading(page, /^link-checker 1\./)
  await page.getByRole('link', { name: 'Install this version' }).click()
  await page.getByLabel('Agent name').fill('links-north')
  await page.getByRole('button', { name: 'Issue code' }).click()
  await heading(page, 'Install links-north')
  const code = await copied(page, 'code')

  // The person types the lines that the page shows into a terminal of the machine.
  terminal = new Terminal(machine.root, { SVC_TIME_SCALE: '0.2', XDG_BIN_HOME: join(machine.root, 'bin') })
  await terminal.ready()
  terminal.type(await copied(page, 'lines that download the program'))
  await terminal.until('Installed svc ')
  await terminal.ready()
  await page.getByText('Verify the file first').click()
  terminal.type(await copied(page, 'line that verifies the program'))
  await terminal.until('svc.pyz: OK')
  await terminal.ready()
  terminal.type(await copied(page, 'line that installs'))
  await terminal.until('The install code (it is not shown)')
  terminal.type(code)
  expect(await terminal.until('Install it?')).toContain('tasks as editor: tasks.read, tasks.write')
  terminal.press('Enter')
  await terminal.until('setting folder')
  terminal.type(join(machine.root, 'documents'))
  await terminal.until('setting ignore')
  terminal.press('Enter')
  const said = await terminal.until('Installed links-north')
  expect(said).not.toContain(code)

  // After the installation, the page with the install code opens the agent's page by itself.
  await heading(page, 'links-north')
  expect(page.url()).toBe(at('/agents/links-north'))
  writeDocuments()
  terminal.type(`python3 svc.pyz set --dir links-north every=1440`)
  await terminal.until('every = 1440')
  terminal.type(await copied(page, 'line that starts it in the terminal'))
  await page.getByText('1 broken link').first().waitFor()
  const binding = page.getByRole('list', { name: 'Bindings' }).getByRole('listitem')
  await binding.getByText('OK', { exact: true }).waitFor()
  await main.getByText('1 open, one for each document').waitFor()

  // The person sends the commands that the agent offers.
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await button('Pause').click()
  await one('Pause').getByText('applied').waitFor()
  await main.getByText('Paused', { exact: true }).first().waitFor()
  expect(terminal.shown()).not.toContain('Traceback')
  await button('Resume').click()
  await one('Resume').getByText('applied').waitFor()
  await page.getByText('1 broken link').first().waitFor()

  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.getByText('Default: 10', { exact: true }).first().waitFor()
  const seconds = page.getByLabel('Seconds to wait for an address', { exact: true })
  const back = page.getByRole('button', { name: 'Reset to default: Seconds to wait for an address' })
  expect(await back.count()).toBe(0)
  await seconds.fill('20')
  await page.getByRole('button', { name: 'Send changes' }).click()
  await back.click()
  expect(await seconds.inputValue()).toBe('10')
  await button('Undo the change of Seconds to wait for an address').click()
  await page.getByLabel('Links to leave out').fill('drafts/*')
  await page.getByRole('button', { name: 'Send changes' }).click()
  await one('Links to leave out').getByText('applied').waitFor()
  expect(JSON.parse(machine.read('links-north/.svc/settings.json'))).toMatchObject({ ignore: 'drafts/*' })

  writeFileSync(join(machine.root, 'documents/more.md'), '[gone too](nowhere.md)\n')
  await page.getByRole('tab', { name: 'Overview' }).click()
  await button('Run now').click()
  await one('Run now').getByText('applied').waitFor()
  await main.getByText('2 open, one for each document').waitFor()

  await page.getByRole('tab', { name: 'Logs' }).click()
  await page.getByRole('button', { name: 'Request log', exact: true }).click()
  await main.getByText('tasks: opened one for more.md').waitFor()

  // An admin revokes the bot. The agent's page shows this at once, and the product refuses the agent's token.
  await page.getByRole('tab', { name: 'Overview' }).click()
  const bots = await page.context().newPage()
  await bots.goto(at('/bots'))
  await bots.getByRole('button', { name: /^More about/ }).click()
  await bots.getByRole('menuitem', { name: 'Revoke its token…' }).click()
  await bots.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
  await binding.getByText('Bad', { exact: true }).waitFor()
  expect(await binding.innerText()).toContain("The bot's token for tasks was revoked here.")
  const isRefused = () => product.refuses(machine.read('links-north/.svc/agent.env'))
  await eventually('the product refuses the token', async () => expect(await isRefused()).toBe(true), { seconds: 30 })
  await button('Run now').click()
  await main.getByText('the product answers 401').waitFor()
  const { bindings } = await call<AgentPage>('GET', '/api/web/w/north-wind/agents/links-north')
  expect(bindings[0]).toMatchObject({ product: 'tasks', token: 'revoked', broken: true })

  // The person stops the agent in the terminal of the machine. The service is not asked.
  terminal.press('C-c')
  await terminal.ready()
  expect(setup.faults).toEqual([])
})

const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name, ...(typeof name === 'string' && { exact: true }) }).waitFor()

async function copied(page: Page, what: string): Promise<string> {
  const copy = page.getByRole('button', { name: `Copy ${what}`, exact: true })
  return (await page.locator('.svc-copy', { has: copy }).locator('pre').textContent()) ?? ''
}

/**
 * Starts the example product, registers it with the service, and activates it for the workspace. Returns a function
 * that takes the text of an `agent.env` and says whether the product refuses the token in it.
 */
async function startProduct(service: BrowserSetup) {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const { secret } = await service.operator<{ secret: string }>(['product', 'add', 'tasks', '--origin', origin])
  await service.operator(['workspace', 'activate', 'north-wind', 'tasks'])
  await new Product({
    SVC_URL: service.url,
    TASKS_SECRET: secret,
    TASKS_PORT: String(port),
    TASKS_ORIGIN: origin,
  }).start()
  const value = (env: string, name: string) => new RegExp(`^SVC_BINDING_TASKS_${name}=(.*)$`, 'm').exec(env)?.[1] ?? ''
  return {
    refuses: async (env: string) => {
      const answer = await fetch(`${origin}/api/v1/workspaces/${value(env, 'WORKSPACE')}`, {
        headers: { authorization: `Bearer ${value(env, 'TOKEN')}` },
      })
      return answer.status === 401
    },
  }
}

function writeDocuments(): void {
  mkdirSync(join(machine.root, 'documents'))
  writeFileSync(join(machine.root, 'documents/handbook.md'), '# Handbook\n\n[When nobody is there](holidays.md)\n')
}
