/**
 * The note of an installation, `.svc/journal/install.json`: written before each step that cannot be taken back, so that whoever comes
 * after a kill knows what to undo or to say (docs/decisions/kills.md, D44).
 *
 *   made       the folder is made; the code is untouched
 *   redeeming  the code was sent; nobody knows whether it is spent
 *   redeemed   the agent exists in the service; the machine's own work is not finished
 *   installed  everything is there; written last
 */
import { writeDurably } from '../files/durable.ts'
import type { Folder } from '../files/folder.ts'
import { readFile, readJsonObject } from '../files/read.ts'
import { hint } from '../hint.ts'

const steps = ['made', 'redeeming', 'redeemed', 'installed'] as const
export type InstallStep = (typeof steps)[number]
export interface Install {
  readonly is: InstallStep
  readonly url: string
  /** The agent's name in the service. */
  readonly agent: string
  readonly blueprint: string
  readonly version: string
  /** Unix seconds. */
  readonly at: number
  /** Of the bundle, once it is known. */
  readonly sha256?: string
  /** The process that installs. */
  readonly pid: number
  readonly start: string
  /** The folder itself was made, not only what is in it. */
  readonly madeFolder: boolean
}

export const writeInstall = (folder: Folder, install: Install): void =>
  writeDurably(folder.install, `${JSON.stringify(install)}\n`, 0o600)

type Place = Pick<Folder, 'install'>
const mostBytes = 65_536

/** Why the disk does not give it out; undefined also where there is none. */
export function unreadableInstall({ install }: Place): string | undefined {
  const read = readFile(install, mostBytes)
  return read.is === 'unreadable' ? `the note of the installation ${read.why}` : undefined
}

/** Undefined in a folder that was never installed into. */
export function readInstall(folder: Place): Install | undefined {
  const v = readJsonObject(folder.install, mostBytes)
  const is = steps.find((step) => step === v?.is)
  if (!v || !is) return undefined
  const text = (key: string) => (typeof v[key] === 'string' ? v[key] : '')
  const number = (key: string) => (typeof v[key] === 'number' ? v[key] : 0)
  const sha256 = text('sha256')
  return {
    is,
    url: text('url'),
    agent: text('agent'),
    blueprint: text('blueprint'),
    version: text('version'),
    at: number('at'),
    pid: number('pid'),
    start: text('start'),
    madeFolder: v.madeFolder === true,
    ...(sha256 !== '' && { sha256 }),
  }
}

/** Why nothing can be started in this folder, and what to do (4, rule 6, D44); undefined when it can. */
export function unfinished(folder: Folder): string | undefined {
  const install = readInstall(folder)
  if (!install || install.is === 'installed') return undefined
  if (install.is === 'made')
    return `The installation of ${install.agent} in ${folder.root} was broken off before the code was used; run "${hint('init')}" again.`
  return withoutMachine(install, folder.root)
}

/** What a person does about an agent that may exist without a machine. */
export function withoutMachine({ is, agent, url }: Pick<Install, 'is' | 'agent' | 'url'>, root: string): string {
  return is === 'redeeming'
    ? `The code was sent to ${url} and no answer came, so it may be spent. Look in the service: if there is an agent "${agent}", delete it there. Then remove ${root} and use a new code; if there is none, the code may still be good.`
    : `The agent "${agent}" exists in the service ${url}, but without a machine: the installation in ${root} was not finished. Delete the agent there, remove ${root}, and issue a new code.`
}
