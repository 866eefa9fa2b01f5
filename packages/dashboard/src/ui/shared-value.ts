import { useSyncExternalStore } from 'react'

/** Keeps a value outside of components. Components that call `useValue` are drawn again when it changes. */
export function sharedValue<T>(value: T) {
  let current = value
  const listeners = new Set<() => void>()
  const listen = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const get = () => current
  const set = (next: T) => {
    current = next
    for (const listener of listeners) listener()
  }
  return { get, set, useValue: (): T => useSyncExternalStore(listen, get) }
}
