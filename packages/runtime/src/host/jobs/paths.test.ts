import { expect, test } from 'vitest'
import { hostFolder, jobsIn, unrecordedFile } from './paths.ts'

test.each([
  [{ HOME: '/home/ada' }, '/home/ada/.local/state/svc/host'],
  [{ HOME: '/home/ada', XDG_STATE_HOME: '/var/ada' }, '/var/ada/svc/host'],
  [{ HOME: '/home/ada', XDG_STATE_HOME: '' }, '/home/ada/.local/state/svc/host'],
  [{ HOME: '/home/ada', XDG_STATE_HOME: 'state' }, '/home/ada/.local/state/svc/host'],
  [{ XDG_STATE_HOME: '/var/ada' }, '/var/ada/svc/host'],
  [{ HOME: '' }, undefined],
  [{}, undefined],
])('with %j the host agent is in %s', (env, folder) => {
  expect(hostFolder(env)).toBe(folder)
})

test('runs that were not recorded are listed beside the folders of jobs', () => {
  expect(jobsIn('/srv/host')).toBe('/srv/host/state/jobs')
  expect(unrecordedFile('/srv/jobs')).toBe('/srv/jobs/unrecorded')
})
