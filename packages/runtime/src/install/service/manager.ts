/** Queries and controls the machine's service manager, with systemctl or launchctl. */
import { execFile } from 'node:child_process'
import type { ServiceUnit } from './find.ts'

/** The state of a unit as its manager reports it. */
export interface UnitState {
  /**
   * The manager's own word for the state of the unit (`active`, `inactive`, `failed`, …), or the reason why the manager
   * does not answer.
   */
  readonly state: string
  readonly answers: boolean
}

export async function unitState(unit: ServiceUnit): Promise<UnitState> {
  if (unit.kind === 'launchd') {
    const shown = await runProgram('launchctl', ['print', `${domain()}/${unit.name}`])
    if (shown.missing) return { state: managerFailure(shown), answers: false }
    return { state: /state = (\w+)/.exec(shown.out)?.[1] ?? 'not loaded', answers: true }
  }
  const shown = await systemctl(unit, 'is-active', unit.name)
  const state = shown.out.trim()
  return state === '' ? { state: managerFailure(shown), answers: false } : { state, answers: true }
}

/** True if the manager says that the unit runs, or is being started or stopped. */
export const isRunning = ({ state }: UnitState): boolean =>
  ['active', 'activating', 'reloading', 'deactivating', 'running'].includes(state)

export function controlUnit(unit: ServiceUnit, what: 'start' | 'stop' | 'restart'): Promise<ProgramResult> {
  if (unit.kind !== 'launchd') return systemctl(unit, what, unit.name)
  if (what === 'start') return runProgram('launchctl', ['bootstrap', domain(), unit.file])
  if (what === 'stop') return runProgram('launchctl', ['bootout', `${domain()}/${unit.name}`])
  return runProgram('launchctl', ['kickstart', '-k', `${domain()}/${unit.name}`])
}

export const systemctl = (unit: ServiceUnit, ...args: string[]): Promise<ProgramResult> =>
  runProgram('systemctl', [...(unit.kind === 'systemd user' ? ['--user'] : []), ...args])

/** True if no service manager answers, as in containers, in WSL and after `sudo -iu`. */
export const doesNotAnswer = (ran: ProgramResult): boolean =>
  ran.missing ||
  /connect to (?:system |user scope )?bus|not been booted with systemd|Host is down/i.test(ran.err + ran.out)

/** The reason that the manager gave for a failure, without a full stop. */
export const managerFailure = ({ missing, err, out, code }: ProgramResult): string =>
  missing
    ? 'its program is not there'
    : (err.trim() || out.trim()).split('\n')[0]?.replace(/\.$/, '') || `it ended with code ${code}`

const domain = (): string => `gui/${process.getuid?.() ?? 0}`

/** The exit code of a program, and the text that it printed on standard output and standard error. */
export interface ProgramResult {
  readonly code: number
  readonly out: string
  readonly err: string
  /** True if the program does not exist. */
  readonly missing: boolean
}

/** Runs a program such as systemctl or loginctl without a shell, for at most 330 s. */
export const runProgram = (program: string, args: readonly string[]): Promise<ProgramResult> =>
  new Promise((resolve) => {
    execFile(program, args, { timeout: 330_000, maxBuffer: 4 * 1024 * 1024 }, (error, out, err) => {
      const code = error ? (typeof error.code === 'number' ? error.code : 1) : 0
      resolve({ code, out, err, missing: error?.code === ('ENOENT' as unknown) })
    })
  })
