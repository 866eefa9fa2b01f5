/** `svc doctor`: checks whatever can be wrong on this machine, and says what to do. */

import { accessSync, constants, statSync } from 'node:fs'
import { Command } from 'commander'
import { findUnits } from '../../install/service/find.ts'
import { messageOf } from '../../machine/base/errors.ts'
import { minNode, ownVersion } from '../../machine/base/version.ts'
import { checkReachable, refusalOf } from '../../machine/client/service-client.ts'
import { envFaults, isExposed, readConnection, repeatedIn } from '../../machine/files/env.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { unrememberedVariables } from '../../machine/files/network.ts'
import { commandHint, examples } from '../../machine/hint.ts'
import { readJournal } from '../../reporter/commands/journal.ts'
import { readManifestNow } from '../../reporter/manifest.ts'
import { readOutbox } from '../../reporter/outbox.ts'
import { diskHealth } from '../../reporter/status/disk.ts'
import { asideRemarks, settingsRemarks, whySettingsUnreadable } from '../../state/settings-file.ts'
import { type CommonOptions, existingFolder, withCommonOptions } from '../kit/folder.ts'
import { exits, printResult } from '../kit/output.ts'
import { agentChecks, checkPrograms, checkUnit } from './agent-checks.ts'
import { type CheckResult, checkText } from './checked.ts'

export const doctor = (): Command =>
  withCommonOptions(new Command('doctor'))
    .option('--offline', 'do not try to reach the service')
    .summary('check this machine and folder for problems')
    .description(
      'Checks Node, the manifest, the files and their modes, and the way to the service. Sends no report and no token.',
    )
    .addHelpText('after', examples('doctor --dir /srv/mail-triage'))
    .action(async ({ dir, json, offline }: CommonOptions & { offline?: boolean }) => {
      const folder = existingFolder(dir)
      const checks = [
        ...fileChecks(folder),
        ...agentChecks(folder),
        checkConnection(folder),
        ...(await checkPrograms(folder)),
        ...(await checkUnit(folder)),
        ...(offline ? [] : await remote(folder)),
      ]
      const bad = checks.filter((c) => !c.ok)
      printResult(json, { ok: bad.length === 0, checks }, () => checks.map(checkText))
      if (bad.length > 0) process.exitCode = bad.every((c) => c.name === 'Service') ? exits.unreached : exits.refused
    })

function checkConnection(folder: Folder): CheckResult {
  const connection = readConnection(folder)
  if (!connection.ok) return { name: 'Connection', ok: false, message: connection.message }
  const { origin } = connection.value
  const last = readOutbox(folder)
  if (last?.status === 401)
    return {
      name: 'Connection',
      ok: false,
      message: `${origin} does not know the token, or no longer; run "${commandHint(`connect --url ${origin}`)}" with a new one`,
    }
  const plain = isExposed(origin)
  return {
    name: 'Connection',
    ok: !plain,
    message: plain ? `${origin} is not encrypted: everyone on the way can read the token; use https` : origin,
  }
}

async function remote(folder: Folder): Promise<CheckResult[]> {
  const connection = readConnection(folder)
  if (!connection.ok) return []
  const { origin } = connection.value
  const never = new AbortController().signal
  const sent = await checkReachable(origin, never)
  if (sent.is === 'lost') return [{ name: 'Service', ok: false, message: `${origin} cannot be reached: ${sent.why}` }]
  // A runtime that a unit starts lacks this shell's variables, such as NODE_EXTRA_CA_CERTS, so it may not connect.
  const missing = findUnits(folder).length > 0 ? unrememberedVariables() : []
  if (missing.length > 0 && (await checkReachable(origin, never, true)).is === 'lost') {
    const unit = `the unit does not have ${missing.join(', ')}; run "${commandHint('service install')}", which remembers it`
    return [{ name: 'Service', ok: false, message: `${origin} answers here, but not to the runtime: ${unit}` }]
  }
  const { status, body } = sent
  const { address, message } = refusalOf(status, body)
  // The service also answers 404 if it serves no build of svc. Only a 404 that names another address is a fault.
  const ok = (status >= 200 && status < 300) || (status === 404 && address === undefined)
  return [{ name: 'Service', ok, message: ok ? `${origin} answers` : `${origin} takes no reports: ${message}` }]
}

// The checks of `svc doctor` about the folder of the agent and the files in it.

const fileChecks = (folder: Folder): CheckResult[] => [
  node(process.versions.node),
  manifestCheck(folder),
  checkWritable(folder.root),
  disk(folder),
  ...[folder.env, folder.secrets, folder.outbox, folder.commands].flatMap(mode),
  ...checkWrittenFiles(folder),
  journal(folder),
]

const node = (running: string): CheckResult => ({
  name: 'Node',
  ok: Number(running.split('.')[0]) >= minNode,
  message: `${running} (svc ${ownVersion} needs ${minNode} or newer)`,
})

function manifestCheck(folder: Folder): CheckResult {
  const manifest = readManifestNow(folder)
  return {
    name: 'Manifest',
    ok: manifest.ok,
    message: manifest.ok ? `${manifest.value.name} ${manifest.value.version}` : manifest.message,
  }
}

function checkWritable(path: string): CheckResult {
  try {
    accessSync(path, constants.W_OK)
    return { name: 'Folder', ok: true, message: `${path} can be written` }
  } catch {
    return { name: 'Folder', ok: false, message: `${path} cannot be written by this user; run svc as the owner` }
  }
}

/** Checks that the file systems of the agent's folder have room. */
function disk(folder: Folder): CheckResult {
  const [item] = diskHealth(folder)
  if (!item) return { name: 'Disk', ok: true, message: `there is room at ${folder.root}` }
  return { name: 'Disk', ok: item.level !== 'bad', warns: true, message: item.detail ?? '' }
}

/** Checks that a file with secrets, reports or commands can be accessed only by its owner (D51). */
function mode(file: string): CheckResult[] {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat) return []
  const open = (stat.mode & 0o077) !== 0
  return [
    {
      name: 'Mode',
      ok: !open,
      message: open
        ? `${file} can be read by others; run "chmod 600 ${file}"`
        : `${file} is readable only by its owner`,
    },
  ]
}

function journal(folder: Folder): CheckResult {
  try {
    return { name: 'Journal', ok: true, message: `${readJournal(folder).length} commands remembered` }
  } catch (error) {
    return { name: 'Journal', ok: false, message: messageOf(error) }
  }
}

/**
 * Finds the parts without effect in files that people may edit: parts that svc does not understand, and repeated ones.
 */
function checkWrittenFiles(folder: Folder): CheckResult[] {
  const unread = whySettingsUnreadable(folder)
  const manifest = readManifestNow(folder)
  const faults = [
    ...[folder.env, folder.secrets].flatMap((file) => envFaults(file).map((fault) => `${file} ${fault}`)),
    ...(unread === undefined ? [] : [`${folder.settings} ${unread}`]),
    ...(manifest.ok ? asideRemarks(folder, manifest.value) : []),
  ]
  const remarks = [
    ...[folder.env, folder.secrets].flatMap((file) => repeatedIn(file).map((remark) => `${file} ${remark}`)),
    ...(manifest.ok ? settingsRemarks(folder, manifest.value) : []).map((remark) => `${folder.settings} ${remark}`),
  ]
  return [
    ...faults.map((message): CheckResult => ({ name: 'Files', ok: false, message })),
    ...remarks.map((remark): CheckResult => ({ name: 'Files', ok: true, warns: true, message: remark })),
  ]
}
