/** A command of `svc-server` as typed, what it may use, and how it ends. */
import { InputRefused, type Operation, optionsField, type Role, type Route } from '@svc/api'
import { splitTags } from '@svc/api/filter'
import { readPasted, shown, type Verdict } from '@svc/protocol'
import type { Actor } from '../../people/audit/by.ts'
import type { Deps } from '../../web/routing/deps.ts'

/** A command as typed. `svc-server` has parsed it, and sends it to the process that carries it out. */
export interface OperatorRequest {
  args: string[]
  options: Record<string, string | boolean>
  /** The standard input of the command if it reads any, otherwise empty. */
  input: string
  /** The file that the command reads, in Base64. */
  file?: string
}

/**
 * The parts of the service that a command uses. They belong to the running service, or were opened for this one
 * command.
 */
export type ServiceParts = Pick<Deps, 'store' | 'auth' | 'config' | 'live' | 'now' | 'hurrySweeper'> & {
  /** True if the parts were opened for this command. It is then possible that no service is running. */
  isAlone?: boolean
}

/** A call of a command: what was typed, and the parts of the service. */
export type CommandCall = OperatorRequest & ServiceParts

/** The error for a request that was understood and refused: exit code 1. */
export class RefusedError extends Error {
  /** The code of the refusal; undefined if it has none. */
  readonly code: string | undefined
  constructor(message: string, code?: string) {
    super(message)
    this.code = code
  }
}
/**
 * The error for an object that does not exist. The name of the data that was searched is added to its message
 * (socket.ts).
 */
export class MissingError extends RefusedError {}
/** The error for a request that was not understood: exit code 2. */
export class UsageError extends Error {}

/** Returns the value of a verdict; throws if it is a refusal. */
export function grantedToOperator<T>(verdict: Verdict<T>): T {
  if (verdict.ok) return verdict.value
  throw new (verdict.code.endsWith('_unknown') ? MissingError : RefusedError)(verdict.message, verdict.code)
}

/** The operator's name in the audit trail. */
export const operator: Actor = { id: null, name: 'operator' }

/** The context of a change that no operation describes, and that only the operator makes. */
export const asOperator = (service: ServiceParts) => ({
  db: service.store.db,
  people: service,
  by: operator,
  now: service.now(),
})

/** The argument at this position as it was typed; `svc-server` has checked that it is present. */
export const rawArgument = ({ args }: OperatorRequest, at: number): string => args[at] ?? ''

/** The option as it was typed; undefined if it was not given. */
export const rawOption = ({ options }: OperatorRequest, name: string): string | undefined => {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

/** The argument at this position, read as an identifier. */
export const argument = (request: OperatorRequest, at: number): string =>
  identifier('The argument', rawArgument(request, at))

/** The option, read as an identifier; undefined if it was not given. */
export const option = (request: OperatorRequest, name: string): string | undefined => {
  const typed = rawOption(request, name)
  return typed === undefined ? undefined : identifier(`The option --${name}`, typed)
}

/** Reads an identifier that a person pasted into a command. */
function identifier(what: string, typed: string): string {
  const read = readPasted(what, typed)
  if (read.ok) return read.value
  throw new UsageError(read.message)
}

/** Reads typed input with the reader of the operation. Throws `UsageError` if the reader refuses it. */
export function readTypedInput<Read>({ route, input }: Operation<Route, Read>, typed: unknown, field = ''): Read {
  if (!input) throw new Error(`${route} reads no input.`)
  return orUsageError(() => input(typed, field))
}

/** Reads the options of these names as the input of an operation. */
export const readOptions = <Read>(
  request: OperatorRequest,
  operation: Operation<Route, Read>,
  ...names: string[]
): Read =>
  readTypedInput(operation, Object.fromEntries(names.map((name) => [name, rawOption(request, name)])), optionsField)

/** Returns what `read` reads. Throws `UsageError` if `read` refuses the input. */
export function orUsageError<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof InputRefused ? new UsageError(error.message) : error
  }
}

/** The texts of an option such as `--tags eu,prod`; undefined if the option was not given. */
export const listOption = (request: OperatorRequest, name: string): string[] | undefined => {
  const typed = rawOption(request, name)
  return typed === undefined ? undefined : splitTags(typed)
}

/**
 * The number that an option gives; undefined if it was not given. Other text is returned as text, so that the
 * operation's reader refuses it.
 */
export const numberOption = (request: OperatorRequest, name: string): number | string | undefined => {
  const typed = option(request, name)
  return typed !== undefined && /^\d{1,9}$/.test(typed) ? Number(typed) : typed
}

/** Reads the role that the option `--role` gives; without the option it is `member`. */
export function roleOption(text: string | undefined): Role {
  return text === undefined ? 'member' : readRole(text)
}

export function readRole(text: string): Role {
  if (text === 'member') return 'member'
  if (text === 'admin') return 'admin'
  throw new UsageError(`A role is admin or member: got ${shown(text)}.`)
}

/** Refuses to delete something without the option `--yes`. `goes` says what would be deleted. */
export function requireYes(request: OperatorRequest, goes: string): void {
  if (request.options.yes !== true) throw new UsageError(`${goes} Nothing brings it back. Add --yes to do it.`)
}

/** The option `--yes`, which `requireYes` reads. */
export const yesOption: [string, string] = ['--yes', 'really delete it; without it, the command says what would go']
