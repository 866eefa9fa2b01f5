/**
 * Applies a command from the service, as decide.ts decided. It writes the same files as the commands that people run on
 * the machine (1, rule 4).
 */
import type { Manifest } from '@svc/blueprint'
import type { SettingValues } from '@svc/protocol'
import type { Folder } from '../../machine/files/folder.ts'
import type { Author } from '../../state/changes.ts'
import { pause, requestRun, resume } from '../../state/controls.ts'
import { changeSettings } from '../../state/settings.ts'
import { lostSettings, setAsideFile, whySettingsUnreadable } from '../../state/settings-file.ts'
import type { CommandDecision } from './decide.ts'

/** The outcome of a command: done or not, and a message for people. */
export interface CommandOutcome {
  readonly ok: boolean
  readonly message: string
}
type Applicable = Exclude<CommandDecision, { do: 'log' }>

export function applyCommand(
  folder: Folder,
  manifest: Pick<Manifest, 'settings'>,
  decision: Applicable,
  author: Author,
): CommandOutcome {
  switch (decision.do) {
    case 'pause':
      return doneWith(pause(folder, author) ? 'Paused.' : 'Already paused.')
    case 'resume':
      return doneWith(resume(folder, author) ? 'Resumed.' : 'It was not paused.')
    case 'run_now':
      return doneWith(
        requestRun(folder, author) ? 'Asked to run now.' : 'Already asked to run now; the agent has not started yet.',
      )
    case 'set':
      return set(folder, manifest, decision.values, author)
    case 'refuse':
      return { ok: false, message: decision.message }
  }
}

/**
 * Changes settings. Changes nothing if the settings file is a regular file that cannot be read, since it may contain
 * values that a person wrote.
 */
function set(
  folder: Folder,
  manifest: Pick<Manifest, 'settings'>,
  values: SettingValues,
  author: Author,
): CommandOutcome {
  const why = whySettingsUnreadable(folder)
  if (why !== undefined && why !== 'is not a regular file')
    return { ok: false, message: `${folder.settings} ${why}. Correct or delete it. Nothing was changed.` }
  const lost = lostSettings(folder, manifest).filter((key) => !Object.hasOwn(values, key))
  const isAside = changeSettings(folder, manifest, values, author)
  const changed = Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
  const also = lost.length === 0 ? '' : ` ${folder.settings} was gone or empty, so ${lost.join(', ')} has its default.`
  const kept = isAside ? ` What svc did not understand in the file is kept in ${setAsideFile(folder)}.` : ''
  return doneWith(`Set ${changed.join(', ')}.${also}${kept}`)
}

const doneWith = (message: string): CommandOutcome => ({ ok: true, message })
