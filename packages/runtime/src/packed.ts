/**
 * Loads the packed parts of the program in `svc.pyz`; a program that runs from source has none. A process parses only
 * the pieces of a part that it uses, since it may live for months. `svc.pyz` may be replaced while the process runs,
 * and pieces of two files must not be mixed. So all lines of a part are read at once, and a replaced file is refused.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { compileFunction } from 'node:vm'
import { inflateRawSync } from 'node:zlib'

/** A part of the program inside `svc.pyz`, as lines of that file. */
export interface PackedPart {
  /** The name of the piece whose exports are those of the part. */
  readonly entry: string
  /** The text that the file must have at offset `at`. It shows that the file is still the one that was started. */
  readonly mark: string
  readonly at: number
  readonly packs: readonly PackedLine[]
}
/** The offset and length of a line, which is base64 of compressed text, and the names of the pieces in it. */
export type PackedLine = readonly [at: number, length: number, ...pieces: readonly string[]]

type Piece = (module: { exports: unknown }, exports: unknown, require: (name: string) => unknown) => void

/** Loads a part and returns its exports. */
export function loadPart(file: string, part: PackedPart, require: NodeJS.Require): unknown {
  const lines = linesOf(file, part)
  const pieces = new Map<string, Piece>()
  const loaded = new Map<string, { exports: unknown }>()
  const unpack = (name: string): Piece | undefined => {
    const line = lines.get(name)
    if (!line) return undefined
    const code = inflateRawSync(Buffer.from(line.toString('latin1'), 'base64')).toString('latin1')
    const all = compileFunction(code, [], { filename: `${file}/${name}` })() as Record<string, Piece>
    for (const [each, piece] of Object.entries(all)) {
      pieces.set(each, piece)
      lines.delete(each)
    }
    return all[name]
  }
  const load = (name: string): unknown => {
    const known = loaded.get(name)
    if (known) return known.exports
    const piece = pieces.get(name) ?? unpack(name)
    if (!piece) return seldom.has(name) ? late(() => require(name)) : require(name)
    const module = { exports: {} }
    loaded.set(name, module)
    piece(module, module.exports, load)
    return module.exports
  }
  return load(part.entry)
}

/** Modules of Node that take milliseconds to load. Most commands import them and never use them. */
const seldom = new Set(['child_process', 'crypto', 'dns', 'http', 'https', 'net', 'tls'].map((name) => `node:${name}`))

/** A placeholder for a module. It loads the module when one of its exports is used for the first time. */
function late(load: () => object): object {
  let module: object | undefined
  const there = (): object => {
    module ??= load()
    return module
  }
  return new Proxy(
    {},
    {
      get: (_, key) => Reflect.get(there(), key),
      has: (_, key) => Reflect.has(there(), key),
      ownKeys: () => Reflect.ownKeys(there()),
      getOwnPropertyDescriptor: (_, key) => {
        const property = Reflect.getOwnPropertyDescriptor(there(), key)
        // a proxy must report properties as configurable if its target does not have them
        return property && { ...property, configurable: true }
      },
    },
  )
}

/** Reads the lines of a part, and returns for each piece the line that holds it. */
function linesOf(file: string, { mark, at, packs }: PackedPart): Map<string, Buffer> {
  const fd = openSync(file, 'r')
  const read = (from: number, length: number): Buffer => {
    const bytes = Buffer.allocUnsafeSlow(length)
    readSync(fd, bytes, 0, length, from)
    return bytes
  }
  try {
    if (read(at, mark.length).toString('latin1') !== mark)
      throw new Error(`${file} was exchanged while it was loaded. Start it again.`)
    return new Map(
      packs.flatMap(([from, length, ...names]) => {
        const line = read(from, length)
        return names.map((name) => [name, line] as const)
      }),
    )
  } finally {
    closeSync(fd)
  }
}
