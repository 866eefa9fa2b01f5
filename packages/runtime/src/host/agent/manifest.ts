/**
 * The manifest of the host agent, the one agent of svc for a user on a machine. `svc adopt` writes it. The runtime
 * renews it before each start of the agent, since its path of Node may be gone. `svc watch` renews it, too.
 */
import { existsSync } from 'node:fs'
import { programPath } from '../../launcher/file.ts'
import { ownVersion } from '../../machine/base/version.ts'
import { writeDurably } from '../../machine/files/durable.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { readFile } from '../../machine/files/read.ts'
import { plainHint } from '../../machine/hint.ts'
import { lastingNode } from '../../machine/programs/node.ts'

interface HostAgent {
  readonly name: string
  /** The absolute path of Node. */
  readonly node: string
  /** The file of svc, if svc runs from source; undefined if the folder has a copy of `svc.pyz`. */
  readonly source?: string | undefined
}

/** The text with which every version of svc begins a manifest that it writes. */
const writtenNote = '# Written by svc, which replaces it.'

/** The text of the host agent's manifest. */
export const hostManifest = ({ name, node, source }: HostAgent, own: string = ownVersion): string => `\
${writtenNote} To change what is shown: ${plainHint('adopt')}
name: ${name}
version: ${own === 'dev' ? '0.0.0' : own}
description: What runs on this machine by itself
runtime:
  kind: process
  command: ${JSON.stringify([node, smallHeap, ...(source === undefined ? copyArguments : [source]), 'watch'])}
status: state/status.json
logs:
  - {name: "job/*", path: "state/jobs/*/last.log"}
  - {name: "failed/*", path: "state/jobs/*/failed.log"}
settings:
  - key: waiting_minutes
    label: Minutes after which a waiting AI session is bad
    type: number
    min: 0
    max: ${waitingMinutes.max}
    default: ${waitingMinutes.usual}
    group: AI sessions
    help: "0 means never: a session that waits for you is a warning then."
  - key: prices
    label: Prices of models
    type: text
    group: AI sessions
    help: "MODEL=IN/OUT/CACHED in USD per million tokens, separated by spaces. They estimate what no tool tells."
`

/** The default and the maximum of the setting `waiting_minutes`. */
export const waitingMinutes = { usual: 5, max: 1440 } as const

/** With this option Node frees memory sooner. `svc watch` makes many short-lived objects every few seconds. */
const smallHeap = '--optimize-for-size'

/**
 * The arguments that start the copy of svc in the agent's folder. Without `-e`, Node would treat the copy as an ES
 * module if a package.json above it has the type "module", and the copy would not start.
 */
const copyArguments = ['-e', 'require(path.resolve(process.argv[1]))', '.svc/runtime/svc.pyz']

/**
 * The manifest for this folder, with the Node and the svc that run now. A worker thread must give the file of svc as
 * `program`, since it does not know how the process was started.
 */
export const manifestFor = (folder: Pick<Folder, 'runtime'>, name: string, program?: string): string =>
  hostManifest({
    name,
    node: lastingNode(),
    source: existsSync(folder.runtime) ? undefined : (program ?? programPath()),
  })

/**
 * Replaces the manifest in the folder by that of this svc, with the same agent name. Returns false if there was nothing
 * to write. The old text is not parsed, since a parser takes megabytes for as long as `svc watch` runs.
 */
export function renewManifest(folder: Pick<Folder, 'runtime' | 'manifest'>, program?: string): boolean {
  const name = nameInManifest(folder)
  if (name === undefined) return false
  return writeManifest(folder, manifestFor(folder, name, program))
}

/** Renews the manifest in the folder of the host agent. In the folder of any other agent it does nothing. */
export const renewOwnManifest = (folder: Pick<Folder, 'runtime' | 'manifest'>, program: string): boolean =>
  textOf(folder)?.startsWith(writtenNote) === true && renewManifest(folder, program)

/** Writes the manifest, unless the folder already has one with the same text. Returns true if it was written. */
export function writeManifest(folder: Pick<Folder, 'manifest'>, text: string): boolean {
  if (textOf(folder) === text) return false
  writeDurably(folder.manifest, text)
  return true
}

/** The agent's name in the folder's manifest; undefined if it cannot be read there. */
export const nameInManifest = (folder: Pick<Folder, 'manifest'>): string | undefined =>
  /^name: ([a-z0-9-]+)$/m.exec(textOf(folder) ?? '')?.[1]

function textOf({ manifest }: Pick<Folder, 'manifest'>): string | undefined {
  const read = readFile(manifest, 65_536)
  return read.is === 'bytes' ? read.bytes.toString('utf8') : undefined
}
