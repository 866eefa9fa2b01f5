/**
 * `svc self install`: installs the running file as the command `svc` of the current user account, with the launcher
 * `svc-exec` beside it. Also says what to do if a shell would not find the command.
 */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { Command } from 'commander'
import { hostFolderWritten, ownFolders } from '../../host/jobs/account.ts'
import { launcherScript } from '../../host/jobs/launcher.ts'
import { isLauncher } from '../../host/jobs/launcher-file.ts'
import { hostFolder } from '../../host/jobs/paths.ts'
import { programFile } from '../../launcher/file.ts'
import { createFolder, writeDurably } from '../../machine/files/durable.ts'
import { examples, shellQuoted } from '../../machine/hint.ts'
import { canRun } from '../../machine/programs/can-run.ts'
import { isShorterLived, lastingNode } from '../../machine/programs/node.ts'
import { readInsideRelease } from '../../updates/runtime/release.ts'
import { exits, printResult, Refusal } from '../kit/output.ts'

interface SelfOptions {
  readonly to?: string
  readonly json?: boolean
}

export const self = (): Command =>
  new Command('self')
    .summary('make this program a command of your user or, as root, of all users')
    .description('This program itself, independent of any agent.')
    .helpCommand(false)
    .addHelpText('after', examples('self install', 'self install --to ~/bin'))
    .addCommand(
      new Command('install')
        .option('--to <dir>', 'the folder for it (default: XDG_BIN_HOME, ~/.local/bin, or /usr/local/bin as root)')
        .option('--json', 'print one JSON value for programs')
        .summary('install this file as the command "svc"')
        .description(
          'Copies this file to a folder in your PATH under the name "svc", replacing an older one, and writes "svc-exec" beside it, which crontabs call. Run it again to update both.',
        )
        .action(install),
    )

async function install({ to, json }: SelfOptions): Promise<void> {
  const { lines, ...done } = await installSelf(to === undefined ? programsFolder() : resolve(to))
  printResult(json, { installed: true, ...done }, () => lines)
}

/**
 * The end of the sentence about the installation. If root installs svc outside of root's home, all users can run it.
 */
const forAllUsersText = (folder: string): string =>
  process.getuid?.() === 0 && !folder.startsWith(homedir()) ? ', for all users of this machine' : ''

/** The folder for the programs of the current user account. */
export const programsFolder = (): string =>
  folderFor({
    home: homedir(),
    path: searchPath(),
    root: process.getuid?.() === 0,
    chosen: process.env.XDG_BIN_HOME,
  })

const searchPath = (): string[] => (process.env.PATH ?? '').split(delimiter).filter(Boolean)

interface InstalledSelf {
  readonly file: string
  /** The path of `svc-exec`. */
  readonly launcher: string
  readonly version: string
  /** True if the command or the launcher was written. */
  readonly changed: boolean
  readonly inPath: boolean
  /** The sentences about the installation that are printed for a person. */
  readonly lines: string[]
}

/**
 * Installs this program as the command `svc` in a folder, with the launcher `svc-exec` beside it. `host` is the folder
 * of the host agent that the launcher names. By default it is found in the existing launcher or in the environment.
 */
