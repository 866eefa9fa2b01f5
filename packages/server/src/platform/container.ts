/** Finds out if the data folder of a service in a container would be lost with that container. */
import { existsSync, readFileSync, realpathSync } from 'node:fs'

/** The files by which Podman and Docker mark the inside of a container. */
const containerFiles = ['/run/.containerenv', '/.dockerenv']

/**
 * Returns a remark for the log if the data folder would be deleted with the container of this process. The folder must
 * exist.
 */
export function containerLossRemark(dataDir: string): string | undefined {
  try {
    const folder = realpathSync(dataDir)
    return containerRemark(folder, {
      mounts: readFileSync('/proc/self/mountinfo', 'utf8'),
      isMarked: containerFiles.some(existsSync),
    })
  } catch {
    return undefined // not Linux, or a /proc that is hidden
  }
}

/**
 * The remark for a folder, by its real path. `mounts` is the text of /proc/self/mountinfo. `isMarked` is true if one of
 * the `containerFiles` exists: some engines make none, but then the root is an overlay file system.
 */
export function containerRemark(
  folder: string,
  { mounts, isMarked }: { mounts: string; isMarked: boolean },
): string | undefined {
  const mount = mountOf(folder, mounts)
  if (mount?.point === '/' && (mount.type.includes('overlay') || (isMarked && !isWholeDisk(mount))))
    return `the data folder ${folder} is part of this container and is lost with it; mount a volume there, such as -v svc:${folder}`
  if (mount && namelessVolume.test(mount.root))
    return `the data folder ${folder} is in a volume without a name, which the next container does not get; give it a name, such as -v svc:${folder}`
  return undefined
}

/**
 * True if the root is a whole disk, so that this is a machine and not a container. A machine that was made from the
 * image of a container may still have the file that marks a container.
 */
const isWholeDisk = ({ root, source }: Mount): boolean => root === '/' && source.startsWith('/dev/')

/** The folder of a volume that the engine has made by itself: its name is a random number. */
const namelessVolume = /\/volumes\/[0-9a-f]{64}\/_data$/

interface Mount {
  /** The folder of the mounted file system that is visible here. */
  root: string
  point: string
  type: string
  /** The device of the file system, if it has one. */
  source: string
}

/**
 * The mount that holds a folder: the one with the longest path. Of several with the same path, it is the last one,
 * which covers the others.
 */
function mountOf(folder: string, mounts: string): Mount | undefined {
  let found: Mount | undefined
  for (const line of mounts.split('\n')) {
    const [own = '', others = ''] = line.split(' - ')
    const [, , , root = '', point = ''] = own.split(' ').map(unescaped)
    const isAbove = point === '/' || point === folder || (point !== '' && folder.startsWith(`${point}/`))
    const [type = '', source = ''] = others.split(' ')
    if (isAbove && point.length >= (found?.point.length ?? 0)) found = { root, point, type, source }
  }
  return found
}

/** Decodes a path, in which the kernel writes spaces and other special characters as octal numbers, such as \040. */
const unescaped = (text: string) =>
  text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
