/** Names say what they mean where they are used, and nothing is exported for nobody (docs/glossary.md). */
import { expect, test } from 'vitest'
import { figuresOf } from './figures.ts'
import { readSources } from './read.ts'

const figures = figuresOf(await readSources())
const found = (name: string) => figures.find((figure) => figure.name === name)?.found

/** A text that the build makes imports the first (packages/runtime/archive/parts.ts). The declarations of tables name the others. */
const neededElsewhere = [
  'packages/runtime/src/part.ts exports loadPart',
  'packages/server/src/db/described.ts exports Arrival',
  'packages/server/src/db/described.ts exports TableColumn',
]

test('no type name is declared more than twice', () => expect(found('type names declared more than twice')).toEqual([]))

test('what nobody imports is not exported', () =>
  expect([...(found('exports that nobody imports') ?? [])].sort()).toEqual(neededElsewhere))
