/** A decision that may refuse: refusing is nothing exceptional, so it is returned and never thrown here. */
export type Verdict<T, Code extends string = string> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: Code; readonly message: string }
