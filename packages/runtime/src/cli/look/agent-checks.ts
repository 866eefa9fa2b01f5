/** The checks of `svc doctor` about the agent, its process, files, programs and unit, and about svc itself. */
import { join, resolve } from 'node:path'
import type { Manifest } from '@svc/blueprint'
import { findUnit, findUnits, unitText } from '../../install/service/find.ts'
import { unitFault } from '../../install/service/mend.ts'
import { unitPathOf } from '../../install/service/text.ts'
import { unansweringUnit, uninstallHint } from '../../install/service/units.ts'
import { processNow, processWord } from '../../launcher/now.ts'
import { withoutStop } from '../../machine/base/sentence.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { whoHolds } from '../../machine/files/lock.ts'
import { commandHint } from '../../machine/hint.ts'
import { canRun } from '../../machine/programs/can-run.ts'
import { needsText, unmetNeeds } from '../../machine/programs/needs.ts'
import { readManifestNow } from '../../reporter/manifest.ts'
import { readStatus } from '../../reporter/status/file.ts'
import { statusAfterRead } from '../../reporter/status/keep.ts'
import { readPause } from '../../state/controls.ts'
import { unfinishedInstallText } from '../../state/install-note.ts'
import { machinePathOf } from '../../state/paths.ts'
import { readStop } from '../../state/stop-note.ts'
import { hasVersion } from '../../state/versions/folders.ts'
import { readUpdate } from '../../updates/agent/journal.ts'
import { versionSummary } from '../../updates/agent/now.ts'
import { whyNoUpdates } from '../../updates/agent/unread.ts'
import { whyNeverUpdates } from '../../updates/runtime/keys.ts'
import { runtimeFacts, runtimeSentences } from '../../updates/runtime/now.ts'
import { readInsideRelease } from '../../updates/runtime/release.ts'
import { sshKeygen, whyNoSshKeygen } from '../../updates/runtime/verify.ts'
import type { CheckResult } from './checked.ts'
import { lackingSecrets, statusAge } from './facts.ts'
import { processSentence } from './why.ts'

export const agentChecks = (folder: Folder): CheckResult[] => [
  ...installed(folder),
  ...statusFile(folder),
  reporter(folder),
  selfUpdate(folder),
]

/** Checks an agent that svc starts itself: its installation, required secrets, process, program and versions. */
function installed(folder: Folder): CheckResult[] {
  const broken = unfinishedInstallText(folder)
  if (broken) return [{ name: 'Installation', ok: false, message: broken }]
  const manifest = readManifestNow(folder)
  if (!manifest.ok || !manifest.value.runtime) return []
  const missing = lackingSecrets(folder, manifest.value)
  const process = processNow(folder)
  const word = process ? processWord(process) : 'stopped'
  return [
    {
      name: 'Secrets',
      ok: missing === undefined,
      message: missing ?? 'all required secrets are set',
    },
    {
      name: 'Process',
      ok:
        (word === 'running' && process?.halt === undefined) ||
        word === 'stopping' ||
        (process?.state.is === 'stopped' && process.state.exit?.code === 0) ||
        readPause(folder) !== undefined,
      ...(process?.state.is === 'running' && process.state.background && { warns: true }),
      message: process
        ? withoutStop(processSentence({ process, stopped: readStop(folder) }))
        : `never started; run "${commandHint('start')}"`,
    },
    ...program(folder, manifest.value),
    ...versions(folder, manifest.value),
  ]
}

/** Checks that the status file can be read, and that the agent still updates it (D65). */
function statusFile(folder: Folder): CheckResult[] {
  const manifest = readManifestNow(folder)
  if (!manifest.ok || manifest.value.status === undefined) return []
  const { status } = manifest.value
  const read = readStatus(folder, machinePathOf(folder, manifest.value, status))
  const [fault] = statusAfterRead({ misses: 0 }, read, status, Date.now()).health
  if (fault?.level === 'warn') return [{ name: 'Status file', ok: false, message: withoutStop(fault.detail ?? status) }]
  if (read.is === 'missing')
    return [{ name: 'Status file', ok: true, warns: true, message: `${status} ${read.why ?? 'is not there'}` }]
  const age = statusAge(folder, manifest.value)?.item
  if (!age) return []
  return [{ name: 'Status file', ok: age.level !== 'warn', message: `${status}: ${age.detail}` }]
}

