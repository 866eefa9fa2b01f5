/**
 * Builds the image of the service from its package alone, and runs containers of this and other images for tests.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterThisTest, atFileEnd } from '../cleaning.ts'
import { eventually } from '../eventually.ts'
import { containerName } from './leftovers.ts'
import { buildImage, podman, podmanOutput, type Ran, runOptions } from './podman.ts'
import { makeRelease } from './releases.ts'

/** The options of docs/install.md that leave a container no rights, and nothing to write but its volume. */
export const hardened = [
  ...['--read-only', '--read-only-tmpfs=false', '--cap-drop', 'all'],
  ...['--security-opt', 'no-new-privileges'],
]

/** Builds the package of the service with this version, and a new image of it that uses nothing of an earlier run. */
export async function serviceImage(version: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-image-'))
  const image = `localhost/${containerName('service')}:${version}`
  try {
    makeRelease({ version, out: folder, keys: join(folder, 'keys'), service: true })
    // The image is built with the Dockerfile in the package, as docs/install.md describes it for a machine without a
    // checkout.
    const unpack = ['-xzf', `svc-server-${version}.tgz`, '--strip-components=1', 'package/deploy']
    execFileSync('tar', unpack, { cwd: folder })
    await buildImage(image, join(folder, 'deploy/Dockerfile'), folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  atFileEnd.push(() => podman(['rmi', '-f', image]))
  return image
}

/** A name for a volume that is removed at the end of the test file, after its containers. */
export function newVolume(): string {
  const name = containerName('volume')
  atFileEnd.push(() => podman(['volume', 'rm', '-f', name]))
  return name
}

export interface Container {
  readonly name: string
  /** Runs a program inside to its end. */
  exec(args: readonly string[], options?: readonly string[]): Promise<Ran>
  /** Runs a program inside that must succeed, and returns its output without the last line break. */
  output(args: readonly string[]): Promise<string>
  /** Everything that it has written to its output so far, over all of its starts. */
  logs(): Promise<string>
  start(): Promise<void>
  /** The exit code after a stop that may take this many seconds. */
  stop(seconds?: number): Promise<number>
  /** The id that process 1 of the container has on this machine. */
  pid(): Promise<number>
  /** Waits for its end, and returns its exit code. */
  ended(): Promise<number>
  remove(): Promise<void>
}

/** Makes a container without starting it, which is removed after the test. */
export async function newContainer(
  image: string,
  { options = [], args = [] }: { options?: readonly string[]; args?: readonly string[] } = {},
): Promise<Container> {
  const name = containerName('container')
  await podmanOutput(['create', '--name', name, ...runOptions, ...options, image, ...args])
  const remove = async () => {
    await podman(['rm', '-f', '-t', '0', '-v', name])
  }
  afterThisTest(remove)
  return {
    name,
    exec: (its, how = []) => podman(['exec', ...how, name, ...its]),
    output: (its) => podmanOutput(['exec', name, ...its]),
    logs: async () => {
      const { out, err } = await podman(['logs', name])
      return out + err
    },
    start: async () => {
      await podmanOutput(['start', name])
    },
    stop: async (seconds = 20) => {
      await podmanOutput(['stop', '-t', String(seconds), name])
      return Number(await podmanOutput(['inspect', '--format', '{{.State.ExitCode}}', name]))
    },
    pid: async () => Number(await podmanOutput(['inspect', '--format', '{{.State.Pid}}', name])),
    ended: async () => Number(await podmanOutput(['wait', name])),
    remove,
  }
}

/** Waits until the output of a container contains this text at least `times` times. */
export const untilSaid = (container: Container, text: string, times = 1): Promise<void> =>
  eventually(
    `the container says "${text}"`,
    async () => {
      const said = await container.logs()
      if (said.split(text).length - 1 < times) throw new Error(said.slice(-2000))
    },
    { seconds: 60, everyMs: 200 },
  )

/** Sends a signal to process 1 of a container, and returns the milliseconds until that is gone. */
export async function signalled(pid: number, signal: NodeJS.Signals, { times = 1 } = {}): Promise<number> {
  const at = performance.now()
  for (let i = 0; i < times && existsSync(`/proc/${pid}`); i++) process.kill(pid, signal)
  await eventually('process 1 is gone', () => {
    if (existsSync(`/proc/${pid}`)) throw new Error('it is not')
  })
  return performance.now() - at
}

/** The size of an image in bytes. */
export const sizeOf = async (image: string): Promise<number> =>
  Number(await podmanOutput(['image', 'inspect', '--format', '{{.Size}}', image]))
