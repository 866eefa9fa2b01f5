/** Boots machines with systemd, in which tests install svc as people do. */
import { inject } from 'vitest'
import { atFileEnd } from '../cleaning.ts'
import { eventually } from '../eventually.ts'
import { machineImage } from './images.ts'
import { containerName } from './leftovers.ts'
import { podman, podmanOutput, type Ran, type Running, runOptions } from './podman.ts'

/** True if this machine can boot others. Tests are skipped if not, and the set-up has said why. */
export const canBoot = (): boolean => inject('machines')

export interface MachineOptions {
  /** A word for the name of the machine. */
  readonly name: string
  /** Further lines of its container file: see `machineImage`. */
  readonly extra?: string
  /** Further options of `podman run`, such as `['--memory', '256m']`. */
  readonly options?: readonly string[]
}

export interface Machine {
  readonly name: string
  /** Runs a shell command to its end: as root without a login, or in a login of its own of this user. */
  run(command: string, running?: MachineRunning): Promise<Ran>
  /** Runs a shell command that must succeed, and returns its output without the last line break. */
  output(command: string, running?: MachineRunning): Promise<string>
  /** Writes a text into a file of the machine; its folder is made, too. */
  write(path: string, text: string, mode?: string): Promise<void>
  /** Copies a file or a folder of this machine into the test machine. */
  copyIn(from: string, to: string): Promise<void>
  addUser(name: string, options?: { lingers?: boolean }): Promise<void>
  /** Limits the memory of these processes and of all that they start from now on, as a limit of their unit would. */
  limitMemory(pids: readonly number[], megabytes: number): Promise<void>
  /** Ends everything in order, and boots again. */
  reboot(): Promise<void>
  /** Kills everything at once, as a power cut does, and boots again. Files stay as they are. */
  cutPower(): Promise<void>
  remove(): Promise<void>
}
export interface MachineRunning extends Running {
  readonly user?: string
}

/**
 * A unit's `MemoryMax` has no effect in a container on a machine that has the first version of control groups for
 * memory, so a group is made by hand.
 */
const limitScript = `set -e
bytes=$(($1 * 1048576))
shift
first=/sys/fs/cgroup/memory
group=$([ -d $first ] && echo $first || echo /sys/fs/cgroup)/limited-$$
mkdir $group
echo $bytes >$group/$([ -d $first ] && echo memory.limit_in_bytes || echo memory.max)
for pid; do echo $pid >$group/cgroup.procs; done
`

/** Boots a machine, which shares the network of this one, so that it reaches the services of tests on localhost. */
export async function boot({ name, extra = '', options = [] }: MachineOptions): Promise<Machine> {
  const full = containerName(name)
  const how = ['--systemd=always', '--privileged', '--network', 'host', '--hostname', name, ...runOptions, ...options]
  await podmanOutput(['run', '-d', '--name', full, ...how, await machineImage(extra), '/sbin/init'])
  const remove = async () => {
    await podman(['rm', '-f', '-t', '0', '-v', full])
  }
  atFileEnd.push(remove)
  const machine: Machine = {
    name: full,
    run: (command, { user, ...running } = {}) =>
      podman(['exec', '-i', full, ...(user ? ['su', '-', user, '-c', command] : ['sh', '-c', command])], running),
    async output(command, running) {
      const { code, out, err } = await machine.run(command, running)
      if (code !== 0) throw new Error(`${command} ended with ${code}: ${err}${out}`)
      return out.replace(/\n$/, '')
    },
    async write(path, text, mode = '644') {
      const script = 'mkdir -p "$(dirname "$1")" && cat >"$1" && chmod "$2" "$1"'
      await podmanOutput(['exec', '-i', full, 'sh', '-c', script, 'sh', path, mode], { input: text })
    },
    async copyIn(from, to) {
      await podmanOutput(['cp', from, `${full}:${to}`])
    },
    async addUser(user, { lingers = false } = {}) {
      await machine.output(`useradd -m -s /bin/bash ${user}${lingers ? ` && loginctl enable-linger ${user}` : ''}`)
    },
    async limitMemory(pids, megabytes) {
      await machine.output(`sh /dev/stdin ${megabytes} ${pids.join(' ')}`, { input: limitScript })
    },
    async reboot() {
      await podmanOutput(['stop', '-t', '90', full])
      await begin()
    },
    async cutPower() {
      await podmanOutput(['kill', '-s', 'KILL', full])
      await podman(['wait', full])
      await begin()
    },
    remove,
  }
  const begin = async () => {
    await podmanOutput(['start', full])
    await untilBooted(machine)
  }
  await untilBooted(machine)
  return machine
}

/** Waits until systemd has started everything. */
const untilBooted = (machine: Machine): Promise<void> =>
  eventually(
    `the machine ${machine.name} has booted`,
    async () => {
      const { out } = await machine.run('systemctl is-system-running')
      if (!/^(running|degraded)$/m.test(out)) throw new Error(out)
    },
    { seconds: 60, everyMs: 300 },
  )
