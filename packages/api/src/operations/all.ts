/** The list of all operations of the service. */
import type { RowLimit } from '../bounds.ts'
import type { AnswerOf, Operation, ParamsOf, RouteOf, SentInputOf } from '../operation.ts'
import * as nouns from './nouns.ts'

type Nouns = typeof nouns
type DescribedOperation = { [N in keyof Nouns]: Extract<Nouns[N][keyof Nouns[N]], Operation> }[keyof Nouns]

/** The types of the parameters, the input and the answer of each operation, by its route. */
export type Operations = {
  [O in DescribedOperation as RouteOf<O>]: { params: ParamsOf<RouteOf<O>>; sent: SentInputOf<O>; given: AnswerOf<O> }
}

const isOperation = (value: object | number): boolean => typeof value === 'object' && 'route' in value

export const operations: readonly Operation[] = Object.values(nouns)
  .flatMap((noun): (object | number)[] => Object.values(noun))
  .filter(isOperation) as Operation[]

/** The rows that each changing operation adds, with their limit, by the operation's route; null if it adds none. */
export const bounds = Object.fromEntries(
  operations.flatMap(({ route, change }) => (change ? [[route, change.adds]] : [])),
) as Readonly<Partial<Record<keyof Operations, RowLimit | null>>>
