/** The three files of `/cli/` (4): archive, checksum and signature of one build, always of the same bytes (D37). */
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '@svc/protocol'
import type { Logger } from 'pino'

export interface Build {
  bytes: Buffer
  /** Hex SHA-256 of the bytes. */
  sha256: string
  /** Undefined: the build was not signed. */
  signature: Buffer | undefined
}
export interface Releases {
  /** What is served now; undefined when there is no build. Reads the files again when they changed. */
  current(): Promise<Build | undefined>
}

/** How often it is looked whether the files changed, in milliseconds. */
const look = 1000

export function releasesIn(dir: string, log: Logger): Releases {
  let build: Build | undefined
  let seen: string | undefined
  let looked = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | undefined

  async function read(): Promise<void> {
    looked = performance.now()
    const before = await marksOf(dir)
    if (before === seen) return
    const next = before === undefined ? undefined : await readBuild(dir)
    // Changed while it was read: the next look reads it whole.
    if ((await marksOf(dir)) !== before) return
    build = next
    seen = before
    log.info(
      { sha256: build?.sha256, signed: build?.signature !== undefined },
      'The runtime build that is served changed.',
    )
  }

  return {
    async current() {
      if (performance.now() - looked > look) {
        looking ??= read()
          .catch((err: unknown) => log.error({ err }, 'The runtime build could not be read; the last one is served.'))
          .finally(() => {
            looking = undefined
          })
      }
      await looking
      return build
    },
  }
}

const archive = 'svc.pyz'

/** Sizes and times of the files as one text; undefined when there is no archive. */
async function marksOf(dir: string): Promise<string | undefined> {
  const [file, signature] = await Promise.all([markOf(join(dir, archive)), markOf(join(dir, `${archive}.sig`))])
  return file === undefined ? undefined : `${file} ${signature ?? 'unsigned'}`
}

async function markOf(file: string): Promise<string | undefined> {
  try {
    const { size, mtimeMs, ino } = await stat(file)
    return `${size} ${mtimeMs} ${ino}`
  } catch (e) {
    if (e instanceof Error && 'code' in e && (e.code === 'ENOENT' || e.code === 'ENOTDIR')) return undefined
    throw e
  }
}

async function readBuild(dir: string): Promise<Build> {
  const bytes = await readFile(join(dir, archive))
  if (bytes.length > limits.runtimeBytes) throw new Error(`${join(dir, archive)} is larger than 32 MB (D59).`)
  const signature = await readFile(join(dir, `${archive}.sig`)).catch(() => undefined)
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex'), signature }
}
