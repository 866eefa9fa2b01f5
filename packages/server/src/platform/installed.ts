/**
 * Finds the files that belong to this program. In a checkout the program runs from its sources, which end in `.ts`. In
 * a package the program consists of bundled files in one folder, and everything that it serves is in folders next to
 * them (packages/server/build.ts).
 */
import { accessSync, constants, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs, parseEnv } from 'node:util'

const here = import.meta.dirname

/** True if the program runs from bundled files. */
const isPackage = !import.meta.filename.endsWith('.ts')

const checkout = join(here, '../../../..')
const inCheckout = (path: string) => join(checkout, path)
const sources = inCheckout('packages/server/src')

/**
 * Files and folders that the program needs: the path from the root of the checkout, and in a package the path from the
 * folder of the program.
 */
export const filesBeside = {
  /** The built page. */
  page: ['packages/dashboard/dist', 'page'],
  /** The rendered documents. */
  help: ['dist/help', 'help'],
  /** The build of `svc.pyz` that the service offers to agents. */
  release: ['dist/cli', 'cli'],
  commonPasswords: ['packages/server/src/people/accounts/common-passwords.txt', 'common-passwords.txt'],
  description: ['package.json', '../package.json'],
} as const

/** The absolute path of a file or folder that the program needs. */
export function pathBeside(what: keyof typeof filesBeside): string {
  const [fromCheckout, fromProgram] = filesBeside[what]
  return isPackage ? join(here, fromProgram) : inCheckout(fromCheckout)
}

/** The programs of worker threads: their sources, without `.ts`. In a package they are in the folder of the program. */
export const threadPrograms = {
  judge: 'updates/blueprints/judge-worker',
  checkpointer: 'platform/db/checkpointer',
  passkeys: 'people/accounts/passkey-worker',
} as const

export const threadFile = (thread: keyof typeof threadPrograms): URL =>
  pathToFileURL(
    isPackage ? join(here, `${basename(threadPrograms[thread])}.mjs`) : join(sources, `${threadPrograms[thread]}.ts`),
  )

/** The version of this program. */
export function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(pathBeside('description'), 'utf8')) as { version: string }
  return version
}

/**
 * The folder for compiled code, which halves the time to the first output. In a package it is beside the program or, if
 * it cannot be written there, below the data folder; undefined if it cannot be written there either. `args` is the
 * command line, which may name the data folder.
 */
export function compiledFolder(args: readonly string[], env = process.env, cwd = process.cwd()): string | undefined {
  if (!isPackage) return inCheckout('.cache/compiled')
  return [here, dataFolder(args, env, cwd)].find(canBeWritten)?.concat('/.cache/compiled')
}

/**
 * Finds the data folder before the settings are read, because the code that reads the settings is itself loaded from
 * the folder for compiled code. A mistake in the settings is reported later, when they are read.
 */
function dataFolder(args: readonly string[], env: NodeJS.ProcessEnv, cwd: string): string {
  return resolve(cwd, readEarlyArguments(args).dataDir || env.SVC_DATA_DIR || inEnvFile(cwd) || 'svc-data')
}

/**
 * The words of a command line before the command is known, such as `agent` and `list`, and its data folder. Values of
 * options that only some commands have count as words.
 */
export function readEarlyArguments(args: readonly string[]): { words: readonly string[]; dataDir: string | undefined } {
  const options = { 'data-dir': { type: 'string' } } as const
  const { values, positionals } = parseArgs({ args: [...args], options, strict: false })
  const dataDir = values['data-dir']
  return { words: positionals, dataDir: typeof dataDir === 'string' ? dataDir : undefined }
}

function inEnvFile(cwd: string): string | undefined {
  try {
    return parseEnv(readFileSync(join(cwd, '.env'), 'utf8')).SVC_DATA_DIR
  } catch {
    return undefined // there is none, or it cannot be read
  }
}

function canBeWritten(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** HTML that says what to do when a built part of the program is missing. */
export const missingBuildHtml = isPackage
  ? 'Files of the package are missing: install it again, and restart the service.'
  : 'Build it with <code>npm run build</code>, then reload. <code>npm start</code> builds it by itself.'

/** The command that starts the service, before its options. */
export const startCommand = isPackage ? 'svc-server start' : 'npm start --'
