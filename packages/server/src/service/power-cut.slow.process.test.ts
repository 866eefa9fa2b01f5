/**
 * Tests that reports which were answered survive a power cut under the data folder of the service. The test runs only
 * among the long tests, and only if this machine allows mounting. `npm test` leaves this out.
 * packages/server/src/platform/db/durable.store.test.ts proves the same rules.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../testing/eventually.ts'
import { freePort } from '../../../../testing/free-port.ts'
import { level } from '../../../../testing/level.ts'
import { type Disk, leaveUnsynced, mayMount, mounted, unmount, unsyncedSurvived } from '../../../../testing/power.ts'
import { populate, ServiceHome } from '../../testing/service-process.ts'
import { openEmbedded } from '../platform/db/open.ts'

const rounds = 10

test.skipIf(level !== 'long' || !mayMount)(
  'after a power cut everything that was answered is there, on a database that is sound',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'svc-power-'))
    const disks: Disk[] = []
    onTestFinished(() => {
      for (const disk of disks) unmount(disk)
      rmSync(home, { recursive: true, force: true })
    })
    let lost = 0
    for (let round = 0; round < rounds; round++) {
      const disk = mounted(home, `disk${round}`)
      disks.push(disk)
      const served = new ServiceHome(disk.folder, { page: await freePort(), ops: await freePort() })
      const service = await served.start()
      const { token } = await populate(served)
      const tokens = [token]
      for (const name of ['b', 'c', 'd'])
        tokens.push((await served.value<{ token: string }>(['agent', 'create', `north/${name}`])).token)
      leaveUnsynced(disk)

      const answered: string[] = []
      let cut = false
      const reporting = tokens.map(async (own, agent) => {
        for (let n = 0; !cut && n < 55; n++) {
          const runs = [1, 2, 3].map((i) => ({ id: `${agent}-${n}-${i}`, started: 1_790_000_000 + n }))
          const sent = fetch(`${served.url}/api/agent/v1/report`, {
            method: 'POST',
            headers: { authorization: `Bearer ${own}` },
            body: JSON.stringify({ protocol: 1, runs }),
            signal: AbortSignal.timeout(20_000),
          })
          const answer = await sent.then((res) => res.text().then(() => res.status)).catch(() => undefined)
          if (answer === 200) answered.push(...runs.map(({ id }) => id))
          if (answered.length > 30 + round * 40) cut = true
        }
      })
      await eventually('enough reports are answered', () => expect(cut).toBe(true), { seconds: 100, everyMs: 5 })
      service.child.kill('SIGSTOP')
      const known = [...answered]
      const after = mounted(home, `after${round}`, disk.image)
      disks.push(after)
      service.child.kill('SIGKILL')
      await Promise.all([service.ended, ...reporting])

      if (!unsyncedSurvived(after)) lost++
      const store = openEmbedded(join(after.folder, 'data/svc.db'))
      const stored = new Set((await store.db.selectFrom('run').select('id').execute()).map(({ id }) => id))
      expect(known.filter((id) => !stored.has(id))).toEqual([])
      if (store.engine === 'sqlite')
        expect(store.sqlite.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
      await store.close()
      for (const one of disks.splice(0)) unmount(one)
    }
    // The power cut was real: in every round, a file that nobody synced did not survive it.
    expect(lost).toBe(rounds)
  },
  900_000,
)
