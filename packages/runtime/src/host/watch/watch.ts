/**
 * The program of the host agent, `svc watch`. It looks at the machine every few seconds and writes the status file that
 * the runtime reports. It ends if the file of svc was replaced, and the runtime starts it again with the new file.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { StatusFile } from '@svc/protocol'
import { programFile } from '../../launcher/file.ts'
import { messageOf } from '../../machine/base/errors.ts'
import { scaledMs, wait } from '../../machine/base/time.ts'
import { createFolder, writeLightly } from '../../machine/files/durable.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { readAdopted } from '../agent/adopted.ts'
import { renewManifest } from '../agent/manifest.ts'
import { type AiPaths, watchedSessions } from './ai-section.ts'
import { type JobsPaths, jobsPartNow, watchedJobs } from './jobs-section.ts'
import { hostStatusOf, partsOf, type StatusPart } from './sections.ts'

const lookSeconds = 5
const crontabSeconds = 300
/** The status file is written at least this often, so that its age shows that the program lives. */
const writeSeconds = 60

interface WatchPaths {
  readonly folder: Folder
  /** The folder with all jobs. */
  readonly jobs: string
  readonly ai: AiPaths
}

/** Watches until the signal asks it to stop, or until the file of svc was replaced. */
export async function watchHost(
  { folder, jobs, ai }: WatchPaths,
  stop: AbortSignal,
  warn: (text: string) => void,
): Promise<void> {
  const file = programFile()
  const first = stampOf(file)
  const isReplaced = () => ![first, undefined].includes(stampOf(file))
  trying(() => renewManifest(folder), warn)
  const jobsSection = watchedJobs({ state: folder.state, jobs }, () => performance.now())
  const aiSection = watchedSessions(ai)
  const write = statusWriter(folder, warn)
  const adoptedFile = join(folder.state, 'adopted.json')
  let adopted = stampOf(adoptedFile)
  for (let next = 0; !stop.aborted && !isReplaced(); ) {
    // A person who has just changed what is shown may have changed the crontab, too.
    const before = adopted
    adopted = stampOf(adoptedFile)
    if (performance.now() >= next || adopted !== before) {
      const asked = jobsSection.refresh().catch((error: unknown) => warn(messageOf(error)))
      // The first status needs the schedules. Later ones use the last known table while the program `crontab` runs.
      if (next === 0) await asked
      next = performance.now() + scaledMs(crontabSeconds)
    }
    const shown = readAdopted(folder)
    const sections = [...(shown?.jobs ? [jobsSection] : []), ...(shown?.ai ? [aiSection(shown)] : [])]
    write(JSON.stringify(hostStatusOf(partsOf(sections, Date.now()))))
    await wait(scaledMs(lookSeconds), stop)
  }
}

function statusWriter(folder: Folder, warn: (text: string) => void): (text: string) => void {
  let last: { readonly text: string; readonly at: number } | undefined
  return (text) => {
    const at = performance.now()
    if (last?.text === text && at < last.at + scaledMs(writeSeconds)) return
    trying(() => {
      createFolder(folder.state)
      writeLightly(join(folder.state, 'status.json'), `${text}\n`, 0o600)
      last = { text, at }
    }, warn)
  }
}

/** Calls `act`. If it fails, as on a full disk, the program warns and goes on. */
function trying(act: () => unknown, warn: (text: string) => void): void {
  try {
    act()
  } catch (error) {
    warn(messageOf(error))
  }
}

/** A text that changes when the file is replaced; undefined if there is no file. */
function stampOf(file: string): string | undefined {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat && `${stat.ino} ${stat.size} ${stat.mtimeMs}`
}

/**
 * The status that `svc watch` would write now, with this part about AI sessions. Nothing is written, and missing
 * folders count as empty.
 */
export async function statusNow(
  paths: JobsPaths,
  { jobs, ai }: { readonly jobs: boolean; readonly ai?: StatusPart | undefined },
): Promise<StatusFile> {
  return hostStatusOf([...(jobs ? [await jobsPartNow(paths)] : []), ...(ai ? [ai] : [])])
}
