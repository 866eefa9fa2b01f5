/**
 * Tests `svc adopt` of this version beside the last version without AI sessions, for one user of a machine. It runs
 * only among the long tests, since it needs the history of the checkout. `npm test` leaves this out.
 * packages/runtime/src/host/agent/agent.test.ts proves the same rules.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterThisTest } from '../../../../../testing/cleaning.ts'
import { checkOut, commitOf } from '../../../../../testing/earlier-commits.ts'
import { eventually } from '../../../../../testing/eventually.ts'
import { account } from '../../../testing/adopting.ts'
import { answerOf, claudeHome, prompt } from '../../../testing/ai/home.ts'
import { token } from '../../../testing/folder.ts'
import { startService } from '../../../testing/service.ts'

/** The last commit whose `svc adopt` shows jobs, and does not know AI sessions. */
const before = commitOf('c47e867fd')

/** An account with a session that waits, a crontab, a service, and the svc of the commit before. */
async function somebody() {
  const service = await startService()
  const ada = account()
  const claude = claudeHome(ada.home)
  afterThisTest(() => service.close())
  afterThisTest(() => claude.remove())
  afterThisTest(() => ada.remove())
  claude.lines('one', [prompt, answerOf('a')])
  claude.note('one', claude.startProcess().pid, 'waiting')
  ada.crontab.write('0 3 * * * /opt/backup.sh\n')
  const old = { file: [join(checkOut(before ?? ''), 'packages/runtime/src/main.ts')] }
  const note = (name: string) => readFileSync(join(ada.host.state, name), 'utf8')
  const reported = () => service.reports.at(-1)?.text ?? ''
  return { service, ada, old, note, reported }
}

test.skipIf(before === undefined)('the note of the newer version is kept when the older one adopts again', async () => {
  const { service, ada, old, note, reported } = await somebody()
  const both = ['--yes', '--crontab', '--names', 'folder', '--url', service.origin]
  expect(await ada.adopt(both, { input: token })).toMatchObject({ code: 0 })
  await eventually('both are reported', () => expect(reported()).toMatch(/Job backup.*Session harbour/s))
  const [adopted, { first }] = [note('adopted.json'), JSON.parse(note('numbers.json'))]
  const refused = await ada.adopt(['--yes', '--no-start', '--only', 'ai'], old)
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('cannot show AI sessions yet') })
  const again = await ada.adopt(['--yes', '--no-start'], old)
  expect(again, again.err).toMatchObject({ code: 0 })
  expect(JSON.parse(note('adopted.json'))).toEqual(JSON.parse(adopted))
  expect(JSON.parse(note('numbers.json')).first).toBe(first)
  const count = service.reports.length
  await eventually('a report after that', () => expect(service.reports.length).toBeGreaterThan(count + 1))
  expect(reported()).toContain('Session harbour (claude 1)')
})

test.skipIf(before === undefined)('what the older version showed is all that is shown after an update', async () => {
  const { service, ada, old, note, reported } = await somebody()
  const first = await ada.adopt(['--yes', '--no-start', '--url', service.origin], { ...old, input: token })
  expect(first, first.err).toMatchObject({ code: 0 })
  const adopted = note('adopted.json')
  expect(JSON.parse(adopted)).toEqual({ jobs: true, ai: false, names: 'number', folders: [] })
  expect((await ada.adopt(['--yes'])).code).toBe(0)
  expect(note('adopted.json')).toBe(adopted)
  await eventually('reports of the newer version', () => expect(service.reports.length).toBeGreaterThan(2))
  expect(service.reports.map(({ text }) => text).join()).not.toMatch(/claude/i)
  expect((await ada.adopt(['--yes', '--only', 'ai'])).code).toBe(0)
  await eventually('sessions are reported', () => expect(reported()).toContain('Session claude 1'))
})
