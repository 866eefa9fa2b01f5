/** The environments in which jobs of an account run: a crontab may set variables, and sudo may keep them. */
import { join } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/** Each environment, with what it changes in that of a shell for an account with this home folder. */
export const environments: readonly (readonly [what: string, changes: (home: string) => Environment])[] = [
  ['that of a shell', () => ({})],
  ['a crontab that sets HOME', (home) => ({ HOME: join(home, 'app') })],
  ['a HOME that is not there', () => ({ HOME: '/nowhere/at/all' })],
  ['no HOME', () => ({ HOME: undefined })],
  ['an empty HOME', () => ({ HOME: '' })],
  ['XDG_STATE_HOME', (home) => ({ XDG_STATE_HOME: join(home, 'state') })],
  ['both', (home) => ({ HOME: join(home, 'app'), XDG_STATE_HOME: join(home, 'state') })],
  ['another user name', () => ({ LOGNAME: 'daemon', USER: 'daemon' })],
  ['almost nothing', () => ({ HOME: undefined, LOGNAME: undefined, USER: undefined, XDG_STATE_HOME: undefined })],
]
