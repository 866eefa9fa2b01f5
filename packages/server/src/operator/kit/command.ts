/** What a command of `svc-server` is: its words, and what it does through the same functions as the pages. */
import type { Operation } from '@svc/api'
import type { Request, Service } from './request.ts'

/** The functions behind the commands, see stores.ts. */
export type Stores = typeof import('./stores.ts')

export interface OperatorCommand<T = unknown> {
  says: string
  /** Such as `<slug>` or `[values...]`, each with its explanation. */
  args?: [name: string, says: string][]
  /** Such as `--name <name>`, each with its explanation. */
  options?: [flags: string, says: string][]
  /** Which arguments are paths: taken from the folder of the person who types. */
  paths?: number[]
  /** Which argument is a file that comes with the request, of so many bytes at most: a service may see other folders, or none. */
  reads?: { at: number; maxBytes: number; what: string }
  /** What it reads from standard input. Undefined: nothing. */
  input?: string
  /** What `--json` prints. A refusal is thrown. */
  run: (request: Request, service: Service, stores: Stores) => Promise<T>
  /** The same for people. */
  show: (value: T) => string
}

/** A command that carries out an operation, under the name and with the words of its description. */
export function commandOf<T>(
  operation: Operation,
  { run, show }: Pick<OperatorCommand<T>, 'run' | 'show'>,
): Record<string, OperatorCommand> {
  const words = operation.command
  if (!words) throw new Error(`${operation.route} has no command.`)
  const { name, args = [], options = [] } = words
  const copied = (pairs: readonly (readonly [string, string])[]) => pairs.map(([a, b]): [string, string] => [a, b])
  return { [name]: command({ says: operation.says, args: copied(args), options: copied(options), run, show }) }
}

/** Keeps the type of what a command gives between its `run` and its `show`. */
export const command = <T>(definition: OperatorCommand<T>): OperatorCommand => definition as OperatorCommand
