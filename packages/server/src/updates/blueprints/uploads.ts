/**
 * Bundles that are being uploaded. Each bundle is written to a file of the data folder while it arrives, so that a slow
 * or broken upload holds no memory. An upload that stalls or takes too long is given up and its file removed. If a
 * person has too many uploads, the next one is refused; if all people together have too many, the one that has been
 * arriving longest is given up. The next start of the service removes files that killed processes left.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { limits, limitText } from '@svc/protocol'
import { Refusal } from '../../platform/refusal.ts'

export interface UploadLimits {
  /** The maximum number of unfinished uploads of one person. */
  perPerson: number
  /** The maximum number of unfinished uploads of all people; each takes at most 20 MB of the disk. */
  inAll: number
  /** The maximum time of an upload without a byte, in milliseconds. */
  idle: number
  /** The maximum time from the start of an upload to its last byte, in milliseconds. */
  time: number
}

const defaultUploadLimits: UploadLimits = { perPerson: 3, inAll: 32, idle: 30_000, time: 300_000 }
/**
 * The maximum number of bytes beyond a bundle's size limit that are read and discarded. Without this, the client would
 * see a reset connection instead of the refusal.
 */
const maxDrainedBytes = 8 * 1024 * 1024

/** A bundle that has arrived completely, in the open file `fd`. */
export interface ArrivedBundle {
  readonly fd: number
  readonly size: number
}

interface Upload {
  readonly person: string
  readonly givenUp: AbortController
  arriving: boolean
}

const busyText = 'Too many bundles are being uploaded at once: try again in a moment.'

export class Uploads {
  readonly #folder: string
  readonly #limits: UploadLimits
  readonly #under = new Set<Upload>()

  /**
   * Creates the folder for bundles that are being uploaded, and removes files in it that no process writes any longer.
   * Never throws.
   */
  constructor(dataDir: string, limits: UploadLimits = defaultUploadLimits) {
    this.#folder = join(dataDir, 'uploads')
    this.#limits = limits
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      for (const name of readdirSync(this.#folder)) if (isAbandoned(name)) rmSync(join(this.#folder, name))
    } catch {
      // The service must start even on a full or broken disk. Each upload is then refused when it arrives.
    }
  }

  /**
   * Receives a body into a file, calls `use` with it, and removes the file. Throws a Refusal with the reason if the
   * upload is refused or given up.
   */
  async receive<T>(
    person: string,
    body: ReadableStream<Uint8Array> | null,
    use: (bundle: ArrivedBundle) => Promise<T>,
  ) {
    const upload = this.#begin(person)
    const path = join(this.#folder, `${process.pid}-${randomUUID()}.zip`)
    let file: FileHandle | undefined
    try {
      await written(mkdir(this.#folder, { recursive: true, mode: 0o700 }))
      file = await written(open(path, 'wx+', 0o600))
      const size = await this.#arrive(upload, body, file)
      upload.arriving = false
      return await use({ fd: file.fd, size })
    } finally {
      this.#under.delete(upload)
      // Errors are ignored here, because the outcome is already known, and the next start removes a file that remains.
      await file?.close().catch(() => {})
      await rm(path, { force: true }).catch(() => {})
    }
  }

  #begin(person: string): Upload {
    const own = [...this.#under].filter((upload) => upload.person === person)
    if (own.length >= this.#limits.perPerson) {
      throw new Refusal('uploads_too_many', `You have ${own.length} uploads in progress: wait until one has ended.`, 10)
    }
    if (this.#under.size >= this.#limits.inAll) this.#giveUpOldest()
    const upload: Upload = { person, givenUp: new AbortController(), arriving: true }
    this.#under.add(upload)
    return upload
  }

  /**
   * Gives up the oldest upload that is still arriving. This is rarely a normal upload, because those end within
   * seconds. Throws if none is arriving.
   */
  #giveUpOldest(): void {
    const [oldest] = [...this.#under].filter(({ arriving }) => arriving)
    if (!oldest) throw new Refusal('unavailable', busyText, 10)
    this.#under.delete(oldest)
    oldest.givenUp.abort(new Refusal('unavailable', busyText, 10))
  }

  async #arrive({ givenUp }: Upload, body: ReadableStream<Uint8Array> | null, file: FileHandle): Promise<number> {
    const slow = (what: string) => () => givenUp.abort(new Refusal('upload_too_slow', `The bundle ${what}.`))
    const idle = setTimeout(slow('stopped arriving'), this.#limits.idle)
    const whole = setTimeout(slow('took too long to arrive'), this.#limits.time)
    let size = 0
    try {
      for await (const piece of uploadPieces(body, givenUp.signal)) {
        idle.refresh()
        size += piece.length
        if (size <= limits.bundleBytes) await written(file.appendFile(piece))
        else if (size > limits.bundleBytes + maxDrainedBytes) break
      }
    } finally {
      clearTimeout(idle)
      clearTimeout(whole)
    }
    if (size <= limits.bundleBytes) return size
    throw bundleTooLarge()
  }
}

/**
 * Yields the pieces of an uploaded body until it ends, and throws when the upload is given up. It keeps no reference to
 * a piece that was yielded.
 */
export async function* uploadPieces(
  body: ReadableStream<Uint8Array> | null,
  givenUp: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  if (!reader) return
  // Each read gets a new promise. With a Promise.race between each piece and one long-lived promise, all pieces would
  // stay in memory as long as that promise exists.
  let reject: (reason: unknown) => void = () => {}
  givenUp.addEventListener('abort', () => reject(givenUp.reason), { once: true })
  const read = () =>
    new Promise<Awaited<ReturnType<typeof reader.read>>>((resolve, rejected) => {
      reject = rejected
      reader.read().then(resolve, rejected)
    })
  try {
    for (;;) {
      givenUp.throwIfAborted()
      const { done, value } = await read()
      if (done) return
      yield value
    }
  } catch (error) {
    if (error instanceof Refusal) throw error
    // The client has closed the connection, which is not a fault of the service.
    throw new Refusal('body_invalid', 'The upload of the bundle was cut off.')
  } finally {
    reader.releaseLock()
  }
}

/** Waits for a write to the disk. Reports a full or broken disk as a temporary fault of the service (I10). */
async function written<T>(done: Promise<T>): Promise<T> {
  try {
    return await done
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? ` (${error.code})` : ''
    throw new Refusal('unavailable', `The bundle cannot be written to the data folder of the service${why}.`, 60)
  }
}

/**
 * True if no process writes this file any longer. The file's name starts with the id of the process that created it;
 * nodes on one machine may share the folder. A file with the id of this process is from an earlier process that had the
 * same id.
 */
function isAbandoned(name: string): boolean {
  const pid = Number(/^(\d+)-/.exec(name)?.[1])
  if (!(pid > 0)) return false
  if (pid === process.pid) return true
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}

export const bundleTooLarge = (): Refusal =>
  new Refusal('body_too_large', `A bundle may have at most ${limitText(limits.bundleBytes)}.`)
