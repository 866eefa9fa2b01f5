/**
 * Tests updates with nothing simulated: the built `svc.pyz` installs an agent, runs it, and carries out what the page
 * requests (3.3). `npm test` leaves this out. packages/runtime/src/updates/agent/update.process.test.ts proves the
 * same rules.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { killAtExit } from '../../../../testing/at-exit.ts'
import { type BrowserSetup, openBrowserSetup } from '../../testing/browser-setup.ts'
import { Machine } from '../blueprints/testing/machine.ts'

/**
 * The factor by which the runtime's durations are multiplied, so that a minute lasts six seconds. The test does not
 * wait for the end of the 30 minutes of watching, because a rollback is possible before that (D30).
 */
const scale = '0.1'
/**
 * A line of the manifest that gives the program much time to start: on a slow machine a start takes long, while the
 * shortened durations of the test pass quickly.
 */
const more = 'health: {start_seconds: 300}\n'

const machine = new Machine()
let setup: BrowserSetup
let page: Page
let running: ChildProcess | undefined
let said = ''

beforeAll(async () => {
  setup = await openBrowserSetup()
  page = (await setup.ada()).page
  page.setDefaultTimeout(60_000)
  await upload(await machine.pack({ more }))
  const { code } = await setup.operator<{ code: string }>([
    ...['code', 'issue', 'north-wind', 'mail-triage@1.0.0', '--agent', 'east'],
  ])
  await machine.shell(`curl -fsSO ${setup.url}/cli/svc.pyz`)
  await machine.shell(`python3 svc.pyz init --url ${setup.url} --dir east --yes`, `${code}\n`)
  await upload(await machine.pack({ version: '1.1.0', more }))
  await upload(await machine.pack({ version: '1.2.0', more, command: 'sh, -c, exit 3' }))
  running = run()
})

afterAll(async () => {
  if (running && running.exitCode === null && running.signalCode === null) {
    const gone = once(running, 'exit')
    running.kill('SIGTERM')
    await gone
  }
  await setup?.close()
  machine.remove()
})

test('a real agent rolls back from a broken version and says why, keeps a working one, and goes back to the previous one on request', async () => {
  await page.goto(`${setup.url}/w/north-wind/agents/east?tab=updates`)
  const version = page.getByRole('article', { name: 'Blueprint version', exact: true })

  await wish('Update to 1.2.0')
  await page.getByText('1.2.0 is on hold').waitFor()
  const why = await page.getByRole('note').filter({ hasText: 'is on hold' }).innerText()
  expect(why).toMatch(/it was rolled back/)
  expect(why).toMatch(/it failed its health check.*code 3/)
  expect(runs()).toBe('1.0.0')
  expect(await page.getByRole('button', { name: 'Update to 1.2.0…' }).count(), 'it is on hold').toBe(0)

  await wish('Update to 1.1.0')
  await version.getByRole('status').filter({ hasText: '1.1.0kept' }).waitFor()
  await version.getByText('kept', { exact: true }).waitFor()
  expect(runs()).toBe('1.1.0')

  await wish('Go back to 1.0.0')
  await version.getByRole('status').filter({ hasText: '1.0.0kept' }).waitFor()
  expect(runs()).toBe('1.0.0')
  expect(said).not.toContain('Traceback')
  expect(setup.faults).toEqual([])
}, 180_000)

async function wish(words: string): Promise<void> {
  const version = /[\d.]+$/.exec(words)?.[0] ?? ''
  if (words.startsWith('Update')) await page.getByLabel('Version', { exact: true }).selectOption(version)
  await page.getByRole('button', { name: `${words}…` }).click()
  await page.getByRole('dialog').getByRole('button', { name: words, exact: true }).click()
}

const upload = (zip: string) => setup.operator(['blueprint', 'upload', 'north-wind', zip])

/** Reads the running version from the manifest in the agent's current folder. */
const runs = () => /^version: (.*)$/m.exec(machine.read('east/current/svc.agent.yaml'))?.[1]

function run(): ChildProcess {
  const env = { PATH: process.env.PATH ?? '', HOME: machine.root, SVC_TIME_SCALE: scale }
  const child = spawn('python3', ['svc.pyz', 'run', '--dir', 'east'], { cwd: machine.root, env })
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk
    })
  killAtExit(child, 'SIGTERM')
  return child
}
