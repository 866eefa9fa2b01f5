/** A machine with a stand-in for systemd, for tests of units. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Folder } from '../src/machine/files/folder.ts'
import { type Ran, svc } from './folder.ts'

export interface Machine {
  readonly env: Readonly<Record<string, string>>
  /** The names of all units of the user. */
  units(): string[]
  unit(name: string): string
  /** The calls of `systemctl` so far. */
  calls(): string[]
  /** Runs a command of `svc` in a folder. */
  runs(folder: Folder, args: string, more?: Record<string, string>): Promise<Ran>
  remove(): void
}

export function systemdMachine(linger = 'yes'): Machine {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'svc-systemd-')))
  mkdirSync(join(home, 'systemd/user'), { recursive: true })
  const program = (name: string, line: string) =>
    writeFileSync(join(home, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 })
  program('systemctl', `exec sh '${join(import.meta.dirname, 'systemctl.sh')}' "$@"`)
  program('loginctl', `echo Linger=${linger}`)
  const env = {
    PATH: `${home}:${process.env.PATH}`,
    XDG_CONFIG_HOME: home,
    SVC_TEST_SYSTEMD: home,
    SVC_SYSTEMD_SYSTEM_DIR: join(home, 'system'),
    SVC_TIME_SCALE: '0.05',
  }
  return {
    env,
    units: () => readdirSync(join(home, 'systemd/user')).sort(),
    unit: (name) => join(home, 'systemd/user', name),
    calls: () => readFileSync(join(home, 'calls'), 'utf8').trim().split('\n'),
    runs: (folder, args, more = {}) => svc(folder, args.split(' '), { env: { ...env, ...more } }),
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}
