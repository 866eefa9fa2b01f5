/** Connects the host agent, and starts it. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type Manifest, readManifest } from '@svc/blueprint'
import type { Report } from '@svc/protocol'
import { makeFolders } from '../../host/adopt/place.ts'
import { type AdoptedNote, readAdopted, writeAdopted } from '../../host/agent/adopted.ts'
import { manifestFor, writeManifest } from '../../host/agent/manifest.ts'
import { writeNumbers } from '../../host/sessions/numbers.ts'
import type { AiLook } from '../../host/watch/ai-section.ts'
import type { StatusPart } from '../../host/watch/sections.ts'
import { statusNow } from '../../host/watch/watch.ts'
import { keepProgram } from '../../install/place.ts'
import { installService, managerAnswers } from '../../install/service/units.ts'
import { programFile } from '../../launcher/file.ts'
import { ownVersion } from '../../machine/base/version.ts'
import { writeLightly } from '../../machine/files/durable.ts'
import { rememberNetwork, type ServiceConnection, writeConnection } from '../../machine/files/env.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { whoHolds, withTurn } from '../../machine/files/lock.ts'
import { commandHint } from '../../machine/hint.ts'
import { composeReport } from '../../reporter/compose.ts'
import { shrinkReport } from '../../reporter/shrink.ts'
import { fillSettings, settingsInForce } from '../../state/settings.ts'
import { readInsideRelease } from '../../updates/runtime/release.ts'
import { tryConnection } from '../install/connecting.ts'
import { startInBackground } from '../run/start.ts'
import type { HostFolder } from './adopt-place.ts'

interface HostAgent {
  readonly name: string
  readonly adopted: AdoptedNote
  /** The AI sessions found on this machine; undefined if the agent does not show AI sessions. */
  readonly ai: AiLook | undefined
  readonly connection: ServiceConnection
  /** True if the connection is to be tested and stored. */
  readonly isNew: boolean
}

/**
 * Writes the files that the agent needs to run, and returns lines for the person. If `isNew`, a real report first tests
 * the connection, and the new files are removed again after any error.
 */
export async function connectHost(
  { folder, jobs }: HostFolder,
  { name, adopted, ai, connection, isNew }: HostAgent,
): Promise<string[]> {
  const status = join(folder.state, 'status.json')
  const undo = makeFolders(folder, status)
  try {
    if (isNew) {
      writeLightly(
        status,
        JSON.stringify(await statusNow({ state: folder.state, jobs }, { jobs: adopted.jobs, ai: ai?.part })),
        0o600,
      )
      await tryConnection(folder, manifestOf(folder, name), connection, 'Try again when it can be reached.')
    }
    const program = programFile()
    if (readInsideRelease(program) && !existsSync(folder.runtime)) keepProgram(folder, program)
    withTurn(folder, 'svc adopt', () => {
      writeManifest(folder, manifestFor(folder, name))
      // The numbers of the AI sessions are stored first, before the agent can read that it shows AI sessions.
      if (ai && readAdopted(folder)?.ai !== true) writeNumbers(folder.state, ai.numbers)
      writeAdopted(folder, adopted)
      if (isNew) writeConnection(folder, connection)
      else rememberNetwork(folder)
      fillSettings(folder, manifestOf(folder, name))
    })
  } catch (error) {
    if (isNew) undo()
    throw error
  }
  return [
    isNew
      ? `Connected: ${connection.origin} accepted a report of ${name}.`
      : `${name} is connected to ${connection.origin}.`,
  ]
}

function manifestOf(folder: Folder, name: string): Manifest {
  const read = readManifest(manifestFor(folder, name), { for: 'report' })
  if (!read.ok) throw new Error(`The manifest of the host agent is wrong: ${JSON.stringify(read.findings)}`)
  return read.value
}

interface ShownStatus {
  readonly jobs: boolean
  readonly ai?: StatusPart | undefined
  /** The text of the crontab to report; undefined for the present crontab. */
  readonly table?: string | undefined
}

/** Returns the report that the host agent would send now if it showed the given sections. */
export async function reportNow(
  { folder, jobs }: HostFolder,
  name: string,
  { table, ...shown }: ShownStatus,
): Promise<Report> {
  const manifest = manifestOf(folder, name)
  const report = composeReport({
    manifest,
    status: await statusNow({ state: folder.state, jobs, table }, shown),
    health: [],
    values: settingsInForce(folder, manifest),
    acks: [],
    host: hostname(),
    runtime: { version: ownVersion },
    boot: randomUUID(),
    seq: 1,
  })
  return shrinkReport(report, Date.now())
}

/**
 * Starts the agent, as a service or, if no service manager answers, in the background. Returns lines that explain this
 * to the person.
 */
export async function startHost(folder: Folder, agent: string): Promise<string[]> {
  const system = process.getuid?.() === 0
  if (await managerAnswers({ agent, system })) {
    const { lines } = await installService(folder, { agent, system, start: true })
    return [...lines]
  }
  return [
    await startInBackground(folder),
    `No service manager answers here. So it may end when you log out, and ends when the machine restarts. Then start it again: ${commandHint('start', folder.root)}`,
  ]
}

/** The line that tells a person how to start the agent; no line if the agent runs. */
export const howToStart = (folder: Folder): string[] =>
  whoHolds(folder, 'runtime')
    ? []
    : [`It is not running. Start it: ${commandHint('service install --start', folder.root)}`]
