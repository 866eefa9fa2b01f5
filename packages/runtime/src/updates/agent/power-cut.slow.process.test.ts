/**
 * Simulates a power failure in each state of an update and its rollback, and right after an installation. Afterwards
 * the journal, `current`, the versions and the environment files must be as D57 demands, and the next start must come
 * to rest where docs/decisions/kills.md says. This is a long form, for machines on which the test may mount file
 * systems. `npm test` leaves this out. packages/runtime/src/updates/agent/table.test.ts proves the same rules.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { level } from '../../../../../testing/level.ts'
import { type Disk, leaveUnsynced, mayMount, mounted, unmount, unsyncedSurvived } from '../../../../../testing/power.ts'
import { bundle, code, handsOut } from '../../../testing/blueprint.ts'
import { becomes, starts, svc, token } from '../../../testing/folder.ts'
import { agentIn, password } from '../../../testing/installed.ts'
import { json, startService } from '../../../testing/service.ts'
import { expectWhole, learnFiles, offerBundles, restOf, serves, versionOf } from '../../../testing/updates.ts'
import { writeDurably } from '../../machine/files/durable.ts'
import { folderAt } from '../../machine/files/folder.ts'
import { groupLives, signalGroup } from '../../machine/process/group.ts'
import { readInstall } from '../../state/install-note.ts'
import { currentVersionFolder, versionFolderName } from '../../state/versions/folders.ts'
import { askForUpdate } from './ask.ts'
import { readUpdate } from './journal.ts'

const scale = 0.02
/**
 * The moments of the power failure, in the order of an update: right after the installation (`installed`), in a state
 * of the journal, or after a rollback (`back`).
 */
const moments = ['installed', 'fetching', 'staging', 'swapping', 'proving', 'watching', 'undoing', 'back'] as const
type Moment = (typeof moments)[number]

test.skipIf(level !== 'long' || !mayMount)(
  'after a power failure the journal, current and the environment are whole, and the next start continues from there',
  { timeout: 900_000 },
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'svc-power-'))
    const disks: Disk[] = []
    onTestFinished(() => {
      for (const disk of disks) unmount(disk)
      rmSync(home, { recursive: true, force: true })
    })
    const old = await learnFiles(await bundle())
    const next = await learnFiles(await versionOf('1.5.0', { 'a/extra.txt': 'new\n' }))
    const struck: string[] = []
    let lost = 0
    for (const moment of [...moments, ...moments.slice(1)]) {
      const disk = mounted(home, `disk${struck.length}`)
      disks.push(disk)
      const service = await startService()
      service.other = json({ id: 'ws-1' })
      const offered = offerBundles(service, {
        '1.5.0': (response, came, socket) => (moment === 'fetching' ? undefined : serves(next)(response, came, socket)),
      })
      handsOut(service, old, service.origin)
      const init = ['init', '--url', service.origin, '--code', code]
      expect(await svc(folderAt(disk.folder), init, { env: { MAIL_PASSWORD: password } })).toMatchObject({ code: 0 })
      const agent = agentIn(join(disk.folder, 'mail-triage'))
      if (moment !== 'installed') writeDurably(join(agent.state, 'precious'), 'theirs\n')
      leaveUnsynced(disk)

      const running = moment === 'installed' ? undefined : starts(agent, ['run'], { scale })
      if (running) {
        await becomes('the agent', () => agent.starts().length > 0)
        offered.wish('1.5.0')
        await reached(moment)
        running.child.kill('SIGSTOP')
      }
      const known = readUpdate(agent)
      const after = mounted(home, `after${struck.length}`, disk.image)
      disks.push(after)
      await running?.end('SIGKILL')
      for (const { pid } of agent.starts()) if (groupLives(pid)) signalGroup(pid, 'SIGKILL')
      offered.wish(undefined)
      if (!unsyncedSurvived(after)) lost++

      const there = agentIn(join(after.folder, 'mail-triage'))
      const found = readUpdate(there)
      const where = `${moment}, at ${known?.state}, found ${found?.state}`
      struck.push(where)
      expect(readInstall(there)?.is, where).toBe('installed')
      expect(readFileSync(there.env, 'utf8'), where).toContain(token)
      expect(readFileSync(there.secrets, 'utf8'), where).toContain(password)
      expect(expectWhole(there, [old, next]), where).toMatch(/1\.[45]\.0/)
      if (known?.state === 'proving' || known?.state === 'watching')
        expect(currentVersionFolder(there), `${where}: current was synced before that was noted`).toBe(
          versionFolderName(next.sha256),
        )
      if (moment === 'back')
        expect(found, where).toMatchObject({ running: { version: '1.4.0' }, hold: { version: '1.5.0' } })
      const wanted = restOf(there, next)

      const again = starts(there, ['run'], { scale })
      await becomes(`${where}: rest`, () => {
        const state = readUpdate(there)?.state ?? 'idle'
        const said = service.reports.at(-1)?.report.applied
        const runs = there
          .starts()
          .at(-1)
          ?.cwd.endsWith(currentVersionFolder(there) ?? '?')
        return (state === 'idle' || state === 'watching') && runs && said?.version === wanted.version
      }).catch((error: unknown) => {
        throw new Error(`${error}\n${JSON.stringify([found, readUpdate(there)])}\n${again.lines.join('\n')}`)
      })
      await again.end()
      expect(expectWhole(there, [old, next]), where).toBe(wanted.version)
      expect(readUpdate(there)?.applied?.outcome ?? 'ok', where).toBe(wanted.outcome)
      expect(readFileSync(join(there.state, 'seed.json'), 'utf8'), where).toBe('{"seed":true}\n')
      if (running) expect(readFileSync(join(there.state, 'precious'), 'utf8'), where).toBe('theirs\n')
      for (const { pid } of there.starts()) if (groupLives(pid)) signalGroup(pid, 'SIGKILL')
      await service.close()
      for (const one of disks.splice(0)) unmount(one)

      /** Resolves soon after the state was reached, as fast as polling allows, since some states last only a moment. */
      async function reached(what: Moment): Promise<void> {
        const at = () => readUpdate(agent)?.state ?? 'idle'
        if (what === 'undoing' || what === 'back') {
          await becomes('kept', () => at() === 'watching')
          askForUpdate(agent, { id: 'a', what: 'rollback', running: '1.5.0', by: 'here', at: Date.now() })
        }
        const is = (state: string) => (what === 'back' ? state === 'idle' : state === what)
        const past = (state: string) =>
          what === 'undoing' ? state === 'idle' : moments.indexOf(state as Moment) > moments.indexOf(what)
        for (const end = performance.now() + 30_000; performance.now() < end; ) {
          const state = at()
          if (is(state) || past(state)) return
          await new Promise((resolve) => setImmediate(resolve))
        }
        throw new Error(`It never came to ${what}.\n${running?.lines.join('\n')}`)
      }
    }
    process.stderr.write(`power cuts: ${struck.join('; ')}\n`)
    // The power failure was real: the files that nobody had synced were lost.
    expect(lost).toBe(struck.length)
  },
)
