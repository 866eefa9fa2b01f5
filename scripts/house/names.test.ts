/**
 * Checks the names of types and functions against docs/glossary.md, and that every export is imported by another file.
 */
import { expect, test } from 'vitest'
import { figuresOf } from './figures.ts'
import { readSources } from './read.ts'

const figures = figuresOf(await readSources())
const found = (name: string) => figures.find((figure) => figure.name === name)?.found

/**
 * Exports that no source file imports by name. Generated code imports the first one
 * (packages/runtime/archive/parts.ts); the declarations of tables use the others.
 */
const neededElsewhere = [
  'packages/runtime/src/packed.ts exports loadPart',
  'packages/server/src/platform/db/tables/described.ts exports AutoIncrementColumn',
  'packages/server/src/platform/db/tables/described.ts exports TableColumn',
]

test('no type name is declared more than twice', () => expect(found('type names declared more than twice')).toEqual([]))

test('what nobody imports is not exported', () =>
  expect([...(found('exports that nobody imports') ?? [])].sort()).toEqual(neededElsewhere))
