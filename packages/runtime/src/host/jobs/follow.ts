/** Follows the command of a run: hands on signals, and ends the command when its time is over. */
import { isatty } from 'node:tty'
import { scaledMs, wait } from '../../machine/base/time.ts'
import { groupLives, signalGroup } from '../../machine/process/group.ts'

const handedOn = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const
/** A terminal sends these to all processes in its foreground, so also to the command. */
const terminalSignals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT']

/**
 * Starts passing on signals. Returns a function that sets the process that gets them: call it with the process id once
 * the command has started, and with undefined once it has ended. With `toGroup`, the command leads a process group in a
 * separate session, and the whole group gets all signals.
 */
export function forwardSignals(toGroup: boolean, input: number | undefined): (pid: number | undefined) => void {
  let pid: number | undefined
  const send = (signal: NodeJS.Signals): void => {
    if (pid === undefined) return
    if (toGroup) signalGroup(pid, signal)
    else signalOne(pid, signal)
  }
  const atTerminal = !toGroup && input !== undefined && isatty(input)
  for (const signal of handedOn)
    process.on(signal, atTerminal && terminalSignals.includes(signal) ? () => {} : () => send(signal))
  return (next) => {
    pid = next
  }
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // the process has ended, or now runs as another user
  }
}

/** The seconds between SIGTERM and SIGKILL. */
const patienceSeconds = 10
/** The longest time that a timer of Node can wait, in milliseconds. */
const maxWait = 2 ** 31 - 1

/** The watch over the time limit of a run. */
export interface TimeLimit {
  /**
   * Must be called when the process has ended. Resolves to false if that was within the time limit, and otherwise to
   * true once the whole group and all helpers are gone.
   */
  ended(): Promise<boolean>
}

/**
 * Ends the group of the process `pid` after this many seconds, with SIGTERM and later with SIGKILL. Does the same to
 * the processes that `helpers` finds, which may have left the group.
 */
export function limitTime(pid: number, seconds: number, helpers: () => Promise<readonly number[]>): TimeLimit {
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    signalGroup(pid, signal)
    for (const helper of await helpers()) signalOne(helper, signal)
  }
  const stop = new AbortController()
  const passed = async (left: number): Promise<boolean> => {
    for (let rest = left; rest > 0; rest -= maxWait)
      if (!(await wait(Math.min(rest, maxWait), stop.signal))) return false
    return true
  }
  const over = passed(scaled(seconds)).then((isOver) => {
    if (isOver) void end('SIGTERM')
    return isOver
  })
  let isOver = false
  let isKilled = false
  void over.then(async (yes) => {
    isOver = yes
    if (yes && (await passed(scaled(patienceSeconds)))) {
      isKilled = true
      await end('SIGKILL')
    }
  })
  return {
    ended: async () => {
      if (!isOver) {
        stop.abort()
        return false
      }
      for (let left = await helpers(); groupLives(pid) || left.length > 0; left = await helpers()) {
        // a helper may have started another helper meanwhile
        if (isKilled) for (const helper of left) signalOne(helper, 'SIGKILL')
        await wait(50, never)
      }
      stop.abort()
      return true
    },
  }
}

const never = new AbortController().signal

/** A duration in milliseconds. A time scale that cannot be read must not keep a command from running. */
function scaled(seconds: number): number {
  try {
    return scaledMs(seconds)
  } catch {
    return seconds * 1000
  }
}
