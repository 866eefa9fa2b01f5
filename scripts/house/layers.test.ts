/** Compares the order of folders (layers.ts) with the imports of all shipped source files. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isShipped } from './figures.ts'
import { againstOrder, cycles, placeOf } from './imports.ts'
import { orders } from './layers.ts'
import { readSources } from './read.ts'

const sources = new Map([...(await readSources())].filter(([file]) => isShipped(file)))

describe.each(Object.entries(orders))('%s', (part, order) => {
  const drawn = order.layers.flatMap((places) => Object.keys(places))

  test('a folder imports only folders below it', () => expect(againstOrder(sources, part)).toEqual([]))

  test('no folders import each other in a cycle, except for the listed exceptions', () => {
    if (order.exceptions.length === 0) expect(cycles(sources, part)).toEqual([])
  })

  test('every folder is in one layer, and every folder that is listed exists', () => {
    const places = [...sources.keys()].flatMap((file) => placeOf(file) ?? [])
    const folders = new Set(places.filter((place) => place.part === part).map(({ folder }) => folder))
    expect([...drawn].sort()).toEqual([...folders].sort())
  })

  test('every place begins with the name of its wing', () => {
    for (const { name, layers } of order.wings ?? [])
      for (const place of layers.flatMap((places) => Object.keys(places))) expect(place.split('/')[0]).toBe(name)
  })

  test('the order says what is in each folder', () => {
    for (const places of order.layers) for (const text of Object.values(places)) expect(text).toMatch(/\w{3}/)
  })

  test('every exception is needed, and says why', () => {
    const found = againstOrder(sources, part, { layers: order.layers, exceptions: [] })
    for (const { file, imports, why } of order.exceptions) {
      expect(why).toMatch(/\w/)
      expect(found).toContain(`packages/${part}/src/${file} imports packages/${part}/src/${imports}`)
    }
  })
})

const root = join(import.meta.dirname, '../..')
const isTest = (name: string) => name === 'testing' || /\.test\.tsx?$/.test(name)

/** The folders at and below `folder`, each with its number of entries. Tests are not counted. */
function entriesIn(folder: string): [folder: string, entries: number][] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true }).filter(({ name }) => !isTest(name))
  const folders = entries.filter((entry) => entry.isDirectory())
  return [[folder, entries.length], ...folders.flatMap(({ name }) => entriesIn(`${folder}/${name}`))]
}

test.each(['packages/dashboard/src', 'packages/runtime/src/cli'])('no folder of %s has more than 20 entries', (part) =>
  expect(entriesIn(part).filter(([, entries]) => entries > 20)).toEqual([]),
)
