/**
 * Tests an agent in a container of its own, with the commands of docs/runtime.md: installed once into its volume, then
 * run by `svc run` with an init and without one.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { type Container, hardened, newContainer, newVolume, untilSaid } from './containers.ts'
import { nodeImage } from './images.ts'
import { canBoot } from './machine.ts'
import { podmanOutput, runOptions } from './podman.ts'
import { type MachineService, machineService } from './service.ts'

const folder = '/agents/mail'
/** The runtime's own copy of itself, in the volume. */
const svc = ['node', `${folder}/.svc/runtime/start.cjs`]

describe.skipIf(!canBoot())('an agent in a container', () => {
  let service: MachineService
  beforeAll(async () => {
    service = await machineService()
  })

  /** Installs an agent into a new volume, and makes the container that runs it. */
  async function installed(agent: string, options: readonly string[]): Promise<Container> {
    const place = ['--network=host', '-v', `${newVolume()}:${folder}`]
    const program = ['-v', `${service.home.env.SVC_RELEASE_DIR}/svc.pyz:/usr/local/bin/svc:ro`]
    const init = ['svc', 'init', '--url', service.url, '--yes', '--dir', folder]
    await podmanOutput(['run', '--rm', '-i', ...runOptions, ...place, ...program, nodeImage, ...init], {
      input: `${await service.code(agent)}\n`,
    })
    return await newContainer(nodeImage, {
      options: [...place, ...options, '--env=SVC_TIME_SCALE=0.2'],
      args: [...svc, 'run', '--dir', folder],
    })
  }

  const shown = (agent: string, what: string, holds: (label: string | undefined, stopped: unknown) => void) =>
    eventually(
      what,
      async () => {
        const { report, stopped } = await service.show(agent)
        holds(report?.state?.label, stopped)
      },
      { seconds: 60, everyMs: 300 },
    )

  /** The commands of all processes in the container whose state is `Z`. */
  const zombies = async ({ output }: Container) => {
    const out = await output(['sh', '-c', 'cat /proc/[0-9]*/stat | sed -n "s/^[0-9]* (\\(.*\\)) Z .*/\\1/p"'])
    return out.split('\n').filter(Boolean)
  }
  /** The commands of all processes in the container. One that ends meanwhile is left out. */
  const commands = async ({ output }: Container) =>
    (await output(['sh', '-c', 'cat /proc/[0-9]*/comm 2>/dev/null; true'])).split('\n')
  /** Starts processes below one that ends at once, as programs do that put themselves into the background. */
  const orphan = (container: Container) => container.exec(['sh', '-c', '(sleep 0.2 &) ; (sleep 0.3 &)'])

  test('with an init and a root that cannot be written it pauses, resumes, stops in its grace, and leaves no zombies', async () => {
    const container = await installed('mail', [...hardened, '--init'])
    await container.start()
    await shown('mail', 'it works', (label) => expect(label).toBe('Working'))
    expect(await container.logs()).not.toContain('This is process 1')
    await container.output([...svc, 'pause', '--dir', folder])
    const paused = await commands(container)
    expect(paused).toContain('sh')
    expect(paused).not.toContain('sleep')
    await container.output([...svc, 'resume', '--dir', folder])
    await eventually('it runs again', async () => expect(await commands(container)).toContain('sleep'))
    for (let i = 0; i < 5; i++) await orphan(container)
    await sleep(1000)
    expect(await zombies(container)).toEqual([])
    expect(await container.stop(15)).toBe(0)
    await shown('mail', 'it was stopped on purpose', (_, stopped) => expect(stopped).toBe('signal'))
    // The code is used once: the next start of the container runs what the volume holds.
    await container.start()
    await shown('mail', 'it works again', (_, stopped) => expect(stopped).toBeNull())
  })

  test('as process 1 it says what is missing, works, and leaves zombies', async () => {
    const container = await installed('alone', hardened)
    await container.start()
    await untilSaid(container, 'This is process 1 of its container')
    await shown('alone', 'it works', (label) => expect(label).toBe('Working'))
    for (let i = 0; i < 5; i++) await orphan(container)
    await sleep(1000)
    expect(await zombies(container)).not.toEqual([])
    expect(await container.stop()).toBe(0)
    await shown('alone', 'it was stopped on purpose', (_, stopped) => expect(stopped).toBe('signal'))
  })
})
