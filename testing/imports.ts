/**
 * Finds the imports of the repository's source files in their text. This is possible because the formatter gives every
 * import one of three forms.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const root = join(import.meta.dirname, '..')

export interface Import {
  readonly file: string
  /**
   * The text between the quotes of the import. A relative path is converted into a path from the root of the
   * repository.
   */
  readonly from: string
  /** True if only types are imported, so that nothing is loaded at run time. */
  readonly typeOnly: boolean
}

const shapes = [
  /^\s*(?:import|export)\s(?<type>type\s)?[^'"`;=()]*?from '(?<from>[^']+)'/gm,
  /^\s*import '(?<from>[^']+)'/gm,
  /(?<type>typeof )?\bimport\('(?<from>[^']+)'\)/g,
]

export function importsOf(file: string, text: string): Import[] {
  return shapes.flatMap((shape) =>
    [...text.matchAll(shape)].map(({ groups }) => {
      const from = groups?.from ?? ''
      const path = from.startsWith('.') ? normalize(join(dirname(file), from)) : from
      return { file, from: path, typeOnly: groups?.type !== undefined }
    }),
  )
}

/** The imports of every source file that git tracks or would add. */
export function allImports(): Import[] {
  const listing = ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx', '*.mts']
  const files = execFileSync('git', listing, { cwd: root, encoding: 'utf8' }).trim().split('\n')
  return files.flatMap((file) => {
    const text = textOf(file)
    return text === undefined ? [] : importsOf(file, text)
  })
}

/** The text of a file; undefined if the file was removed but is still in git's index. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(join(root, file), 'utf8')
  } catch {
    return undefined
  }
}
