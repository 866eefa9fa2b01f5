/**
 * `svc.pyz` holds the program in parts, packed, each on lines of its own: a process that lives for months parses and keeps only the one
 * that it runs, and of that one what it has used. Run from source there are no parts.
 *
 * The file may be exchanged under a running process, and the pieces of a part belong together. So the lines of a part are read at once,
 * and each is unpacked when it is used; a file that was exchanged before that is refused.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { compileFunction } from 'node:vm'
import { inflateRawSync } from 'node:zlib'

export interface Part {
  /** The piece that is the part to those who load it. */
  readonly entry: string
  /** What stands at `at` of this very file. */
  readonly mark: string
  readonly at: number
  readonly packs: readonly Pack[]
}
/** Where a line stands, base64 of deflated text, and the pieces in it. */
export type Pack = readonly [at: number, length: number, ...pieces: readonly string[]]

type Piece = (module: { exports: unknown }, exports: unknown, require: (name: string) => unknown) => void

/** What a part exports. */
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

/** Modules of Node that take milliseconds to load, and that most commands name and do not use. */
const seldom = new Set(['child_process', 'crypto', 'dns', 'http', 'https', 'net', 'tls'].map((name) => `node:${name}`))

/** Stands for a module and loads it when something of it is used. */
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
        return property && { ...property, configurable: true } // nothing else may be said of what the stand-in has not
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
