/**
 * The power fails: the data folder lies on a file system of its own in an image; the image is copied while the service is stopped
 * in its tracks. What the service had only handed to the kernel is not in the copy; what it had synced is. A long form, where
 * this machine lets us mount.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort, Place, populate } from '../testing/service-process.ts'
import { openEmbedded } from './db/open.ts'

const rounds = 10
const mayMount = process.getuid?.() === 0 && existsSync('/dev/loop-control') && hasTools()

function hasTools(): boolean {
  return ['mkfs.ext4', 'mount', 'umount'].every((tool) => spawnSync('which', [tool]).status === 0)
}

interface Disk {
  image: string
  folder: string
}

/** Ext4 that writes by itself only every five minutes: until then all that is on the disk was synced. */
function mounted(home: string, name: string, from?: string): Disk {
  const [image, folder] = [join(home, `${name}.img`), join(home, name)]
  if (from) copyFileSync(from, image)
  else {
    writeFileSync(image, '')
    truncateSync(image, 256 * 1024 * 1024)
    execFileSync('mkfs.ext4', ['-q', image])
  }
  mkdirSync(folder)
  execFileSync('mount', ['-o', 'loop,commit=300', image, folder])
  return { image, folder }
}
/** The name may be there, written along with what others synced; what stands in the file is not. */
const survived = (file: string) => existsSync(file) && readFileSync(file, 'utf8') === unsynced
const unsynced = 'never synced'
const unmount = ({ folder }: Disk) => spawnSync('umount', ['-l', folder])

test.skipIf(!process.env.SVC_TEST_LONG || !mayMount)(
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
      const place = new Place(disk.folder, { page: await freePort(), ops: await freePort() })
      const service = await place.start()
      const { token } = await populate(place)
      const tokens = [token]
      for (const name of ['b', 'c', 'd'])
        tokens.push((await place.value<{ token: string }>(['agent', 'create', `north/${name}`])).token)
      writeFileSync(join(disk.folder, 'unsynced'), unsynced)

      const answered: string[] = []
      let cut = false
      const reporting = tokens.map(async (own, agent) => {
        for (let n = 0; !cut && n < 55; n++) {
          const runs = [1, 2, 3].map((i) => ({ id: `${agent}-${n}-${i}`, started: 1_790_000_000 + n }))
          const sent = fetch(`${place.url}/api/agent/v1/report`, {
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
      while (!cut) await new Promise((resolve) => setTimeout(resolve, 5))
      service.child.kill('SIGSTOP')
      const known = [...answered]
      const after = mounted(home, `after${round}`, disk.image)
      disks.push(after)
      service.child.kill('SIGKILL')
      await Promise.all([service.ended, ...reporting])

      if (!survived(join(after.folder, 'unsynced'))) lost++
      const store = openEmbedded(join(after.folder, 'data/svc.db'))
      const stored = new Set((await store.db.selectFrom('run').select('id').execute()).map(({ id }) => id))
      expect(known.filter((id) => !stored.has(id))).toEqual([])
      if (store.engine === 'sqlite')
        expect(store.sqlite.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
      await store.close()
      for (const one of disks.splice(0)) unmount(one)
    }
    // The cut is one: a file that nobody synced did not survive it.
    expect(lost).toBe(rounds)
  },
  900_000,
)
