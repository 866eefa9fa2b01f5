/**
 * The end of a declared log (3.6, D52, I28): a regular file with one name, inside the agent's folder and outside `.svc/`. What is
 * checked is the open descriptor, so that nothing can be put in its place between the check and the read.
 */
import { closeSync, constants, fstatSync, openSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { sep } from 'node:path'
import type { Manifest } from '@svc/blueprint'
import { clean, endOf, limits } from '@svc/protocol'
import { readEnv } from '../files/env.ts'
import type { Folder } from '../files/folder.ts'
import { readUpTo } from '../files/read.ts'
import { placeOf } from '../state/paths.ts'
import { mask } from './mask.ts'

/** 3.6: the answer to anything that is not such a log. */
export const noSuchLog = 'There is no such log.'

/** Read before the part that is sent, so that a secret which begins there is seen whole. */
const margin = 16 * 1024

/** The end of the log, masked; undefined when there is no such log. */
export function readLog(
  folder: Folder,
  manifest: Pick<Manifest, 'logs'> & Partial<Pick<Manifest, 'state'>>,
  name: string,
  max: number = limits.logTextBytes,
): string | undefined {
  const declared = manifest.logs.find((log) => log.name === name)
  if (!declared) return undefined
  const end = readEnd(folder, placeOf(folder, manifest, declared.path), max + margin)
  if (!end) return undefined
  const text = mask(clean(end.bytes.toString('utf8')), readEnv(folder.env), readEnv(folder.secrets))
  return endOf(end.whole ? text : fromNextWord(text), max)
}

/** The first word may be the rest of a secret that was cut. */
function fromNextWord(text: string): string {
  const space = text.search(/\s/)
  return text.slice(space >= 0 && space < margin ? space + 1 : margin)
}

function readEnd(folder: Folder, file: string, max: number): { bytes: Buffer; whole: boolean } | undefined {
  let fd: number
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
  try {
    const stat = fstatSync(fd)
    if (!stat.isFile() || stat.nlink !== 1 || !isInside(folder, realPathOf(fd, file))) return undefined
    const from = Math.max(0, stat.size - max)
    return { bytes: readUpTo(fd, max, from), whole: from === 0 }
  } catch {
    return undefined
  } finally {
    closeSync(fd)
  }
}

function isInside(folder: Folder, path: string): boolean {
  const root = realpathSync(folder.root)
  return (
    path.startsWith(root + sep) &&
    path
      .slice(root.length + 1)
      .split(sep)[0]
      ?.toLowerCase() !== '.svc'
  )
}

/** Where the open file really lies. */
function realPathOf(fd: number, file: string): string {
  if (process.platform === 'linux') return readlinkSync(`/proc/self/fd/${fd}`)
  const path = realpathSync(file)
  const named = statSync(path)
  const open = fstatSync(fd)
  if (named.dev !== open.dev || named.ino !== open.ino) throw new Error(`${file} was replaced while it was read.`)
  return path
}
