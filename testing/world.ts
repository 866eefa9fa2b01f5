/**
 * The tests see nothing of the machine around them: `vitest.config.ts` gives its process, and so all workers and all
 * programs that tests start, an environment and a home folder of their own.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/**
 * The variables that tests take over from the shell. All others are removed, such as `SVC_URL`, proxies, `XDG_…`,
 * `TZ` and `NODE_OPTIONS`. `SVC_TEST_…` are the settings of the tests themselves, and the last ones belong to Vitest.
 */
const kept =
  /^(?:PATH|TMPDIR|USER|LOGNAME|SHELL|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CI|LD_LIBRARY_PATH|SVC_TEST_\w+|NODE_ENV|TEST|VITEST\w*)$/

/** The programs of svc, which may be installed on the machine of a developer. */
const ownPrograms = ['svc', 'svc-exec', 'svc-server', 'svc.pyz']

/** Gives this process an environment of its own. Its folders are removed when the process ends. */
export function enterOwnWorld(): void {
  const folder = mkdtempSync(join(tmpdir(), 'svc-world-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const home = join(folder, 'home of a test')
  mkdirSync(home)
  process.umask(0o022)
  for (const name of Object.keys(process.env)) if (!kept.test(name)) delete process.env[name]
  Object.assign(process.env, {
    HOME: home,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    PATH: pathWithout(ownPrograms, process.env.PATH ?? '', folder),
    // The new home folder has no .gitconfig, which may have allowed git to read a checkout of another user.
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: '*',
  })
}

/**
 * Returns a search path in which these programs cannot be found. In the place of a folder that has one of them, it
 * names a new folder inside `folder` with links to all other programs.
 */
export function pathWithout(programs: readonly string[], path: string, folder: string): string {
  const hides = (from: string) => programs.some((program) => existsSync(join(from, program)))
  return path
    .split(delimiter)
    .map((from, index) => {
      if (!hides(from)) return from
      const to = join(folder, `path-${index}`)
      mkdirSync(to)
      for (const name of readdirSync(from)) if (!programs.includes(name)) symlinkSync(join(from, name), join(to, name))
      return to
    })
    .join(delimiter)
}
