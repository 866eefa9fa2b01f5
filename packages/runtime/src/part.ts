/**
 * Loads the packed parts of the program in `svc.pyz`, each on its own lines. A process that lives for months parses and
 * keeps only its own part, and of that only the pieces it has used. The file may be exchanged under a running process,
 * and the pieces of a part belong together: so all lines of a part are read at once, each is unpacked when it is used,
 * and a file that was exchanged before that is refused. Sources have no parts.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { compileFunction } from 'node:vm'
import { inflateRawSync } from 'node:zlib'

export interface Part {
  /** The piece that those who load the part get. */
  readonly entry: string
  /** The text at offset `at` of this same file. */
  readonly mark: string
  readonly at: number
  readonly packs: readonly Pack[]
}
/** The place of a line, which is base64 of deflated text, and the pieces in it. */
export type Pack = readonly [at: number, length: number, ...pieces: readonly string[]]

type Piece = (module: { exports: unknown }, exports: unknown, require: (name: string) => unknown) => void

/** Loads a part and returns its exports. */
export function loadPart(file: string, part: Part, require: NodeJS.Require): unknown {
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

/** Modules of Node that take milliseconds to load, and that most commands import but do not use. */
const seldom = new Set(['child_process', 'crypto', 'dns', 'http', 'https', 'net', 'tls'].map((name) => `node:${name}`))

/** A placeholder for a module, which is loaded when something of it is used. */
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
        return property && { ...property, configurable: true } // a proxy must call properties configurable that its target lacks
      },
    },
  )
}

/** The line that holds each piece. */
function linesOf(file: string, { mark, at, packs }: Part): Map<string, Buffer> {
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
