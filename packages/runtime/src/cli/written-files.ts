/** The checks of `svc doctor` about files that a person may have changed by hand. */
import { envFaults } from '../machine/files/env.ts'
import type { Folder } from '../machine/files/folder.ts'
import { hint } from '../machine/hint.ts'
import { manifestOf } from '../reporter/manifest.ts'
import { isAside, setAside, settingsRemarks, unreadSettings } from '../state/settings.ts'
import type { Check } from './checked.ts'

/** Checks these files for parts that svc does not understand. Such parts have no effect. */
export function writtenFiles(folder: Folder): Check[] {
  const unread = unreadSettings(folder)
  const aside = setAside(folder)
  const faults = [
    ...[folder.env, folder.secrets].flatMap((file) => envFaults(file).map((fault) => `${file} ${fault}`)),
    ...(unread === undefined ? [] : [`${folder.settings} ${unread}`]),
    ...(isAside(folder)
      ? [`${aside} is a settings file that could not be read; correct your values with "${hint('set')}" and delete it`]
      : []),
  ]
  const manifest = manifestOf(folder)
  const remarks = manifest.ok ? settingsRemarks(folder, manifest.value) : []
  return [
    ...faults.map((message): Check => ({ name: 'Files', ok: false, message })),
    ...remarks.map(
      (remark): Check => ({ name: 'Files', ok: true, warns: true, message: `${folder.settings} ${remark}` }),
    ),
  ]
}
