/** The result of a check that may refuse. A refusal is a normal result here, so it is returned and not thrown. */
export type Verdict<T, Code extends string = string> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: Code; readonly message: string }
