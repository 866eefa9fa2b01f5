import { expect, test } from 'vitest'
import { findForeignFolder } from './place.ts'

const place = (path: string, owner: number | undefined) => ({ what: 'The folder', path, owner })

test.each([
  ['root in its home folder', 0, [place('/root', 0)], undefined],
  [
    'root in the home folder of somebody else',
    0,
    [place('/root', 0), place('/home/ada', 1000)],
    '/home/ada belongs to the user 1000',
  ],
  ['a person in the own folder', 1000, [place('/home/ada', 1000)], undefined],
  ['a person in a folder of root', 1000, [place('/home/ada/.local', 0)], '/home/ada/.local belongs to the user 0'],
  ['a folder of nobody knows whom', 1000, [place('/home/ada', undefined)], undefined],
])('%s', (_what, uid, places, says) => {
  const found = findForeignFolder(uid, places)
  if (says === undefined) expect(found).toBeUndefined()
  else expect(found).toContain(says)
})
