import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '..')
const files = globSync('**/*.tsx', { cwd: folder }).map((file) => ({
  file,
  text: readFileSync(join(folder, file), 'utf8'),
}))
/** Matches the places that show an address of the service for use elsewhere. */
const shows = /\bservice\.baseUrl\b|\bclipboard\.copy\(url\)|\bmade\.url\b/

test('every part of the page that shows an address of the service says if only its own machine reaches it', () => {
  const showing = files.filter(({ text }) => shows.test(text))
  expect(showing.length).toBeGreaterThan(4)
  expect(showing.filter(({ text }) => !text.includes('<ReachNote')).map(({ file }) => file)).toEqual([])
})
