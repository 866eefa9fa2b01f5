/** A decision that may refuse: a refusal is a normal answer, so it is a value and never thrown here. */
export type Verdict<T, Code extends string = string> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: Code; readonly message: string }
