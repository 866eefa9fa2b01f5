/**
 * A copy of the working tree outside of the checkout, in which faults are made. Libraries are links to those of the
 * checkout. Our own packages must be those of the copy, so `node_modules` is a real folder whose links to them are made
 * again.
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

/** The output of `npm run build`, with its record of the inputs. */
const products = ['dist/cli', 'packages/dashboard/dist', '.cache/built']
const own = '@svc'

export interface Copy {
  readonly root: string
  /** The folder for temporary files of the tests. */
  readonly temporary: string
  /** Makes the fault. The returned function restores the file and everything built from it. */
  readonly make: (fault: Fault) => () => void
  /** Saves what is built now, as the starting point of each fault. */
  readonly keepBuilt: () => void
  readonly remove: () => void
}

export function copyOf(checkout: string): Copy {
  const home = mkdtempSync(join(tmpdir(), 'svc-faults-'))
  const root = join(home, 'copy')
  const built = join(home, 'built')
  const temporary = join(home, 't') // short, since paths of sockets must be
  mkdirSync(temporary)
  // If the tests run as root, PostgreSQL runs as another user and must reach this folder.
  chmodSync(home, 0o711)
  chmodSync(temporary, 0o1777)
  for (const file of filesOf(checkout)) copyFile(join(checkout, file), join(root, file))
  for (const folder of ['.', ...packagesOf(checkout)]) linkLibraries(join(checkout, folder), join(root, folder))
  for (const product of products) copyFolder(join(checkout, product), join(root, product))
  // The browser is unpacked once for all checkouts.
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
        utimesSync(file, atime, mtime) // keeps the times, so that nothing is built again
        for (const product of products) copyFolder(join(built, product), join(root, product))
      }
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}

/** Every file that git knows or would add, as it is in the working tree. */
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

/** Copies a file with its time, which tells the build what has changed. */
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
  // Names with a dot are caches of tools, except `.bin`.
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
