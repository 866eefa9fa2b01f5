/**
 * The served release as this node knows it: in memory for the answers to reports, with its files for `/cli/`. Any node
 * may change the served release, so this node looks it up twice a second and for each call of `/cli/`. A transaction
 * that depends on the served release reads it with `servedRelease` instead.
 */
import type { Logger } from 'pino'
import type { Store } from '../../platform/db/open.ts'
import { createLoop } from '../../platform/loop.ts'
import { readBuild } from './build.ts'
import { adoptRelease, type ServedRelease, servedFiles, servedSerial } from './store.ts'

/** The three files of `/cli/` (4), always from the same row. */
export interface ReleaseFiles {
  sha256: string
  file: Buffer
  /** The signature; undefined if the build was not signed. */
  signature: Buffer | undefined
}
export interface Releases {
  /** Returns the served release as it was at the last check, without asking the database. */
  served(): ServedRelease | undefined
  /**
   * Checks again and returns the files that are served now. While the database cannot be reached, returns the last
   * known files.
   */
  files(): Promise<ReleaseFiles | undefined>
  /** Checks now whether another release is served. */
  check(): Promise<void>
  /** Stops the checks. Resolves when the store is no longer used. */
  close(): Promise<void>
}

interface ReleaseNeeds {
  store: Store
  log: Logger
  now: () => number
  config: { releaseDir: string; version: string }
  /** Called when this node finds that another release is served. */
  changed?: () => void
}

/** The milliseconds between two checks of which release is served. */
const checkEveryMs = 500

/**
 * Opens the releases of this node. First makes the build in the release folder the served release, if the rules allow
 * it (rules.ts).
 */
export async function openReleases(needs: ReleaseNeeds): Promise<Releases> {
  await adopt(needs)
  const releases = followReleases(needs)
  await releases.check()
  return releases
}

async function adopt({ store, log, now, config }: ReleaseNeeds): Promise<void> {
  const { releaseDir, version } = config
  const read = await readBuild(releaseDir)
  if (!read) return
  if (!read.ok) return log.error({ releaseDir, why: read.message }, 'the runtime build is not served')
  const by = { id: null, name: `service ${version}` }
  const { served, says, remarks } = await adoptRelease(store.db, read.value, { by, now: now() })
  const facts = { version: read.value.version, sha256: read.value.sha256, signed: read.value.signed }
  for (const remark of remarks) log.warn({ releaseDir, ...facts }, remark)
  if (!served) log.warn({ releaseDir, ...facts, why: says }, 'the build in the release folder is not served')
}

function followReleases({ store, log, changed = () => {} }: Pick<ReleaseNeeds, 'store' | 'log' | 'changed'>): Releases {
  let current: (ServedRelease & ReleaseFiles) | undefined
  let known = 0
  let closed = false
  const lookups = createLoop(
    () => checkEveryMs,
    lookUp,
    (err) => log.debug({ err }, 'the served release could not be looked up'),
  )
  lookups.start()

  async function lookUp(): Promise<void> {
    const serial = await servedSerial(store.db)
    if (serial === known) return
    const previous = current?.version
    current = await servedFiles(store.db)
    known = current?.serial ?? 0
    const { version: release, sha256, signed } = current ?? {}
    if (previous === undefined) log.info({ release, serial, sha256, signed }, 'serving runtime release')
    else log.info({ release, previous, serial, sha256, signed }, 'serving another runtime release')
    changed()
  }

  async function check(): Promise<void> {
    // A check in progress may have read the serial before the change that led to this call, so another check follows.
    await lookups.settled()
    if (!closed) await lookups.run()
  }

  return {
    served: () => current,
    check,
    async files() {
      await check().catch((err: unknown) => log.warn({ err }, 'serving the last known release'))
      return current
    },
    async close() {
      closed = true
      await lookups.stop()
    },
  }
}

/** The releases of a service that serves none, for tests. */
export const noReleases: Releases = {
  served: () => undefined,
  files: async () => undefined,
  check: async () => {},
  close: async () => {},
}