export async function installSelf(folder: string, host?: string): Promise<InstalledSelf> {
  const program = programFile()
  const release = readInsideRelease(program)
  if (!release)
    throw new Refusal('This svc runs from source. Build svc.pyz, or download it from a service, and install that.')
  const file = join(folder, 'svc')
  const before = existsSync(file) ? readInsideRelease(file) : undefined
  if (existsSync(file) && !before)
    throw new Refusal(`${file} is another program. Choose another folder with --to.`, exits.refused)
  const exec = join(folder, 'svc-exec')
  const execBefore = existsSync(exec) ? readFileSync(exec, 'utf8') : undefined
  if (execBefore !== undefined && !isLauncher(execBefore))
    throw new Refusal(`${exec} is another program. Choose another folder with --to.`, exits.refused)
  createFolder(folder)
  const bytes = readFileSync(program)
  const same = before !== undefined && readFileSync(file).equals(bytes)
  if (!same) writeDurably(file, bytes, 0o755)
  const fault = await startFault(file)
  if (fault !== undefined)
    throw new Refusal(
      `${file} was written but does not start: ${fault}. Put Node ${release.leastNode} or newer into PATH.`,
    )
  const text = launcherScript({ node: lastingNode(), svc: file, host: host ?? hostFolderFor(exec) })
  const execChanged = text !== execBefore
  if (execChanged) writeDurably(exec, text, 0o755)
  const first = searchPath()
    .map((each) => join(each, 'svc'))
    .find(canRun)
  const version = release.version
  const found = first === undefined ? 'missing' : resolve(first) === file ? 'found' : 'other'
  return {
    file,
    launcher: exec,
    version,
    changed: !same || execChanged,
    inPath: found === 'found',
    lines: [
      same
        ? `${file} is svc ${version} already.`
        : `Installed svc ${version} as ${file}${before ? `, in place of ${before.version}` : ''}${forAllUsersText(folder)}.`,
      ...(execChanged ? [`Wrote ${exec}, which runs the commands of a crontab and records them.`] : []),
      ...(found === 'missing' ? pathAdvice(folder, process.env.SHELL ?? '') : []),
      ...(found === 'other'
        ? [
            `Your shell finds another svc first: ${first}. Start this one as ${shellQuoted(file)}, or put ${folder} first in PATH.`,
          ]
        : []),
    ],
  }
}

/**
 * Writes `svc-exec` again if the Node that it names is gone, or will be removed by the next update of Node. Only the
 * line that names Node changes. Returns true if the file was written.
 */
export function renewLauncher(file: string): boolean {
  const text = readFileSync(file, 'utf8')
  const named = nodeIn(text)
  const node = lastingNode()
  if (named === undefined || named === node || (canRun(named) && !isShorterLived(named, node))) return false
  writeDurably(
    file,
    text.replace(nodeLine, () => `svc_exec_node=${shellQuoted(node)}`),
    0o755,
  )
  return true
}

const nodeLine = /^svc_exec_node=(.*)$/m
const nodeIn = (launcher: string): string | undefined =>
  nodeLine.exec(launcher)?.[1]?.replace(/^'|'$/g, '').replaceAll("'\\''", "'")

/**
 * Returns the folder of the host agent that a new launcher names: the folder that the existing launcher names, if it
 * exists, and otherwise the default folder of the account. For root, XDG_STATE_HOME is ignored.
 */
function hostFolderFor(launcher: string): string | undefined {
  const before = hostFolderWritten(launcher)
  if (before !== undefined && existsSync(before)) return before
  const { HOME, XDG_STATE_HOME } = process.env
  return hostFolder(ownFolders(process.getuid?.() === 0 ? { HOME } : { HOME, XDG_STATE_HOME }))
}

/**
 * Returns the folder for the programs of a user account: the folder that XDG_BIN_HOME names, /usr/local/bin for root,
 * and otherwise ~/.local/bin, or ~/bin if only that is in PATH.
 */
export function folderFor({
  home,
  path,
  root,
  chosen,
}: {
  home: string
  path: readonly string[]
  root: boolean
  /** The folder that the environment variable XDG_BIN_HOME names. It overrides all other rules. */
  chosen?: string | undefined
}): string {
  if (chosen) return chosen
  if (root) return '/usr/local/bin'
  const usual = join(home, '.local/bin')
  return [usual, join(home, 'bin')].find((folder) => path.includes(folder)) ?? usual
}

/**
 * Returns lines that tell a person how to add a folder to PATH: the command for this shell, and the file that makes the
 * change permanent.
 */
export function pathAdvice(folder: string, shell: string): string[] {
  const name = shell.split('/').at(-1)
  const line = name === 'fish' ? `fish_add_path ${shellQuoted(folder)}` : `export PATH=${shellQuoted(folder)}:"$PATH"`
  const file = name === 'zsh' ? '~/.zshrc' : name === 'bash' ? '~/.bashrc' : '~/.profile'
  return [
    `${folder} is not in PATH, so your shell does not find it yet. Run this line:`,
    `  ${line}`,
    ...(name === 'fish' ? [] : [`Add the same line to ${file}, so that new shells find it too.`]),
  ]
}

const startFault = (file: string): Promise<string | undefined> =>
  new Promise((done) => {
    execFile(file, ['--version'], { timeout: 30_000 }, (error, _out, err) =>
      done(error ? err.trim().split('\n')[0] || error.message.split('\n')[0] : undefined),
    )
  })
