import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const never = new Set(['node_modules', 'dist', '.cache', 'testing'])

/**
 * Returns a value that changes when one of these files or folders changes, or when a file is removed. It is computed
 * from the name, size and time of every file, except those of tests.
 */
export function fingerprint(root: string, paths: readonly string[]): string {
  const hash = createHash('sha256')
  for (const path of paths)
    for (const file of filesOf(root, path)) {
      const { size, mtimeMs } = statSync(join(root, file))
      hash.update(`${file}\0${size}\0${mtimeMs}\n`)
    }
  return hash.digest('hex')
}

function filesOf(root: string, path: string): string[] {
  const stat = statSync(join(root, path), { throwIfNoEntry: false })
  if (!stat) return []
  if (!stat.isDirectory()) return [path]
  return readdirSync(join(root, path))
    .sort()
    .filter((name) => !never.has(name) && !/\.test\.tsx?$/.test(name))
    .flatMap((name) => filesOf(root, join(path, name)))
}
