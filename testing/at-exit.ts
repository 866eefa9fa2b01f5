/**
 * Cleans up when this process exits, so that none of its processes and folders is left. A signal that kills this
 * process leaves no time for that.
 */
import type { ChildProcess } from 'node:child_process'

const acts = new Set<() => void>()

// There is one listener for all, since Node takes more than ten on one event for a leak.
process.once('exit', () => {
  for (const act of acts) {
    try {
      act()
    } catch {
      // The remaining ones are still called.
    }
  }
})

/** Calls `act` when this process exits, unless the returned function was called before. */
export function atExit(act: () => void): () => void {
  // Two callers may give the same function, so each gets an entry of its own.
  const own = () => act()
  acts.add(own)
  return () => void acts.delete(own)
}

/** Kills a process when this one exits, if it still runs then. Returns that process. */
export const killAtExit = <Child extends ChildProcess>(child: Child, signal: NodeJS.Signals = 'SIGKILL'): Child =>
  child.once(
    'exit',
    atExit(() => child.kill(signal)),
  )
