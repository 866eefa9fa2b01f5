/** Checks the links of the page to `/help`. */
import { expect, test } from 'vitest'
import { helpSections } from '../../packages/dashboard/src/ui/page/help-sections.ts'
import { readDocuments } from './make.ts'

const documents = readDocuments()

test.each(helpSections)('the page links to %s, which exists', (section) => {
  const [name = '', anchor] = section.split('#')
  const document = documents.get(name)
  expect(document?.headings.map(({ id }) => id)).toContain(anchor)
  expect(document?.html).toContain(` id="${anchor}"`)
})
