/**
 * Makes the licence notices for the libraries that the page or `svc.pyz` contains: each with its version, its licence
 * and the licence text, since authors require that the text accompanies their code. The list of libraries comes from
 * the bundler, so it names exactly what is in the output.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'

export interface ContainedPackage {
  readonly name: string
  readonly version: string
  readonly licence: string
  /** The texts of the package's licence files, and of other files that must accompany its code. */
  readonly texts: readonly string[]
}

/**
 * The folder with the licence texts that packages do not bring: their own, copied from their sources, or those of
 * libraries inside their files. A file is called `NAME.txt`, with `+` in place of the slash after a scope.
 */
const added = join(import.meta.dirname, 'licences')
const modules = `${sep}node_modules${sep}`

/**
 * The packages to which these modules (absolute paths) belong, sorted by name. Modules of this repository and of the
 * bundler belong to no package.
 */
export function containedIn(files: Iterable<string>): ContainedPackage[] {
  const folders = new Set<string>()
  for (const file of files) {
    const folder = packageFolder(file)
    if (folder !== undefined) folders.add(folder)
  }
  return [...folders].map(readPackage).sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version))
}

/**
 * The text of the notices for `product`. Throws if a package has no licence or no licence text, since nobody may pass
 * on such a package.
 */
export function noticesOf(product: string, contained: readonly ContainedPackage[]): string {
  for (const { name, version, licence, texts } of contained) {
    if (licence === '') throw new Error(`${product} contains ${name} ${version}, whose package.json names no licence.`)
    if (texts.length === 0)
      throw new Error(
        `${product} contains ${name} ${version} (${licence}), which brings no licence text. Put the one of its sources into building/licences/${addedName(name)}, or use another package.`,
      )
  }
  return `${[opening(product, contained.length), ...contained.map(section)].join(`\n\n${line}\n`)}\n`
}

const line = '-'.repeat(72)

const opening = (product: string, libraries: number): string =>
  `${product} is licensed under Apache-2.0. It contains ${libraries} libraries of other authors. Each is listed here with its licence.`

const section = ({ name, version, licence, texts }: ContainedPackage): string =>
  [`${name} ${version} (${licence})`, ...texts].join('\n\n')

/**
 * The folder of the package to which a file belongs, `…/node_modules/NAME` or `…/node_modules/@scope/NAME`; undefined
 * if the file is in no package.
 */
function packageFolder(file: string): string | undefined {
  const at = file.lastIndexOf(modules)
  if (at < 0) return undefined
  const [first = '', second = ''] = file.slice(at + modules.length).split(sep)
  return file.slice(0, at + modules.length) + (first.startsWith('@') ? join(first, second) : first)
}

function readPackage(folder: string): ContainedPackage {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)([.-]|$)/i.test(file) && existsSync(join(folder, file)))
    .sort(compare)
    .map((file) => tidied(readFileSync(join(folder, file), 'utf8')))
    .filter((text) => text !== '')
  const licence = typeof license === 'string' ? license : ''
  return { name, version, licence, texts: [...texts, ...addedText(name)] }
}

const addedName = (name: string): string => `${name.replace('/', '+')}.txt`

function addedText(name: string): string[] {
  const file = join(added, addedName(name))
  return existsSync(file) ? [tidied(readFileSync(file, 'utf8'))] : []
}

/** Converts all line ends to LF, since `svc.pyz` may contain no other line ends, and removes spaces at line ends. */
const tidied = (text: string): string =>
  text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/[ \t]+$/gm, '')
    .trim()

/** Compares two texts by their code units, so that the order is the same on every machine. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
