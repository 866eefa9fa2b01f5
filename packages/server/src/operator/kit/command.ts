/** Defines a command of `svc-server`: its words, and its action through the same functions as the pages. */
import type { Operation } from '@svc/api'
import type { Request, Service } from './request.ts'

/** The functions behind the commands (stores.ts). */
export type Stores = typeof import('./stores.ts')

export interface OperatorCommand<T = unknown> {
  says: string
  /** For example `<slug>` or `[values...]`, each with its explanation. */
  args?: [name: string, says: string][]
  /** For example `--name <name>`, each with its explanation. */
  options?: [flags: string, says: string][]
  /** The arguments that are paths, relative to the working folder of the person. */
  paths?: number[]
  /**
   * The argument that is a file, which is sent with the request, with its maximum size in bytes: the service may see
   * other folders, or none.
   */
  reads?: { at: number; maxBytes: number; what: string }
  /** A description of what it reads from standard input; undefined if nothing. */
  input?: string
  /** Returns the value that `--json` prints; throws for a refusal. */
  run: (request: Request, service: Service, stores: Stores) => Promise<T>
  /** The same value as text for people. */
  show: (value: T) => string
}

/** A command that carries out an operation, with the name and words of its description. */
export function commandOf<T>(
  operation: Operation,
  { run, show, input }: Pick<OperatorCommand<T>, 'run' | 'show' | 'input'>,
): Record<string, OperatorCommand> {
  const words = operation.command
  if (!words) throw new Error(`${operation.route} has no command.`)
  const { name, args = [], options = [] } = words
  const copied = (pairs: readonly (readonly [string, string])[]) => pairs.map(([a, b]): [string, string] => [a, b])
  const asks = input === undefined ? {} : { input }
  return { [name]: command({ says: operation.says, args: copied(args), options: copied(options), ...asks, run, show }) }
}

/** Keeps the type of the value between `run` and `show`. */
export const command = <T>(definition: OperatorCommand<T>): OperatorCommand => definition as OperatorCommand
