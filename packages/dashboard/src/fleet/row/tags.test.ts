import { expect, test } from 'vitest'
import { fittingTags, moreText, tagEdges } from './tags.ts'

const measure = (text: string) => 7 * text.length
const shown = (tags: string, width: number) => {
  const all = tags.split(' ')
  const number = fittingTags(all, width, { measure, edges: tagEdges.framed })
  return [...all.slice(0, number), ...(number < all.length ? [moreText(all, number)] : [])].join(' ')
}

test.each([
  ['eu prod', 78, 'eu prod'],
  ['eu prod', 77, 'eu +1'],
  ['eu prod team:mail', 100, 'eu prod +1'],
  ['eu prod team:mail', 60, 'eu +2'],
  ['eu prod team:mail', 40, '3 tags'],
  ['team:infrastructure eu', 100, '2 tags'],
])('of the tags "%s", in %i pixels are shown: %s', (tags, width, words) => {
  expect(shown(tags, width)).toBe(words)
})
