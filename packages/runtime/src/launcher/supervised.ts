/** The types of the supervisor's state machine: its state, what it sees, its events and its acts. */
import type { Restart } from '@svc/blueprint'
import type { ProcessIdentity } from '../machine/process/identity.ts'
import type { AgentProcess } from '../machine/process/listed.ts'
import type { ProcessExit } from '../state/process-note.ts'
import type { RunSpec } from './spawn.ts'
import type { FoundState } from './take-over.ts'

/** The instructions for one start of the agent. */
export interface StartOrder extends RunSpec {
  readonly restart: Restart
  readonly stopSeconds: number
  /** The version of an installed agent that this order starts, as the name of its folder. */
  readonly version?: string
}
/**
 * The worker's answer to how the agent must be started; undefined if the worker cannot say it, and `silent` if the
 * worker does not answer in time.
 */
export type StartOrderAnswer = StartOrder | 'silent' | undefined

/** The state of the supervisor. */
export interface Supervision extends Omit<FoundState, 'unnoted'> {
  /**
   * The aim of the supervisor: to keep the agent running (`on`), or to end it (`ending`). `over` means that none of the
   * agent's processes is left.
   */
  readonly life: 'on' | 'ending' | 'over'
  /**
   * The progress of a start. `asking`: the worker was asked how the agent must be started. `starting`: the process is
   * being started.
   */
  readonly start: 'none' | 'asking' | 'starting'
  /** True if the process is a child of this runtime, which is then notified of its end. */
  readonly child: boolean
  /** The last answer that said how the agent must be started. */
  readonly order?: StartOrder | undefined
  /** The version and the time of the last restart that was made because another version should run. */
  readonly turned?: { readonly to: string; readonly at: number }
  /** True if the processes outside of the group have been asked to end in the current stop. */
  readonly asked?: boolean
  /** The progress of ending what an earlier start left; undefined if nothing is being ended. */
  readonly clearing?: EndingProcesses | undefined
  /** True if no process of an earlier start is left, so that the next check need not search for them. */
  readonly clean?: boolean
  /**
   * The other processes of the agent that were killed at the last check, and when the newest of them was first killed.
   */
  readonly lastKilled?: { readonly all: readonly ProcessIdentity[]; readonly since: number } | undefined
  /** Processes of the agent that even a kill did not end. */
  readonly spent?: readonly ProcessIdentity[]
  /** True if the log already says that the worker does not answer how the agent must be started. */
  readonly unanswered: boolean
  /** When the size of the agent's output file was last checked for a rotation. */
  readonly rotated: number
}

/** The state of the agent's files and processes at one moment. */
export interface ProcessSnapshot {
  /** True if the very process that the runtime started as the agent still runs. A zombie does not count. */
  readonly lives: boolean
  /** True if the agent's process is not a child of this runtime and any process of its group exists. */
  readonly group: boolean
  /**
   * The other processes that the agent started and that live. They are looked for only if the agent's process is gone.
   */
  readonly left?: readonly AgentProcess[]
  /** True while the command that ends the agent's containers after a kill runs. */
  readonly cleaning?: boolean
  readonly paused: boolean
  /** When somebody last asked for a run, in Unix milliseconds. */
  readonly runAsked?: number | undefined
  /** The version of an installed agent that should run, to which `current` leads. */
  readonly leadsTo?: string | undefined
}
export type SupervisionEvent =
  /**
   * This runtime has started. `unnoted`: an earlier runtime left a process of the agent that the note does not name.
   */
  | { readonly is: 'begun'; readonly unnoted: boolean }
  | { readonly is: 'check'; readonly seen: ProcessSnapshot }
  | { readonly is: 'stop' }
  /**
   * An answer to how the agent must be started. `first`: the answer was requested in advance, and no start waits for
   * it. `wall` is the present time in Unix milliseconds; the mark of the start is made from it.
   */
  | { readonly is: 'answered'; readonly answer: StartOrderAnswer; readonly wall: number; readonly first?: true }
  | { readonly is: 'started'; readonly pid: number; readonly start: string; readonly output?: string | undefined }
  | { readonly is: 'unstartable'; readonly error: string }
  /**
   * The agent's process ended. `remains`: other processes of its group still live, or a clean-up command runs. `left`:
   * all processes of the agent that still live.
   */
  | {
      readonly is: 'exit'
      readonly pid: number
      readonly how: Omit<ProcessExit, 'at'>
      readonly remains: boolean
      readonly left?: readonly AgentProcess[]
    }

export type SupervisionAct =
  | { readonly do: 'note'; readonly starting?: true }
  | { readonly do: 'say'; readonly line: string }
  /** Tells the worker that the state of the process has changed. */
  | { readonly do: 'tell' }
  | { readonly do: 'ask'; readonly first?: true }
  | { readonly do: 'start'; readonly order: StartOrder; readonly started: string }
  /** Sends a signal to the process group of the agent. */
  | { readonly do: 'signal'; readonly pid: number; readonly signal: 'SIGTERM' | 'SIGKILL' }
  /** Sends a signal to all other processes that the agent started. */
  | { readonly do: 'signal left'; readonly signal: 'SIGTERM' | 'SIGKILL' }
  | { readonly do: 'clean up'; readonly order: StartOrder; readonly started: string }
  | { readonly do: 'rotate' }
  /** Checks the agent's files and processes at once. */
  | { readonly do: 'check' }
  /** Checks the agent's files and processes after this many milliseconds. */
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'end' }

/** The rules by which the agent's process is supervised. Durations are in milliseconds. */
export interface SupervisionRules {
  /** The path of the runtime's file for the agent's output, `.svc/log/agent.log`. */
  readonly output: string
  /** The shortest and the longest wait before a start, and the time after which a start counts as successful. */
  readonly minWait: number
  readonly maxWait: number
  readonly counts: number
  /** Converts the seconds that a process gets to end by itself, from its manifest, to milliseconds. */
  readonly stop: (seconds: number) => number
  /** The pause before a restart into another version is tried again, if it did not lead to that version. */
  readonly again: number
  /**
   * After this time, killed processes count as ended even if they seem to live: a zombie that its parent never reaps
   * looks alive.
   */
  readonly gone: number
  readonly rotate: number
  /** The wait between two checks, and the shorter one while the process is being ended. */
  readonly interval: number
  readonly hurry: number
}

/** Processes that an earlier start left are being ended. Until they have ended, the agent is not started. */
interface EndingProcesses {
  /** When the processes are killed, in milliseconds of the launcher's clock. */
  readonly killAt: number
  readonly killed?: true
}
