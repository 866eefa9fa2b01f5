/** A command of `svc-server` as it was typed, what it may use, and how it ends. */
import type { Role } from '@svc/api'
import { shown, type Verdict } from '@svc/protocol'
import type { By } from '../../audit/by.ts'
import type { Deps } from '../../deps.ts'

/** A command as typed, read by the program and carried to where it runs. */
export interface Request {
  args: string[]
  options: Record<string, string | boolean>
  /** Standard input, for the commands that want it. */
  input: string
  /** The file it asks for, in Base64. */
  file?: string
}

/** The store and what belongs to it, opened for one command or held by the running service. */
export type Service = Pick<Deps, 'store' | 'auth' | 'config' | 'live' | 'now'>

/** The request is understood and not carried out: exit code 1. */
export class Refused extends Error {
  /** Of the refusal, where it has one. */
  readonly code: string | undefined
  constructor(message: string, code?: string) {
    super(message)
    this.code = code
  }
}
/** It names what the data does not hold. Whoever answers adds which data that is (socket.ts). */
export class Missing extends Refused {}
/** The request is not understood: exit code 2. */
export class Misused extends Error {}

/** The value of a decision; its refusal ends the command. */
export function granted<T>(verdict: Verdict<T>): T {
  if (verdict.ok) return verdict.value
  throw new (verdict.code.endsWith('_unknown') ? Missing : Refused)(verdict.message, verdict.code)
}

/** Who the audit trail says it was. */
export const operator: By = { id: null, name: 'operator' }

/** The argument at this place; the program has checked that it is there. */
export const argument = ({ args }: Request, at: number): string => args[at] ?? ''

export const option = ({ options }: Request, name: string): string | undefined => {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

/** The value of an option `--role`. */
export function roleOption(text: string | undefined): Role {
  if (text === undefined || text === 'member') return 'member'
  if (text === 'admin') return 'admin'
  throw new Misused(`A role is admin or member: got ${shown(text)}.`)
}

/** `SLUG/NAME`: a workspace and an agent's name in it. */
export function partsOf(path: string): { slug: string; name: string } {
  const [slug, name, more] = path.split('/')
  if (!slug || !name || more !== undefined) throw new Misused(`An agent is named SLUG/NAME: got ${shown(path)}.`)
  return { slug, name }
}
