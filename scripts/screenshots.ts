/**
 * `npm run screenshots` takes pictures of every page, wide and narrow, light and dark, from the real service with
 * reports of made-up agents. They go into .cache/screenshots. `npm run screenshots -- updates rollout` takes only these
 * pages. The pictures of README.md are made by pictures.ts.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openBrowserSetup } from '../packages/dashboard/testing/browser-setup.ts'
import { furnish } from './screenshots/furnish.ts'

const root = join(import.meta.dirname, '..')
const looked = join(root, '.cache/screenshots')
const pathOf = (file: string): string => join(looked, file)
const pages: [name: string, path: string][] = [
  ['fleet', '/w/north-wind'],
  ['agent', '/w/north-wind/agents/mail-triage'],
  ['agent-runs', '/w/north-wind/agents/mail-triage?tab=runs'],
  ['agent-commands', '/w/north-wind/agents/mail-triage?tab=commands'],
  ['agent-logs', '/w/north-wind/agents/mail-triage?tab=logs'],
  ['agent-settings', '/w/north-wind/agents/mail-triage?tab=settings'],
  ['blueprints', '/w/north-wind/blueprints'],
  ['blueprint', '/w/north-wind/blueprints/link-checker'],
  ['install', '/w/north-wind/install'],
  ['agent-updates', '/w/north-wind/agents/inbox-east?tab=updates'],
  ['updates', '/w/north-wind/updates'],
  ['update', '/w/north-wind/updates/new?blueprint=mail-triage&version=1.1.0'],
  ['alerts', '/w/north-wind/alerts'],
  ['alerts-history', '/w/north-wind/alerts?tab=history'],
  ['alerts-rules', '/w/north-wind/alerts?tab=rules'],
  ['alerts-channels', '/w/north-wind/alerts?tab=channels'],
  ['alerts-deliveries', '/w/north-wind/alerts?tab=deliveries'],
  ['agent-alerts', '/w/north-wind/agents/ticket-router'],
  ['bots', '/w/north-wind/bots'],
  ['members', '/w/north-wind/members'],
  ['settings', '/w/north-wind/settings'],
  ['activity', '/w/north-wind/activity'],
  ['account', '/account'],
]

const wanted = process.argv.slice(2)
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name)

mkdirSync(looked, { recursive: true })
const setup = await openBrowserSetup({ SVC_OUTBOUND_ALLOW: '127.0.0.0/8' })
try {
  const start = await setup.visitor({ width: 1280, height: 800 })
  await start.page.goto(setup.firstLink)
  await start.page.locator('h1').first().waitFor()
  if (isWanted('start')) await start.page.screenshot({ path: pathOf('start.png') })
  const ada = await setup.ada({ width: 1280, height: 800 })
  const { rollout, reportAgain } = await furnish(setup, ada)
  for (const [suffix, scheme, width, height] of [
    ['', 'light', 1280, 800],
    ['-dark', 'dark', 1280, 800],
    ['-narrow', 'light', 360, 780],
    ['-narrow-dark', 'dark', 360, 780],
  ] as const) {
    await reportAgain()
    await ada.page.emulateMedia({ colorScheme: scheme })
    await ada.page.setViewportSize({ width, height })
    for (const [name, path] of [...pages, ['rollout', `/w/north-wind/updates/${rollout}`]] as const) {
      if (!isWanted(name)) continue
      await ada.page.goto(setup.url + path)
      await ada.page.locator('h1').first().waitFor()
      await ada.page.waitForLoadState('load')
      await ada.page.waitForTimeout(700)
      await ada.page.screenshot({ path: pathOf(`${name}${suffix}.png`) })
    }
  }
  if (setup.faults.length > 0) throw new Error(`The pages had faults:\n${setup.faults.join('\n')}`)
} finally {
  await setup.close()
}
