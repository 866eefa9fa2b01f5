/** Names containers by the process that made them, and removes those of processes that are gone. */
import { existsSync } from 'node:fs'
import { podman } from './podman.ts'

const prefix = 'svc-test-'
let count = 0

/** A name for a container of this process. The word says what it is for. */
export const containerName = (word: string): string => `${prefix}${process.pid}-${++count}-${word}`

/** Removes the containers of test runs that were killed. */
export async function removeLeftovers(): Promise<void> {
  const { out } = await podman(['ps', '-a', '--filter', `name=^${prefix}`, '--format', '{{.Names}}'])
  const pidOf = (name: string) => /^svc-test-(\d+)-/.exec(name)?.[1]
  const old = out.split('\n').filter((name) => pidOf(name) && !existsSync(`/proc/${pidOf(name)}`))
  if (old.length > 0) await podman(['rm', '-f', '-t', '0', '-v', ...old])
}
