/**
 * The programs that an agent needs on its machine (the key `needs` of its manifest). Each program is found in PATH by
 * name, and may have a minimum version.
 */
import { list, object, text, type YamlReader } from './reading.ts'

/** A program that an agent needs. */
export interface Need {
  readonly name: string
  /** The minimum version, such as `3.9`. The first version number that the program prints must not be lower. */
  readonly min?: string
  /** The arguments with which the program prints its version; `--version` if absent. */
  readonly version_args?: readonly string[]
}

const name = text(64, (t) =>
  /^[A-Za-z0-9][A-Za-z0-9._+-]*$/.test(t) ? undefined : 'must be the name of a program, without a path',
)
const min = text(40, (t) => (/^\d+(?:\.\d+){0,3}$/.test(t) ? undefined : 'must be a version such as 3.9 or 0.16.4'))
const full = object({ name, min, version_args: list(text(100), 5) }, 'name')

/** Reads a needed program, either as `restic` or as `{name: python3, min: "3.9"}`. */
const need: YamlReader<Need> = (v, path, reading) => {
  if (v.is === 'map') return full(v, path, reading)
  const got = name(v, path, reading)
  return got === undefined ? undefined : { name: got }
}

export const needs: YamlReader<Need[]> = list(need, 30, (n) => n.name)
