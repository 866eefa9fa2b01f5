/** Defines a command of `svc-server`: its help texts, and its `run`, which calls the same functions as the pages. */
import type { Operation } from '@svc/api'
import { safeJson, safeText } from '@svc/protocol'
import type { CommandCall, OperatorRequest } from './request.ts'

type ExplainedName = readonly [name: string, says: string]

export interface OperatorCommand<T = unknown> {
  says: string
  /** The name that the command had in earlier versions. */
  formerly?: string
  /** The arguments of the command, such as `<slug>` or `[values...]`, each with its explanation. */
  args?: readonly ExplainedName[]
  /** The options of the command, such as `--name <name>`, each with its explanation. */
  options?: readonly ExplainedName[]
  /** The positions of arguments that are paths, relative to the folder in which the person works. */
  paths?: number[]
  /**
   * The position of an argument that names a file, and the maximum size of that file in bytes. Its contents are sent
   * with the request, because the service may not be able to read the file.
   */
  reads?: { at: number; maxBytes: number; what: string }
  /** A description of the standard input that the command reads; undefined if it reads none. */
  input?: string
  /**
   * Returns the value that is printed; throws for a refusal. It imports modules only when it needs them, because
   * loading the accounts library alone takes longer than asking a running service.
   */
  run: (call: CommandCall) => Promise<T>
  /** The part of the value that `--json` prints; by default all of it. */
  json?: (value: T) => unknown
  /** Makes the value that `run` returned readable for people. */
  show: (value: T) => string
  /** Returns the facts that the service's log line about a call contains besides the name of the command. */
  logged?: (request: OperatorRequest) => object
  /** True if the command ends with exit code 1 although it prints a value, as for a test message that failed. */
  isFailure?: (value: T) => boolean
}

interface Definition<T, At> extends Omit<OperatorCommand<T>, 'run'> {
  /** Finds what the first argument names (params.ts). */
  at?: (call: CommandCall) => Promise<At>
  run: (call: CommandCall, at: At) => Promise<T>
}

/** Makes the command for an operation, with the name and the help texts of the operation's description. */
export function operationCommand<T, At = undefined>(
  operation: Operation,
  definition: Pick<Definition<T, At>, 'at' | 'run' | 'show' | 'json' | 'input' | 'isFailure'>,
): Record<string, OperatorCommand> {
  if (!operation.command) throw new Error(`${operation.route} has no command.`)
  const { name, ...help } = operation.command
  return { [name]: defineCommand({ says: operation.says, ...help, ...definition }) }
}

/** Defines a command. `show` must accept the type of the value that `run` returns. */
export const defineCommand = <T, At = undefined>({ at, run, ...definition }: Definition<T, At>): OperatorCommand =>
  ({ ...definition, run: async (call) => run(call, (await at?.(call)) as At) }) as OperatorCommand

/** The text that a command prints for the value that it returned. */
export const printedValue = <T>({ json: part, show }: OperatorCommand<T>, value: T, json: boolean): string =>
  json ? safeJson(part ? part(value) : value) : safeText(show(value))
