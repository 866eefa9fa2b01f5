/** An account in which `svc adopt` runs: its home folder, its crontab, and a service manager. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type Folder, folderAt } from '../src/machine/files/folder.ts'
import { type TestCrontab, testCrontab } from './crontab.ts'
import { type Ran, type RunOptions, svc } from './folder.ts'
import { privateVariable } from './private.ts'

export interface Account {
  readonly home: string
  /** The folder of the host agent, and that of `svc` and `svc-exec`. */
  readonly host: Folder
  readonly bin: string
  readonly crontab: TestCrontab
  readonly env: Readonly<Record<string, string>>
  /** All files in the home folder. */
  files(): string[]
  /** Runs a command of `svc`. */
  svc(args: readonly string[], options?: RunOptions): Promise<Ran>
  adopt(args: readonly string[], options?: RunOptions): Promise<Ran>
  /** Removes the agent and the account. */
  remove(): Promise<void>
}

/**
 * Makes an account. Its service manager is the stand-in of systemctl.sh, which fails every call, as in a container,
 * unless `systemd` is true. The folders of the crontab and of the units are beside the home folder.
 */
export function account({ systemd = false, name = 'home' }: { systemd?: boolean; name?: string } = {}): Account {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-account-')))
  const home = join(root, name)
  const units = join(root, 'units')
  mkdirSync(home)
  mkdirSync(join(units, 'systemd/user'), { recursive: true })
  const crontab = testCrontab(root)
  const program = (file: string, line: string) =>
    writeFileSync(join(units, file), `#!/bin/sh\n${line}\n`, { mode: 0o755 })
  program('systemctl', `exec sh '${join(import.meta.dirname, 'systemctl.sh')}' "$@"`)
  program('loginctl', 'echo Linger=no')
  const bin = join(home, '.local/bin')
  const env = {
    ...{ ...crontab.env, ...privateVariable },
    PATH: [units, crontab.env.PATH].join(delimiter),
    HOME: home,
    // If root runs the tests, the usual folder would be /usr/local/bin.
    XDG_BIN_HOME: bin,
    XDG_CONFIG_HOME: units,
    SVC_SYSTEMD_SYSTEM_DIR: join(units, 'systemd/user'),
    SVC_TEST_SYSTEMD: units,
    SVC_TIME_SCALE: '0.05',
    ...(!systemd && { SVC_TEST_SYSTEMD_OFF: '1' }),
  }
  const host = folderAt(join(home, '.local/state/svc/host'))
  const at = folderAt(root)
  const runs: Account['svc'] = (args, options = {}) => svc(at, args, { ...options, env: { ...env, ...options.env } })
  const adopt: Account['adopt'] = (args, options) => runs(['adopt', ...args], options)
  return {
    home,
    host,
    bin,
    crontab,
    env,
    files: () => readdirSync(home, { recursive: true, encoding: 'utf8' }).sort(),
    svc: runs,
    adopt,
    async remove() {
      crontab.refuse(undefined)
      if (existsSync(host.svc)) await adopt(['--remove', '--yes'])
      chmodSync(root, 0o700)
      rmSync(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
