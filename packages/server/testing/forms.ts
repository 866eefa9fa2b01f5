/** For tests: the texts in the input of operations, found by the forms of their readers. */
import type { InputForm } from '@svc/api'

export type TextForm = Extract<InputForm, { is: 'text' }>
/** A text in an input: the keys that lead to it, and its form. The first item of a list is named by 0. */
export interface TextAt {
  path: readonly (string | number)[]
  form: TextForm
}

export function textsIn(form: InputForm, path: readonly (string | number)[] = []): TextAt[] {
  if (form.is === 'text') return [{ path, form }]
  if (form.is === 'list') return textsIn(form.of, [...path, 0])
  if (form.is === 'object' || form.is === 'query')
    return Object.entries(form.fields).flatMap(([key, one]) => textsIn(one, [...path, key]))
  if (form.is === 'kinds') return Object.values(form.kinds).flatMap((one) => textsIn(one, path))
  return []
}

/** The input with another value at a path. Lists and objects on the way are made where they are missing. */
export function withValue(input: unknown, [key, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (key === undefined) return value
  if (typeof key === 'number') return [withValue(Array.isArray(input) ? input[0] : undefined, rest, value)]
  const before = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>
  return { ...before, [key]: withValue(before[key], rest, value) }
}
