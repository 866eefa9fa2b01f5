/**
 * `npm run pictures` takes the pictures of README.md in a real Chromium from `npm run demo`, which it starts and ends,
 * and puts them into docs/screenshots. It waits two minutes, because the rollouts and alerts of the demo need their
 * time. Look at the pictures before you commit them.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { contextOptions, launchBrowser } from '../testing/browser.ts'

const root = join(import.meta.dirname, '..')
const shown = join(root, 'docs/screenshots')
const maxBytes = 150_000
/** The time after which every part of the demo is there. */
const waitMs = 120_000
const settleMs = 4000

const wide = { width: 1280, height: 800 }
const phone = { width: 390, height: 780 }
const pictures = [
  { file: 'fleet.png', path: '', size: wide },
  { file: 'agent.png', path: '/agents/coder-simulated', size: wide },
  { file: 'phone.png', path: '', size: phone },
]

const demo = spawn(process.execPath, [join(root, 'scripts/demo.ts'), '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const browser = await launchBrowser()
try {
  const [line] = await once(createInterface({ input: demo.stdout }), 'line')
  const { url, link, workspace } = JSON.parse(line)
  const context = await browser.newContext({ ...contextOptions, colorScheme: 'light' })
  const page = await context.newPage()
  await page.goto(link)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((to) => to.pathname.startsWith('/w/'))
  await sleep(waitMs)
  for (const { file, path, size } of pictures) await take(page, file, { size, to: `${url}/w/${workspace}${path}` })
} finally {
  await browser.close()
  demo.kill('SIGINT')
}

async function take(page: Page, file: string, { size, to }: { size: typeof wide; to: string }): Promise<void> {
  await page.setViewportSize(size)
  await page.goto(to)
  await page.locator('h1').first().waitFor()
  await sleep(settleMs)
  const path = join(shown, file)
  await page.screenshot({ path })
  const bytes = statSync(path).size
  console.log(`${path}: ${bytes} bytes${bytes > maxBytes ? `; README.md takes at most ${maxBytes}` : ''}`)
}
