/** The checks of `svc doctor` about files that a person may have changed by hand. */
import { envFaults, repeatedIn } from '../../machine/files/env.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { manifestOf } from '../../reporter/manifest.ts'
import { asideRemarks, settingsRemarks, unreadSettings } from '../../state/settings-file.ts'
import type { Check } from './checked.ts'

/** Checks these files for parts that svc does not understand. Such parts have no effect. */
export function writtenFiles(folder: Folder): Check[] {
  const unread = unreadSettings(folder)
  const manifest = manifestOf(folder)
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
    ...faults.map((message): Check => ({ name: 'Files', ok: false, message })),
    ...remarks.map((remark): Check => ({ name: 'Files', ok: true, warns: true, message: remark })),
  ]
}
