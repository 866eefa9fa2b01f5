import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lookAtSessions } from '../../host/watch/ai-section.ts'
import { askSections, type SectionFacts, sectionsBy } from './adopt-sections.ts'

/** The facts of a machine without AI tools. Every folder in them is missing, so nothing of this machine is read. */
function factsWith(before: SectionFacts['before']): SectionFacts {
  const nowhere = join(import.meta.dirname, 'nowhere')
  const paths = { state: nowhere, settings: join(nowhere, 'settings.json'), home: undefined }
  return { before, isDamaged: false, folders: [], ai: lookAtSessions(paths, { names: 'number', folders: [] }) }
}
const onlyAi = { jobs: false, ai: true, names: 'number' as const, folders: [] }
const onlyJobs = { jobs: true, ai: false, names: 'number' as const, folders: [] }

test.each([
  ['a new agent shows jobs', undefined, {}, { jobs: true, ai: false }],
  ['jobs that a person did not choose stay hidden', onlyAi, {}, { jobs: false, ai: true }],
  ['sessions that a person did not choose stay hidden', onlyJobs, {}, { jobs: true, ai: false }],
  ['--only adds jobs', onlyAi, { only: 'jobs' }, { jobs: true, ai: true }],
  ['--only adds sessions', onlyJobs, { only: 'ai' }, { jobs: true, ai: true }],
  ['--crontab makes jobs, so it adds them', onlyAi, { crontab: true }, { jobs: true, ai: true }],
])('with --yes, %s', async (_rule, before, options, shown) => {
  const given = { ...options, yes: true }
  expect(await askSections(true, sectionsBy(given), factsWith(before))).toMatchObject(shown)
})
