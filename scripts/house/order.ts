/**
 * The order of the folders in a package, from the top: a folder may import values and types only from folders in lower
 * layers. A file directly in `src` is listed by its name.
 */
export interface Order {
  /** The wings of a large package, from the top. A wing imports only wings below it. */
  readonly wings?: readonly Wing[]
  /** For each layer, its folders and files with a description of each. docs/architecture.md shows these as tables. */
  readonly layers: readonly Readonly<Record<string, string>>[]
  /** Imports that break the order and cannot be avoided, each with the reason. */
  readonly exceptions: readonly { readonly file: string; readonly imports: string; readonly why: string }[]
}

/** A folder of `src` with one subject, and its folders. */
interface Wing {
  readonly name: string
  readonly says: string
  readonly layers: Order['layers']
}

/** The order of a package whose folders are in wings; `above` and `below` are the files directly in `src`. */
export const inWings = (wings: readonly Wing[], above: Order['layers'], below: Order['layers'] = []): Order => ({
  wings,
  layers: [...above, ...wings.flatMap(({ layers }) => layers), ...below],
  exceptions: [],
})
