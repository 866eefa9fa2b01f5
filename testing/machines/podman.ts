/**
 * Runs Podman and Buildah as root, in a way that works on machines without systemd, with both versions of control
 * groups, and without the right to raise limits.
 */
import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'

export interface Ran {
  /** The exit code; -1 if the program was killed, or could not be started. */
  readonly code: number
  readonly out: string
  readonly err: string
}
export interface Running {
  readonly input?: string | undefined
  /** The seconds after which the program is killed. */
  readonly seconds?: number | undefined
}

/** `crun` refuses machines that have control groups of both versions, and `runc` takes all of them. */
const engine = ['--cgroup-manager', 'cgroupfs', '--runtime', 'runc']
/** Podman accepts only one of the two forms, depending on how its database was made. */
const drivers = [['--storage-driver', 'overlay'], []]
let driver: Promise<readonly string[]> | undefined

const driverThatWorks = async (): Promise<readonly string[]> => {
  for (const words of drivers) if ((await run('podman', [...words, ...engine, 'ps', '-q'])).code === 0) return words
  return drivers[0] ?? []
}

/** The options that come before each command of Podman. */
export async function engineOptions(): Promise<readonly string[]> {
  driver ??= driverThatWorks()
  return [...(await driver), ...engine]
}

/** Runs a command of Podman to its end, whatever its exit code is. */
export const podman = async (args: readonly string[], running: Running = {}): Promise<Ran> =>
  await run('podman', [...(await engineOptions()), ...args], running)

/** Runs a command of Podman that must succeed, and returns its output without the last line break. */
export async function podmanOutput(args: readonly string[], running: Running = {}): Promise<string> {
  const { code, out, err } = await podman(args, running)
  if (code !== 0) throw new Error(`podman ${args.join(' ')} ended with ${code}: ${err}${out}`)
  return out.replace(/\n$/, '')
}

/** The options of each `podman run`. Without these limits, Podman tries to raise limits, which may be forbidden. */
export const runOptions = ['--pull=never', '--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=5000:5000']

/**
 * Builds an image from a container file. `folder` holds the files that it copies. The format is that of Docker, since
 * the other one has no health checks.
 */
export async function buildImage(image: string, file: string, folder: string): Promise<void> {
  const how = ['--pull-never', '--isolation', 'chroot', '--network', 'host', '--format', 'docker']
  const { code, out, err } = await run('buildah', ['build', ...how, '-f', file, '-t', image, folder], { seconds: 1800 })
  if (code !== 0) throw new Error(`The image ${image} could not be built: ${(out + err).slice(-3000)}`)
}

export const hasImage = async (image: string): Promise<boolean> => (await podman(['image', 'exists', image])).code === 0

/** Runs a program to its end. */
export const run = (program: string, args: readonly string[], { input, seconds = 120 }: Running = {}): Promise<Ran> =>
  new Promise((resolve) => {
    const child = execFile(
      program,
      args,
      // Podman leaves a file in its working folder when a container runs out of memory.
      { timeout: seconds * 1000, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 * 1024, cwd: tmpdir() },
      (error, out, err) => {
        const code = error ? (typeof error.code === 'number' ? error.code : -1) : 0
        resolve({ code, out, err: error && typeof error.code !== 'number' ? `${err}${error.message}` : err })
      },
    )
    child.stdin?.on('error', () => {}) // The program may end without reading its input.
    child.stdin?.end(input ?? '')
  })
