/** The images from which test containers and test machines are made. An image that exists already is used again. */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildImage, hasImage, podman, run } from './podman.ts'

/** The official image of Node, from a registry or made here. docs/deploy/Dockerfile is built on it. */
export const nodeImage = 'docker.io/library/node:24-bookworm-slim'

/** Gets the image of Node from its registry or, where that cannot be reached, makes a stand-in for it. */
export async function needNodeImage(): Promise<string> {
  if (await hasImage(nodeImage)) return nodeImage
  process.stderr.write(`machines: getting ${nodeImage} …\n`)
  if ((await podman(['pull', '-q', nodeImage], { seconds: 300 })).code === 0) return nodeImage
  process.stderr.write('machines: no registry answers, so the image is made from packages of Debian (some minutes) …\n')
  const script = join(import.meta.dirname, 'base-image.sh')
  const { code, err } = await run('bash', [script, nodeImage, process.execPath], { seconds: 1800 })
  if (code !== 0) throw new Error(`${nodeImage} could not be made: ${err.slice(-3000)}`)
  return nodeImage
}

/**
 * A Debian that boots: systemd with logins and user managers, and the programs that tests run on it. Units that would
 * change the machine which runs the tests are masked, since a test machine has all rights.
 */
const machineText = `FROM ${nodeImage}
RUN apt-get update && apt-get install -y --no-install-recommends \\
      systemd systemd-sysv dbus dbus-user-session libpam-systemd python3 procps openssh-client curl ca-certificates \\
    && rm -rf /var/lib/apt/lists/* \\
    && systemctl mask systemd-sysctl systemd-modules-load systemd-udevd systemd-udev-trigger systemd-binfmt \\
      systemd-hwdb-update systemd-random-seed systemd-timesyncd getty.target console-getty
`

/** The image of test machines. `extra` are further lines of the container file, such as one that installs a cron. */
export async function machineImage(extra = ''): Promise<string> {
  const base = await imageOf(machineText)
  return extra === '' ? base : await imageOf(`FROM ${base}\n${extra}\n`)
}

const making = new Map<string, Promise<string>>()

/** The image of a container file, which is built once for each text. */
export function imageOf(text: string): Promise<string> {
  const image = `localhost/svc-test-machine:${createHash('sha256').update(text).digest('hex').slice(0, 12)}`
  const known = making.get(image) ?? makeImage(image, text)
  making.set(image, known)
  return known
}

async function makeImage(image: string, text: string): Promise<string> {
  if (await hasImage(image)) return image
  process.stderr.write(`machines: building ${image} …\n`)
  const folder = mkdtempSync(join(tmpdir(), 'svc-image-'))
  try {
    const file = join(folder, 'Dockerfile')
    writeFileSync(file, text)
    await buildImage(image, file, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return image
}
