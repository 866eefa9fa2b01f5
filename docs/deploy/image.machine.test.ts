/**
 * Tests the image that docs/deploy/Dockerfile makes, with the commands of docs/install.md: what is in it, which rights
 * it needs, that every signal ends it, and that its data outlives it.
 */
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../testing/free-port.ts'
import {
  type Container,
  hardened,
  newContainer,
  newVolume,
  serviceImage,
  signalled,
  sizeOf,
  untilSaid,
} from '../../testing/machines/containers.ts'
import { nodeImage } from '../../testing/machines/images.ts'
import { canBoot } from '../../testing/machines/machine.ts'
import { podman, podmanOutput, runOptions } from '../../testing/machines/podman.ts'

const data = '/var/lib/svc/data'
const ready = 'svc is ready'
const moments = 20

describe.skipIf(!canBoot())('the image of the service', () => {
  let image: string
  beforeAll(async () => {
    image = await serviceImage('7.1.0')
  })
  const inVolume = (volume: string) => ['-v', `${volume}:${data}`]

  test('is small, and has no compiler, cache or sources', async () => {
    const added = (await sizeOf(image)) - (await sizeOf(nodeImage))
    process.stderr.write(`the image is ${(added / 1e6).toFixed(1)} MB larger than its base\n`)
    expect(added).toBeLessThan(15_000_000)
    const look = `for one in gcc cc make python3; do command -v $one; done
      find /opt/svc/lib/node_modules/svc-server -name '*.ts' -o -name node_modules
      find /opt/svc/lib/node_modules -mindepth 1 -maxdepth 1 ! -name svc-server ! -name .package-lock.json
      ls -A /tmp /var/lib/apt/lists /var/cache/apt/archives/*.deb /root/.npm 2>/dev/null | grep -v -e :$ -e ^$
      echo looked`
    const how = ['--rm', ...runOptions, '--user=root', '--entrypoint=sh']
    expect(await podmanOutput(['run', ...how, image, '-c', look])).toBe('looked')
  })

  /** Starts a container and waits until its service is ready. */
  async function started(options: readonly string[], of = image): Promise<Container> {
    const container = await newContainer(of, { options })
    await container.start()
    await untilSaid(container, ready)
    return container
  }

  test.each([
    ['its own user and a volume', undefined],
    ['another user, who owns the folder', 12_345],
  ])('needs no rights and no writable root: %s', async (_, uid) => {
    const port = await freePort()
    const [as, place] = uid === undefined ? [[], newVolume()] : [['--user', `${uid}:${uid}`], folderOf(uid)]
    const at = [`-p=127.0.0.1:${port}:8787`, `--env=SVC_BASE_URL=http://localhost:${port}`]
    const container = await started([...hardened, ...as, ...at, ...inVolume(place)])
    expect((await fetch(`http://localhost:${port}/`)).status).toBe(200)
    expect(await container.output(['svc-server', 'workspace', 'create', 'north'])).toContain('north')
    expect(await container.output(['cat', '/proc/1/comm'])).toBe('tini')
    expect((await podman(['healthcheck', 'run', container.name])).code).toBe(0)
    const said = await container.logs()
    expect(said).not.toMatch(/process 1|the data folder|"level":"error"/)
    expect(await container.stop()).toBe(0)
    await container.start()
    await untilSaid(container, ready, 2)
    expect(await container.output(['svc-server', 'workspace', 'list'])).toContain('north')
  })

  test('has a check of its health that can fail', async () => {
    const container = await started([...inVolume(newVolume()), '--env=SVC_METRICS_PORT=0'])
    expect((await podman(['healthcheck', 'run', container.name])).code).toBe(1)
  })

  test('says whose folder it is that its user cannot use', async () => {
    const container = await newContainer(image, { options: [...inVolume(folderOf(12_345)), ...hardened] })
    await container.start()
    expect(await container.ended()).toBe(1)
    expect(await container.logs()).toContain('it belongs to user id 12345, and this is user id 8787.')
  })

  test.each([
    ['a volume without a name', [], `the data folder ${data} is in a volume without a name`],
    ['no volume', ['--env=SVC_DATA_DIR=/var/lib/svc/other'], 'the data folder /var/lib/svc/other is part of this'],
    ['no address', inVolume('NEW'), 'only at http://localhost:8787, which no other machine or container reaches; set'],
  ])('warns of %s', async (_, options, warning) => {
    const container = await started(options.map((option) => option.replace('NEW', newVolume())))
    expect(await container.logs()).toContain(warning)
  })

  test('without its init it says so, and a signal still ends it', async () => {
    const container = await started([...inVolume(newVolume()), '--entrypoint=["svc-server","start"]'])
    expect(await container.logs()).toContain('the service is process 1 of its container')
    expect(await container.stop()).toBe(0)
  })

  test('at any moment of a start, SIGTERM and SIGINT end it, and what was stored is whole', async () => {
    const container = await started([...hardened, ...inVolume(newVolume())])
    await container.output(['svc-server', 'workspace', 'create', 'north'])
    await container.stop()
    const at = performance.now()
    await container.start()
    await untilSaid(container, ready, 2)
    // The container itself has started before the first signal, so this is a little more than the program takes.
    const startMs = performance.now() - at
    await container.stop()
    const took: number[] = []
    for (let moment = 0; moment < moments; moment++)
      for (const signal of ['SIGTERM', 'SIGINT'] as const) {
        await container.start()
        const pid = await container.pid()
        await sleep((moment * startMs) / moments)
        took.push(await signalled(pid, signal))
        expect([0, 143, 130], `${signal} at moment ${moment}`).toContain(await container.ended())
      }
    await container.start()
    const pid = await container.pid()
    took.push(await signalled(pid, 'SIGTERM', { times: 10 }))
    expect([0, 143]).toContain(await container.ended())
    const longest = Math.max(...took)
    process.stderr.write(
      `${took.length} signals within a start of ${startMs.toFixed(0)} ms: the longest end took ${longest.toFixed(0)} ms\n`,
    )
    // On a busy machine everything takes longer: a start takes about a second on an idle one.
    expect(longest).toBeLessThan(Math.max(2000, 2 * startMs))
    const before = (await container.logs()).split(ready).length - 1
    await container.start()
    await untilSaid(container, ready, before + 1)
    expect(await container.output(['svc-server', 'workspace', 'list'])).toContain('north')
  })

  test('a newer image takes over the data, and a backup of one container is the data of another', async () => {
    const volume = newVolume()
    const old = await started([...hardened, ...inVolume(volume)])
    await old.output(['svc-server', 'workspace', 'create', 'north'])
    await old.remove()
    const newer = await started([...hardened, ...inVolume(volume)], await serviceImage('7.2.0'))
    expect(await newer.output(['svc-server', '--version'])).toBe('7.2.0')
    expect(await newer.output(['svc-server', 'workspace', 'list'])).toContain('north')

    const folder = mkdtempSync(join(tmpdir(), 'svc-backup-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = `${data}/today.backup`
    await newer.output(['svc-server', 'backup', file])
    expect((await podman(['cp', `${newer.name}:${file}`, folder])).code).toBe(0)
    await newer.output(['rm', file])
    const next = newVolume()
    const restore = ['--user=root', ...inVolume(next), '-v', `${folder}:/backups:ro`, image]
    const { code, err } = await podman(['run', '--rm', ...runOptions, ...restore, 'restore', '/backups/today.backup'])
    expect([code, err.replaceAll(/^time=.*\n/gm, '')]).toEqual([0, expect.anything()])
    const restored = await started([...hardened, ...inVolume(next)])
    expect(await restored.output(['svc-server', 'workspace', 'list'])).toContain('north')
  })
})

/** A folder of this machine that belongs to a user and is removed after the test. */
function folderOf(uid: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-data-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  chownSync(folder, uid, uid)
  chmodSync(folder, 0o700)
  return folder
}
