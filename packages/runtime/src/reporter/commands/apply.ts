/**
 * Applies a command from the service, as decide.ts decided. It writes the same files as the commands that people run on
 * the machine (1, rule 4).
 */
import type { Manifest } from '@svc/blueprint'
import type { Folder } from '../../machine/files/folder.ts'
import type { Author } from '../../state/changes.ts'
import { pause, resume } from '../../state/pause.ts'
import { askToRun } from '../../state/run-now.ts'
import { changeSettings } from '../../state/settings.ts'
import type { Decision } from './decide.ts'

export interface CommandOutcome {
  readonly ok: boolean
  readonly message: string
}
type Applicable = Exclude<Decision, { do: 'log' }>

export function apply(
  folder: Folder,
  manifest: Pick<Manifest, 'settings'>,
  decision: Applicable,
  author: Author,
): CommandOutcome {
  switch (decision.do) {
    case 'pause':
      return done(pause(folder, author) ? 'Paused.' : 'Already paused.')
    case 'resume':
      return done(resume(folder, author) ? 'Resumed.' : 'It was not paused.')
    case 'run_now':
      return done(
        askToRun(folder, author) ? 'Asked to run now.' : 'Already asked to run now; the agent has not started yet.',
      )
    case 'set':
      changeSettings(folder, manifest, decision.values, author)
      return done(
        `Set ${Object.entries(decision.values)
          .map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
          .join(', ')}.`,
      )
    case 'refuse':
      return { ok: false, message: decision.message }
  }
}

const done = (message: string): CommandOutcome => ({ ok: true, message })
