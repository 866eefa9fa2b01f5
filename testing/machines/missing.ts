/** Finds out if this machine can run the tests with containers and booted machines. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { needNodeImage } from './images.ts'
import { podman, runOptions } from './podman.ts'

/** The programs that the tests need, with the package of Debian that has each. */
const programs = {
  podman: 'podman',
  runc: 'runc',
  buildah: 'buildah',
  iptables: 'iptables',
  debootstrap: 'debootstrap',
  catatonit: 'catatonit',
  'podman-compose': 'podman-compose',
  dnsname: 'golang-github-containernetworking-plugin-dnsname',
} as const

const isThere = (program: string): boolean =>
  [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin', '/usr/lib/cni'].some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })

interface Tester {
  readonly platform: NodeJS.Platform
  readonly isRoot: boolean
  readonly has: (program: string) => boolean
}

/** The reason why a machine cannot run the tests, with what to do; undefined if nothing is missing. */
export function whatIsMissing({ platform, isRoot, has }: Tester): string | undefined {
  if (platform !== 'linux') return 'they need Linux'
  if (!isRoot) return 'they need root: sudo npm run test:machines'
  const missing = Object.entries(programs).filter(([program]) => !has(program))
  if (missing.length === 0) return undefined
  const packages = [...new Set([...missing.map(([, name]) => name), 'containernetworking-plugins'])]
  const names = missing.map(([program]) => program).join(', ')
  return `${names} ${missing.length === 1 ? 'is' : 'are'} missing: apt-get install --no-install-recommends ${packages.join(' ')}`
}

/** The reason why this machine cannot run the tests, with what to do; undefined if it can. */
export async function whyNot(): Promise<string | undefined> {
  const { platform, getuid } = process
  const missing = whatIsMissing({ platform, isRoot: getuid?.() === 0, has: isThere })
  if (missing !== undefined) return missing
  const { code, err } = await podman(['run', '--rm', ...runOptions, '--network', 'host', await needNodeImage(), 'true'])
  return code === 0 ? undefined : `no container starts here: ${err.trim()}`
}
