/**
 * Sends several prepared statements to PostgreSQL in one message, so that a batch of reports waits for one answer and
 * not for a dozen. Values are sent as arrays, one for each column (arrays.ts), and result rows come back as texts.
 */
import type { Connection, PoolClient, Submittable } from 'pg'
import type { ColumnReader } from '../../../platform/db/tables/described.ts'

/** A statement that a connection prepares once under its name, with one plan for all values. */
export interface PreparedStatement {
  readonly name: string
  readonly text: string
}
export type PipelineStep = readonly [statement: PreparedStatement, values?: readonly Buffer[]]
/** A row as PostgreSQL sends it: each value is text, or null. */
export type TextRow = readonly (string | null)[]

/** Converts a row as PostgreSQL sends it: integers become numbers. */
export function readTextRow<R extends readonly unknown[]>(
  { integers }: ColumnReader<readonly string[], R>,
  row: TextRow,
): R {
  const cells: (string | number | null)[] = [...row]
  for (const i of integers) if (typeof cells[i] === 'string') cells[i] = Number(cells[i])
  return cells as readonly unknown[] as R
}

/** Runs the steps in order and returns the rows of each. When one fails, the steps after it have no effect. */
export function runPipelined<const S extends readonly PipelineStep[]>(
  client: PoolClient,
  steps: S,
): Promise<{ [K in keyof S]: TextRow[] }> {
  return new Promise((resolve, reject) => {
    client.query(new Pipeline(steps, resolve as (rows: TextRow[][]) => void, reject))
  })
}

/** The pipeline as an object that `pg` can send. `pg` calls its methods while the answer arrives. */
class Pipeline implements Submittable {
  readonly #steps: readonly PipelineStep[]
  readonly #resolve: (rows: TextRow[][]) => void
  readonly #reject: (error: unknown) => void
  readonly #done: TextRow[][] = []
  #rows: TextRow[] = []

  constructor(steps: readonly PipelineStep[], resolve: (rows: TextRow[][]) => void, reject: (error: unknown) => void) {
    this.#steps = steps
    this.#resolve = resolve
    this.#reject = reject
  }

  submit(connection: Connection): void {
    const wire = connection as unknown as Wire
    const known = knownTo(connection)
    wire.stream.cork()
    for (const [{ name, text }, values = []] of this.#steps) {
      if (!known.has(name)) {
        // The statement's name is closed first, because this connection may have prepared it before. Closing a name
        // that does not exist is not an error.
        wire.close({ type: 'S', name })
        wire.parse({ name, text })
        known.add(name)
      }
      wire.bind({ statement: name, values })
      wire.execute()
    }
    wire.sync()
    wire.stream.uncork()
  }

  handleDataRow({ fields }: { fields: TextRow }): void {
    this.#rows.push(fields)
  }

  handleCommandComplete(): void {
    this.#done.push(this.#rows)
    this.#rows = []
  }

  handleReadyForQuery(): void {
    this.#resolve(this.#done)
  }

  handleError(error: unknown, connection?: Connection): void {
    if (connection) prepared.delete(connection)
    this.#reject(error)
  }
}

/** The methods of a `pg` connection that a pipeline uses. The types of `pg` do not declare them. */
interface Wire {
  stream: { cork(): void; uncork(): void }
  close(message: { type: 'S'; name: string }): void
  parse(message: PreparedStatement): void
  bind(message: { statement: string; values: readonly Buffer[] }): void
  execute(): void
  sync(): void
}

/** The names of the statements that each connection has prepared, and the time when it began to prepare them. */
const prepared = new WeakMap<Connection, { names: Set<string>; since: number }>()
/**
 * The milliseconds after which a connection prepares its statements again. The plan of a statement suits the tables as
 * they were when it was prepared.
 */
const replanMs = 60_000

function knownTo(connection: Connection): Set<string> {
  let known = prepared.get(connection)
  if (!known || known.since + replanMs < performance.now()) known = { names: new Set(), since: performance.now() }
  prepared.set(connection, known)
  return known.names
}
