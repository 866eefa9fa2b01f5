/** The programs of earlier commits, from the history of this checkout, for the long tests. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { level } from './level.ts'

const root = join(import.meta.dirname, '..')
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 30 }).trim()

/** The full id of a commit; undefined if the checkout has no history, and where these tests do not run. */
export function commitOf(name: string): string | undefined {
  if (level !== 'long') return undefined
  try {
    return git('rev-parse', '--verify', '--quiet', `${name}^{commit}`)
  } catch {
    return undefined
  }
}

/**
 * Extracts the packages of the given commit into a folder. Their dependencies are those of this checkout, except for
 * our own packages.
 */
export function checkOut(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-before-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const archive = execFileSync('git', ['archive', commit, 'packages', 'package.json'], {
    cwd: root,
    maxBuffer: 2 ** 30,
  })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@svc'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '@svc') symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  for (const name of readdirSync(join(folder, 'packages')))
    symlinkSync(join(folder, 'packages', name), join(modules, '@svc', name))
  for (const own of globSync('packages/*/node_modules', { cwd: root })) {
    const package_ = basename(join(own, '..'))
    if (existsSync(join(folder, 'packages', package_)))
      cpSync(join(root, own), join(folder, own), { recursive: true, verbatimSymlinks: false })
  }
  return folder
}
