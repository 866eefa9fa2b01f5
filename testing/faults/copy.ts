/**
 * Makes a copy of the working tree outside of the checkout, in which faults are made. In the copy's `node_modules`,
 * libraries are links to those of the checkout, but our own packages are links to the packages of the copy.
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Fault, withFault } from './fault.ts'

/** The output of `npm run build`, with the files that record from which sources it was built. */
const products = ['dist/cli', 'dist/help', 'packages/dashboard/dist', '.cache/built']
const own = '@svc'

export interface Copy {
  readonly root: string
  /** The folder in which the tests of the copy write temporary files. */
  readonly temporary: string
  /** Makes a fault in the copy. The returned function restores the changed file and the output of the build. */
  readonly make: (fault: Fault) => () => void
  /** Saves the present output of the build, which is restored after each fault. */
  readonly keepBuilt: () => void
  readonly remove: () => void
}

export function copyOf(checkout: string): Copy {
  const home = mkdtempSync(join(tmpdir(), 'svc-faults-'))
  const root = join(home, 'copy')
  const built = join(home, 'built')
  const temporary = join(home, 't') // the name is short, since the path of a socket has a maximum length
  mkdirSync(temporary)
  // If root runs the tests, PostgreSQL runs as another user, who must be able to reach the temporary folder.
  chmodSync(home, 0o711)
  chmodSync(temporary, 0o1777)
  for (const file of filesOf(checkout)) copyFile(join(checkout, file), join(root, file))
  for (const folder of ['.', ...packagesOf(checkout)]) linkLibraries(join(checkout, folder), join(root, folder))
  for (const product of products) copyFolder(join(checkout, product), join(root, product))
  // The copy uses the browser that the checkout has unpacked.
  linkIfThere(join(checkout, '.cache/browser'), join(root, '.cache/browser'))
  return {
    root,
    temporary,
    keepBuilt: () => {
      for (const product of products) copyFolder(join(root, product), join(built, product))
    },
    make: (fault) => {
      const file = join(root, fault.file)
      const text = readFileSync(file, 'utf8')
      const { atime, mtime } = statSync(file)
      writeFileSync(file, withFault(text, fault))
      return () => {
        writeFileSync(file, text)
        // the file gets its old time again, so that the next build does not take it for changed
        utimesSync(file, atime, mtime)
        for (const product of products) copyFolder(join(built, product), join(root, product))
      }
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}

/** Every file of the working tree that git tracks or would add. */
function filesOf(checkout: string): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const { status, stdout, stderr } = spawnSync('git', args, {
    cwd: checkout,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`git could not list the files of ${checkout}: ${stderr}`)
  return stdout.split('\0').filter((file) => file !== '' && existsSync(join(checkout, file)))
}

const packagesOf = (checkout: string): string[] =>
  readdirSync(join(checkout, 'packages')).map((name) => join('packages', name))

/** Copies a file and the time of its last change, by which the build notices changes. */
function copyFile(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(from, to)
  const { atime, mtime } = statSync(from)
  utimesSync(to, atime, mtime)
}

function copyFolder(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true })
  if (existsSync(from)) cpSync(from, to, { recursive: true, preserveTimestamps: true })
}

function linkLibraries(from: string, to: string): void {
  const [libraries, links] = [join(from, 'node_modules'), join(to, 'node_modules')]
  if (!existsSync(libraries)) return
  mkdirSync(links, { recursive: true })
  // Folders in `node_modules` whose names begin with a dot are caches of tools, except `.bin`.
  const names = readdirSync(libraries).filter((name) => !name.startsWith('.') || name === '.bin')
  for (const name of names.filter((name) => name !== own)) symlinkSync(join(libraries, name), join(links, name))
  if (!names.includes(own)) return
  mkdirSync(join(links, own))
  for (const name of readdirSync(join(libraries, own)))
    symlinkSync(readlinkSync(join(libraries, own, name)), join(links, own, name))
}

function linkIfThere(from: string, to: string): void {
  if (!existsSync(from)) return
  mkdirSync(dirname(to), { recursive: true })
  symlinkSync(from, to)
}
