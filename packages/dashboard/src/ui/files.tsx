/**
 * Loads files of the page when they are needed. After an upgrade of the service these files are gone. An open page that
 * misses one is reloaded at the next link, so that nothing is lost that a person is typing.
 */
import { type ComponentType, lazy } from 'react'
import { ErrorNote } from './index.ts'

/** A file of the page could not be loaded: the service was upgraded, or is out of reach. */
export class FilesMissing extends Error {
  constructor(cause: unknown) {
    super(
      'The files of this page could not be loaded. Was the service upgraded, or is it out of reach? Reload the page.',
    )
    this.name = 'FilesMissing'
    this.cause = cause
  }
}

/** A note in place of a dialog or of a part of a page. The rest of the page stays usable. */
const FilesNote = () => <ErrorNote error={new FilesMissing(null)} retry={() => window.location.reload()} />

/** Loads a component when it is first drawn. If its file is gone, a note is drawn in its place. */
export const lazyPart: typeof lazy = ((load: () => Promise<{ default: ComponentType }>) =>
  lazy(() => load().catch(() => ({ default: FilesNote })))) as typeof lazy

/** Loads the file of a whole page or tab; throws `FilesMissing` if it is gone. */
export const loadFile = <T,>(file: Promise<T>): Promise<T> =>
  file.catch((error: unknown) => {
    throw new FilesMissing(error)
  })

let gone = false
// Vite sends this event when a script or a style sheet could not be loaded.
globalThis.addEventListener?.('vite:preloadError', () => {
  gone = true
})
/** True once a file could not be loaded, even if it was only preloaded. */
export const filesAreGone = (): boolean => gone

const loadedAgainKey = 'svc-loaded-again'

/**
 * Opens an address of the page in a new document, which loads the files of the service's present version. Returns false
 * if the service is out of reach, or if this was already tried for the same address and `cause`.
 */
export async function loadAgain(href: string, cause?: unknown): Promise<boolean> {
  const reason = cause instanceof Error ? `${href} ${cause.message}` : undefined
  if (reason !== undefined && readLoadedAgain() === reason) return false
  const answers = await fetch('/icon.svg', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
  if (!answers) return false
  if (reason !== undefined) store(reason)
  window.location.assign(href)
  return true
}

function readLoadedAgain(): string | null {
  try {
    return sessionStorage.getItem(loadedAgainKey)
  } catch {
    return null // The browser forbids storage.
  }
}

function store(reason: string): void {
  try {
    sessionStorage.setItem(loadedAgainKey, reason)
  } catch {
    // Without storage the page may reload itself repeatedly for the same missing file.
  }
}
