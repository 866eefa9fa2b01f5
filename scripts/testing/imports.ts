/** Reads the imports of the repository's sources from their text. The formatter leaves each in one of three forms. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const root = join(import.meta.dirname, '../..')

export interface Import {
  readonly file: string
  /** The text between the quotes; a relative path is turned into one from the root of the repository. */
  readonly from: string
  /** True if nothing is loaded for it at run time. */
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

/** The imports of every source that git knows or would add. */
export function allImports(): Import[] {
  const listing = ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx', '*.mts']
  const files = execFileSync('git', listing, { cwd: root, encoding: 'utf8' }).trim().split('\n')
  return files.flatMap((file) => {
    const text = textOf(file)
    return text === undefined ? [] : importsOf(file, text)
  })
}

/** Undefined for a removed file that is still in git's index. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(join(root, file), 'utf8')
  } catch {
    return undefined
  }
}
