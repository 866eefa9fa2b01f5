/** The checks of `svc doctor` about the folder of the agent and the files in it. */
import { accessSync, constants, statSync } from 'node:fs'
import { messageOf } from '../../machine/base/errors.ts'
import { minNode, ownVersion } from '../../machine/base/version.ts'
import { envFaults, repeatedIn } from '../../machine/files/env.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { readJournal } from '../../reporter/commands/journal.ts'
import { readManifestNow } from '../../reporter/manifest.ts'
import { diskHealth } from '../../reporter/status/disk.ts'
import { asideRemarks, settingsRemarks, whySettingsUnread } from '../../state/settings-file.ts'
import type { CheckResult } from './checked.ts'

export const fileChecks = (folder: Folder): CheckResult[] => [
  node(process.versions.node),
  manifestCheck(folder),
  writable(folder.root),
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

function writable(path: string): CheckResult {
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
 * Checks files that a person may have changed by hand for parts that svc does not understand, and that have no effect.
 */
function checkWrittenFiles(folder: Folder): CheckResult[] {
  const unread = whySettingsUnread(folder)
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
