/**
 * An agent that starts helpers as real agents do, in sessions of their own, and the means to see which of them live.
 * The agent is a shell script; each helper notes its kind and its pid.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Folder, folderAt } from '../src/machine/files/folder.ts'
import { whoHolds } from '../src/machine/files/lock.ts'
import { identityOf, isAlive, type ProcessIdentity } from '../src/machine/process/identity.ts'
import { agentProcesses, signalProcess } from '../src/machine/process/mark.ts'
import { readNote } from '../src/state/process-note.ts'
import { agentFolder, becomes } from './folder.ts'

const noteHelper = (kind: string) => `echo ${kind} $$ >> "$SVC_STATE_DIR/helpers"`
const sleeps = 'exec sleep 1000'

/** How each kind of helper is started, as a line of a shell script. */
export const helperKinds = {
  /** A helper that runs in its own session. */
  session: `setsid sh -c '${noteHelper('session')}; ${sleeps}' &`,
  /** A helper that is forked twice and runs in its own session, so its parent is gone. */
  daemon: `(setsid sh -c '(${noteHelper('none')}; exec sh -c "echo daemon \\$\\$ >> \\"\\$SVC_STATE_DIR/helpers\\"; ${sleeps}") & exit 0' &)`,
  /** A helper that ignores SIGTERM. */
  stubborn: `setsid sh -c 'trap "" TERM; ${noteHelper('stubborn')}; while :; do sleep 0.2; done' &`,
  /** A helper that was started by a helper. */
  nested: `setsid sh -c 'setsid sh -c "echo nested \\$\\$ >> \\"\\$SVC_STATE_DIR/helpers\\"; ${sleeps}" & sleep 1000' &`,
  /** A helper without the agent's mark, so it outlives the agent. */
  unmarked: `env -u SVC_AGENT_DIR -u SVC_AGENT_STARTED setsid sh -c '${noteHelper('unmarked')}; ${sleeps}' &`,
  /** A helper that stays in the agent's process group. */
  group: `sh -c '${noteHelper('group')}; ${sleeps}' &`,
} as const
export type HelperKind = keyof typeof helperKinds

export interface Helper extends ProcessIdentity {
  readonly kind: string
}

export interface HelpingAgent extends Folder {
  /** All helpers that were ever started here and that still live. */
  living(): Helper[]
  /** The helpers that live now, once these kinds have noted themselves since the agent's present start. */
  helpers(kinds: readonly HelperKind[]): Promise<Helper[]>
  /** The agent's process, if it runs. */
  main(): ProcessIdentity | undefined
  remove(): void
}

/** The script of an agent with these helpers. Its last line decides how it goes on. */
export const scriptWith = (kinds: readonly HelperKind[], last = 'exec sleep 1000'): string =>
  ['echo start $$ >> "$SVC_STATE_DIR/helpers"', ...kinds.map((kind) => helperKinds[kind]), last, ''].join('\n')

/** Makes the folder of an agent that runs this script, without a service. */
export function helpingAgent(script: string, more: Readonly<Record<string, string>> = {}): HelpingAgent {
  const folder = agentFolder({
    'svc.agent.yaml':
      'name: helped\nversion: 1.0.0\ncontrols: [pause, resume, run_now]\nruntime: {kind: process, command: [sh, main.sh], restart: always, stop_seconds: 10}\n',
    'main.sh': script,
    ...more,
  })
  const seen = new Map<string, Helper>()
  const file = join(folder.state, 'helpers')
  const lines = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [])
  const living = (all = lines()) => {
    for (const line of all) {
      const [kind = '', pid] = line.split(' ')
      const identity = identityOf(Number(pid))
      if (identity && !seen.has(`${identity.pid} ${identity.start}`) && kind !== 'none' && kind !== 'start')
        seen.set(`${identity.pid} ${identity.start}`, { kind, ...identity })
    }
    return [...seen.values()].filter(isAlive)
  }
  return {
    ...folder,
    living: () => living(),
    helpers: (kinds) =>
      becomes(`helpers ${kinds.join(', ')}`, () => {
        const all = lines()
        const latest = all.slice(all.findLastIndex((line) => line.startsWith('start ')))
        return kinds.every((kind) => latest.some((line) => line.startsWith(`${kind} `))) && living(latest)
      }),
    main: () => {
      const state = readNote(folder)?.state
      return state && 'pid' in state && isAlive(state) ? state : undefined
    },
    remove: () => {
      const holder = whoHolds(folder, 'runtime')
      const main = readNote(folderAt(folder.root))?.state
      const named = [holder, main && 'pid' in main ? main : undefined, ...living()]
      for (const each of named) if (each && isAlive(each)) process.kill(each.pid, 'SIGKILL')
      for (const each of agentProcesses(folder.root)) signalProcess(each, 'SIGKILL')
      folder.remove()
    },
  }
}
