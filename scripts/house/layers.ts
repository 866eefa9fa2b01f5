/**
 * The order of the folders of each package, from above: a folder imports only what stands in a layer below its own. Types count for
 * nothing here, since nothing is loaded for them. A file that lies directly in `src` stands by its name.
 */
export interface Order {
  readonly layers: readonly (readonly string[])[]
  /** Imports against the order that cannot be avoided. */
  readonly exceptions: readonly { readonly file: string; readonly imports: string; readonly why: string }[]
}
export const orders: Readonly<Record<string, Order>> = {
  blueprint: {
    layers: [['index.ts'], ['folder'], ['bundle'], ['manifest'], ['zip', 'key.ts']],
    exceptions: [],
  },
  runtime: {
    layers: [
      ['main.ts', 'index.ts'],
      ['cli'],
      ['drill', 'author'],
      ['worker'],
      ['update'],
      ['self-update', 'install', 'bindings', 'service'],
      ['reporter'],
      ['launcher', 'status'],
      ['commands', 'logs'],
      ['state', 'versions'],
      ['files'],
      ['hint.ts'],
      ['process', 'programs'],
      ['author/starting', 'errors.ts', 'part.ts', 'refusal.ts', 'time.ts', 'version.ts'],
    ],
    exceptions: [],
  },
}
