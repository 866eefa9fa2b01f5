/**
 * The table that decides which processes an agent started. Each start marks the environment of its process (2.12), and
 * children inherit the mark, but a process of somebody else may inherit it, too. Ending the wrong process would harm
 * somebody else, so every row but the last spares the process.
 */

/** The facts about one process that matter when the agent of a folder has to end. */
export interface ProcessFacts {
  /** `reused`: the process that was found has ended, and another one has its pid by now. */
  readonly life: 'alive' | 'ended' | 'reused'
  /**
   * The agent whose folder is in the mark. `unreadable`: the process belongs to another user, protects its memory, or
   * has overwritten its environment.
   */
  readonly mark: 'this agent' | 'another agent' | 'none' | 'unreadable'
  /** The start in the mark. `spared`: the start that goes on, for example after a rollback. */
  readonly start: 'any' | 'spared'
  /** The folder that the process sees at the path of its mark. A container may have another folder there. */
  readonly sees: 'this folder' | 'another folder'
  /**
   * `svc`: a runtime, a reporter, or a command that starts or stops an agent. `above svc`: an ancestor of such a
   * process. `below svc`: a descendant of such a process that inherited its mark unchanged.
   */
  readonly relation: 'svc' | 'above svc' | 'below svc' | 'none'
  /**
   * The process that opened the session. The runtime starts an agent in a new session, and nobody can join a session,
   * so a process in the session of a stranger was not started by the agent.
   */
  readonly session: 'of the agent' | 'of a stranger'
}

interface OwnershipRule {
  readonly says: string
  readonly holds: (facts: ProcessFacts) => boolean
  readonly verdict: 'end' | 'leave'
}

const leave = (says: string, holds: OwnershipRule['holds']): OwnershipRule => ({ says, holds, verdict: 'leave' })

/** The rows of the table. The first row whose condition holds decides about a process. */
export const ownershipRules: readonly OwnershipRule[] = [
  leave('its environment cannot be read', ({ mark }) => mark === 'unreadable'),
  leave('it has no mark', ({ mark }) => mark === 'none'),
  leave('it has the mark of another agent', ({ mark }) => mark === 'another agent'),
  leave('it has ended', ({ life }) => life === 'ended'),
  leave('another process has its pid by now', ({ life }) => life === 'reused'),
  leave('it belongs to the start that goes on', ({ start }) => start === 'spared'),
  leave('it sees another folder at that path', ({ sees }) => sees === 'another folder'),
  leave('it is a runtime or a command of svc', ({ relation }) => relation === 'svc'),
  leave('a runtime or a command of svc descends from it', ({ relation }) => relation === 'above svc'),
  leave('it inherited its mark from a runtime or a command of svc', ({ relation }) => relation === 'below svc'),
  leave('it is in the session of a stranger', ({ session }) => session === 'of a stranger'),
  { says: 'the agent started it', holds: () => true, verdict: 'end' },
]

/** The row of the table that decides about a process. */
export const ownershipRuleOf = (facts: ProcessFacts): OwnershipRule =>
  ownershipRules.find(({ holds }) => holds(facts)) as OwnershipRule

/** The commands of svc that start or stop an agent, or run beside it. */
const verbs = new Set([
  ...['run', 'report', 'start', 'stop', 'restart', 'pause', 'resume', 'run-now'],
  ...['rollback', 'rollback-runtime', 'remove', 'service', 'init'],
])

/**
 * True if these are the arguments of a process that runs one of `verbs`, in whatever way svc was started. `own` says
 * whether an argument is the program that runs now.
 */
export const isSvcCommand = (args: readonly string[], own: (arg: string) => boolean): boolean =>
  args.some(
    (arg, at) =>
      verbs.has(args[at + 1] ?? '') &&
      (/(?:^|\/)(?:svc|svc\.pyz|svc\.pyz\.previous|\.svc\/runtime\/start\.cjs)$/.test(arg) ||
        args[at - 1] === 'require(process.argv[1])' ||
        own(arg)),
  )
