/** An agent on a test machine: installed there as people install it, and what it left in its folder. */
import { eventually } from '../eventually.ts'
import type { Machine } from './machine.ts'
import type { Ran, Running } from './podman.ts'
import type { MachineService, Shown } from './service.ts'

/** Makes all durations of svc a tenth of the usual ones, in units of the system and of users. */
export async function shortenTime(machine: Machine): Promise<void> {
  for (const manager of ['system', 'user'])
    await machine.write(`/etc/systemd/${manager}.conf.d/svc.conf`, '[Manager]\nDefaultEnvironment=SVC_TIME_SCALE=0.1\n')
  await machine.output('systemctl daemon-reexec')
}

/** Installs the commands of svc for a user, from the service. */
export async function installSvc(machine: Machine, service: Pick<MachineService, 'url'>, user: string): Promise<void> {
  await machine.output(`curl -fsSO ${service.url}/cli/svc.pyz && python3 svc.pyz self install`, { user })
}

export interface AgentStart {
  readonly pid: number
  readonly version: string
  readonly at: number
}
export interface MachineAgent {
  readonly name: string
  readonly folder: string
  /** Runs a command of svc in the agent's folder, as its user. */
  svc(command: string, running?: Running): Promise<Ran>
  /** Runs a command of svc that must succeed, and returns its output. */
  says(command: string): Promise<string>
  /** Every start of the agent, as the agent itself recorded it. */
  starts(): Promise<AgentStart[]>
  /** The ids of all processes of the agent, without those of its runtime. */
  processes(): Promise<number[]>
  /** The process id of its runtime; undefined if none runs. */
  runtime(): Promise<number | undefined>
  /** Waits until the service shows what `holds` expects. */
  shown(what: string, holds: (shown: Shown) => void): Promise<Shown>
}

/** An agent whose folder is in the home folder of this user. */
export function agentOn(
  machine: Machine,
  service: Pick<MachineService, 'show'>,
  user: string,
  name: string,
): MachineAgent {
  const folder = user === 'root' ? `/root/${name}` : `/home/${user}/${name}`
  const program = user === 'root' ? '/usr/local/bin/svc' : `/home/${user}/.local/bin/svc`
  const pids = async (command: string) => {
    const { out } = await machine.run(command)
    return out.split('\n').filter(Boolean).map(Number)
  }
  return {
    name,
    folder,
    svc: (command, running) => machine.run(`cd ${folder} && ${program} ${command}`, { user, ...running }),
    says: (command) => machine.output(`cd ${folder} && ${program} ${command}`, { user }),
    starts: async () =>
      (await machine.run(`cat ${folder}/state/starts`)).out
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as AgentStart),
    processes: () => pids(`grep -lazs '^SVC_AGENT_DIR=${folder}$' /proc/[0-9]*/environ | cut -d / -f 3`),
    runtime: async () => (await pids(`pgrep -f 'run --dir ${folder}$'`))[0],
    shown: (what, holds) =>
      eventually(
        what,
        async () => {
          const shown = await service.show(name)
          holds(shown)
          return shown
        },
        { seconds: 90, everyMs: 500 },
      ),
  }
}
