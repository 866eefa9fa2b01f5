/** Tests the reasons for which a machine does not run the tests of machines. */
import { expect, test } from 'vitest'
import { whatIsMissing } from './missing.ts'

const complete = { platform: 'linux', isRoot: true, has: () => true } as const
const install = 'apt-get install --no-install-recommends'

test.each([
  ['macOS', { platform: 'darwin' }, 'they need Linux'],
  ['a user', { isRoot: false }, 'they need root: sudo npm run test:machines'],
  ['a user of macOS', { platform: 'darwin', isRoot: false }, 'they need Linux'],
  [
    'no Podman',
    { has: (program: string) => program !== 'podman' },
    `podman is missing: ${install} podman containernetworking-plugins`,
  ],
  [
    'two programs',
    { has: (program: string) => program !== 'runc' && program !== 'dnsname' },
    `runc, dnsname are missing: ${install} runc golang-github-containernetworking-plugin-dnsname containernetworking-plugins`,
  ],
  ['a complete machine', {}, undefined],
] as const)('%s', (_, differs, reason) => {
  expect(whatIsMissing({ ...complete, ...differs })).toBe(reason)
})