/** Checks the versions of an agent that was updated: whether a rollback is possible, and whether an update is stuck. */
function versions(folder: Folder, manifest: Manifest): CheckResult[] {
  const why = folder.installed ? whyNoUpdates(folder) : undefined
  if (why !== undefined) return [{ name: 'Versions', ok: false, message: why }]
  const update = folder.installed ? readUpdate(folder) : undefined
  if (!update) return []
  const { state, previous } = update
  const missing = previous !== undefined && !hasVersion(folder, previous.sha256)
  const way = previous ? `${previous.version} is kept as the previous version` : `there is no previous version here`
  return [
    {
      name: 'Versions',
      ok: state !== 'undoing' && !missing,
      message: missing
        ? `the previous version ${previous.version} is not complete under ${folder.versions}, so going back needs the service`
        : [...versionSummary(update, Date.now()), `${manifest.version} is in place`, way].map(withoutStop).join('; '),
    },
  ]
}

/** The PATH that the runtime will have: that of its unit or, if there is no unit, that of this shell. */
function runtimePath(folder: Folder): string {
  const unit = findUnit(folder)
  return (unit && unitPathOf(unitText(unit.file) ?? '')) ?? process.env.PATH ?? ''
}

/** Checks that the program which starts the agent can be found and run. */
function program(folder: Folder, { runtime, name }: Manifest): CheckResult[] {
  const wanted = runtime?.kind === 'compose' ? 'docker' : (runtime?.command[0] ?? '')
  const places = wanted.includes('/')
    ? [resolve(folder.home, runtime?.kind === 'process' ? runtime.workdir : '.', wanted)]
    : runtimePath(folder)
        .split(':')
        .map((path) => join(path, wanted))
  const found = places.find((path) => canRun(path))
  return [
    {
      name: 'Program',
      ok: found !== undefined,
      message: found ?? `${wanted}, which starts ${name}, is not there or cannot be run`,
    },
  ]
}

/** Checks that this machine has all programs that the agent needs according to its manifest. */
export async function checkPrograms(folder: Folder): Promise<CheckResult[]> {
  const manifest = readManifestNow(folder)
  const needs = (manifest.ok && manifest.value.needs) || []
  if (needs.length === 0) return []
  const unmet = await unmetNeeds(needs, runtimePath(folder))
  return [{ name: 'Programs', ok: unmet.length === 0, message: unmet.join(' ') || needsText(needs) }]
}

/**
 * Checks the unit with which the service manager starts the agent. It must be the only one for this agent, have no
 * fault that `unitFault` knows (D38), and belong to a service manager that answers.
 */
export async function checkUnit(folder: Folder): Promise<CheckResult[]> {
  const units = findUnits(folder)
  const [found] = units
  if (!found) return []
  const bad = (message: string): CheckResult[] => [{ name: 'Unit', ok: false, message }]
  if (units.length > 1)
    return bad(
      `${units.map(({ file }) => file).join(' and ')} start this agent; remove them with "${uninstallHint(found, folder.root)}" and install one`,
    )
  const fault = unitFault(folder, found)
  if (fault) return bad(fault.message)
  const silent = await unansweringUnit(folder)
  if (!silent) return [{ name: 'Unit', ok: true, message: found.file }]
  const message = `${silent.file}. ${silent.message}`
  return whoHolds(folder, 'runtime') ? [{ name: 'Unit', ok: true, warns: true, message }] : bad(message)
}

function reporter(folder: Folder): CheckResult {
  const holder = whoHolds(folder, 'runtime')
  const manifest = readManifestNow(folder)
  const managed = manifest.ok && manifest.value.runtime !== undefined
  return {
    name: managed ? 'Runtime' : 'Reporter',
    ok: holder !== undefined,
    message: holder
      ? `running (process ${holder.pid})`
      : `not running; start it with "${commandHint(managed ? 'start' : 'report')}"`,
  }
}

/**
 * Returns the result for a build of svc that can never update itself, because it runs from source or has no release
 * keys. Undefined for any other build.
 */
export function selfUpdates(running: string | undefined, keys: readonly string[] | undefined): CheckResult | undefined {
  const message = whyNeverUpdates(running, keys)
  if (message === undefined) return undefined
  const check = { name: 'Self-update', ok: true } as const
  if (running === 'dev') return { ...check, message }
  const means =
    'This is a development build. It runs like any other, and keeps its version until someone installs a signed svc.pyz'
  return { ...check, warns: true, message: `${message}. ${means}` }
}

/** Checks that the runtime in the agent's folder can update itself, and shows its last attempt (3.5). */
function selfUpdate(folder: Folder): CheckResult {
  const facts = runtimeFacts(folder)
  const name = 'Self-update'
  const cannot = selfUpdates(facts.version, readInsideRelease(folder.runtime)?.keys)
  if (cannot) return cannot
  const program = sshKeygen()
  if (program === undefined) return { name, ok: false, message: `a new svc could not be verified: ${whyNoSshKeygen()}` }
  const [first = '', ...more] = runtimeSentences(facts)
  return { name, ok: true, message: [first, ...more, `Signatures are verified with ${program}.`].join(' ') }
}
