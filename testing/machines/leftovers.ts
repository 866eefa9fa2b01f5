/**
 * Names containers and what belongs to them by the process that made them, and removes those of processes that are
 * gone.
 */
import { existsSync } from 'node:fs'
import { podman } from './podman.ts'

const prefix = 'svc-test-'
let count = 0

/** A name for a container, volume, network or image of this process. The word says what it is for. */
export const containerName = (word: string): string => `${prefix}${process.pid}-${++count}-${word}`

const owner = new RegExp(`(?:^|/)${prefix}(\\d+)-`)

/** Everything that may be left, in the order in which it can be removed. */
const kinds: readonly [list: readonly string[], remove: readonly string[]][] = [
  [
    ['ps', '-a', '--format', '{{.Names}}'],
    ['rm', '-f', '-t', '0', '-v'],
  ],
  [
    ['volume', 'ls', '--format', '{{.Name}}'],
    ['volume', 'rm', '-f'],
  ],
  [
    ['network', 'ls', '--format', '{{.Name}}'],
    ['network', 'rm', '-f'],
  ],
  [
    ['images', '--format', '{{.Repository}}:{{.Tag}}'],
    ['rmi', '-f'],
  ],
]

/** Removes what was left behind by test runs that were killed. */
export async function removeLeftovers(): Promise<void> {
  for (const [list, remove] of kinds) {
    const { out } = await podman(list)
    const old = out.split('\n').filter((name) => {
      const pid = owner.exec(name)?.[1]
      return pid !== undefined && !existsSync(`/proc/${pid}`)
    })
    if (old.length > 0) await podman([...remove, ...old])
  }
}
