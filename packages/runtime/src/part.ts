/**
 * `svc.pyz` holds the program in parts, packed, each on a line of its own: a process that lives for months parses and keeps only the one
 * that it runs. Run from source there are no parts.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { compileFunction } from 'node:vm'
import { inflateRawSync } from 'node:zlib'

/** Where a part stands in the file; base64 of its deflated text. */
export interface Place {
  readonly name: string
  readonly at: number
  readonly length: number
}

/** What a part exports. */
export function loadPart(file: string, { name, at, length }: Place, require: NodeJS.Require): unknown {
  const packed = Buffer.alloc(length)
  const fd = openSync(file, 'r')
  try {
    readSync(fd, packed, 0, length, at)
  } finally {
    closeSync(fd)
  }
  const code = inflateRawSync(Buffer.from(packed.toString('latin1'), 'base64')).toString('latin1')
  const module = { exports: {} }
  compileFunction(code, ['module', 'exports', 'require'], { filename: `${file}/${name}` })(
    module,
    module.exports,
    require,
  )
  return module.exports
}
