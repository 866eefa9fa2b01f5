/**
 * Steps `fetching` and `checking` of an attempt: fetches the file and its signature, and checks that they are the
 * expected ones (3.5, 2).
 */
import { join } from 'node:path'
import { limits, type ServedRuntime } from '@svc/protocol'
import { duration, wait } from '../../machine/base/time.ts'
import { type Downloaded, download } from './download.ts'
import { insideOf } from './release.ts'
import { signatureBytes } from './verify.ts'

export interface Fetched {
  readonly sha256: string
  readonly named?: string
}
export type StepResult<T = unknown> =
  | { readonly is: 'done'; readonly value: T }
  | { readonly is: 'unreachable' | 'differs' | 'refused' | 'unable' | 'falls' | 'dropped'; readonly why: string }

/** The seconds of pause before each of the three tries of a download (D35). */
const tries = [0, 30, 120]

/**
 * Downloads the runtime's new file and its signature into `folder`. A missing signature is a verdict on the release;
 * after any other failure the download is tried again, up to three times in all.
 */
export async function fetching(origin: string, folder: string, signal: AbortSignal): Promise<StepResult<Fetched>> {
  let why = ''
  for (const pause of tries) {
    if (!(await wait(duration(pause), signal))) return stopped
    const file = await download(new URL('/cli/svc.pyz', origin), join(folder, 'svc.pyz'), limits.runtimeBytes, signal)
    const sig =
      file.is === 'file'
        ? await download(new URL('/cli/svc.pyz.sig', origin), join(folder, 'svc.pyz.sig'), signatureBytes, signal)
        : file
    if (signal.aborted) return stopped
    if (file.is === 'file' && sig.is === 'file') return { is: 'done', value: file }
    if (file.is === 'file' && sig.is === 'status' && sig.status === 404)
      return { is: 'refused', why: 'the file is not signed: the service serves no signature of it' }
    why = `${file.is === 'file' ? 'the signature' : 'the file'} could not be downloaded: ${wordsFor(sig)}`
  }
  return { is: 'unreachable', why }
}

const stopped: StepResult<never> = { is: 'dropped', why: 'the runtime was stopped' }

function wordsFor(got: Downloaded): string {
  if (got.is === 'lost') return got.why
  if (got.is === 'file') return 'nothing'
  const { status } = got
  return status >= 300 && status < 400
    ? `the service answered ${status}, and redirects are not followed`
    : `the service answered ${status}`
}

/**
 * Checks the downloaded files. `served` is what the answer with the wish said about the file; it is used only if it
 * names the wished version.
 */
export function checking(
  folder: string,
  wish: string,
  fetched: Fetched,
  served: ServedRuntime | undefined,
): StepResult {
  const differs = (why: string): StepResult => ({ is: 'differs', why })
  const { sha256, named } = fetched
  if (served?.version === wish && served.sha256 !== sha256)
    return differs(`its checksum is ${short(sha256)}, and the service named ${short(served.sha256)}`)
  if (named !== undefined && named !== sha256)
    return differs(`its checksum is ${short(sha256)}, and its header says ${short(named)}`)
  const inside = insideOf(join(folder, 'svc.pyz'))
  if (!inside) return differs('it is no runtime, or only a part of one')
  if (inside.version !== wish) return differs(`it is version ${inside.version.slice(0, 64)}`)
  const node = Number(process.versions.node.split('.')[0])
  if (inside.leastNode > node)
    return { is: 'refused', why: `it needs Node ${inside.leastNode}, and this is Node ${process.versions.node}` }
  return { is: 'done', value: undefined }
}

const short = (sha256: string) => sha256.slice(0, 12)
