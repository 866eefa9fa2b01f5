/**
 * The result of a check: a value, or a refusal with its code and message. A refusal is a normal result, so it is
 * returned and not thrown.
 */
export type Verdict<T, Code extends string = string> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: Code; readonly message: string }
