import { parseSync } from 'vite'
import { expect, test } from 'vitest'
import { cyclesOf } from './cycles.ts'
import { type Facts, factsOf, type ParsedFile } from './facts.ts'
import { figuresOf } from './figures.ts'
import { againstOrder, cycles, upBetweenWings } from './imports.ts'
import { unusedExports } from './unused.ts'

const facts = (file: string, ...lines: string[]): Facts =>
  factsOf(
    file,
    `${lines.join('\n')}\n`,
    parseSync(file, lines.join('\n').replaceAll('"', "'")) as unknown as ParsedFile,
  )
const sources = (files: Record<string, string[]>) =>
  new Map(Object.entries(files).map(([file, lines]) => [file, facts(file, ...lines)]))

test('an import is recognised in each of its forms, with the names that it imports', () => {
  const { imports, stars } = facts(
    'packages/server/src/x/y.ts',
    'import a, { b as c, type d } from "../b.ts"',
    'import type { E } from "e"',
    'import { type F } from "f"',
    'import * as g from "./g.ts"',
    'import "h.css"',
    'export { i as j } from "./i.ts"',
    'export * from "./k.ts"',
    'const l = await import("./l.ts")',
    'let m: import("m").M',
    'const { n, o: p } = await import("./n.ts")',
    'const q = (await import("./q.ts")).r(1)',
    'const { s, ...t } = await import("./s.ts")',
    'const u = (await import("./u.ts"))[v]',
    'const { [v]: w } = await import("./w.ts")',
  )
  expect(imports.map(({ from, typeOnly, names }) => [from, typeOnly, names.join(' ')])).toEqual([
    ['packages/server/src/b.ts', false, 'a b d default'],
    ['e', true, 'E'],
    ['f', true, 'F'],
    ['packages/server/src/x/g.ts', false, '*'],
    ['h.css', false, '*'],
    ['packages/server/src/x/i.ts', false, 'i'],
    ['packages/server/src/x/k.ts', false, '*'],
    ['packages/server/src/x/l.ts', false, '*'],
    ['m', true, '*'],
    ['packages/server/src/x/n.ts', false, 'n o'],
    ['packages/server/src/x/q.ts', false, 'r'],
    ['packages/server/src/x/s.ts', false, '*'],
    ['packages/server/src/x/u.ts', false, '*'],
    ['packages/server/src/x/w.ts', false, '*'],
  ])
  expect(stars).toEqual(['packages/server/src/x/k.ts'])
})

test('exports, types and functions are found, with lines and parameters', () => {
  const found = facts(
    'a.ts',
    'export interface A { b: string }',
    'type C = string',
    'export const d = (e: number, f: number) =>',
    '  e + f',
    'export const [g, { h }] = [1, { h: 2 }]',
    'export async function i(this: A, j = 1, ...k: number[]) {',
    '  return { l: () => j, m() {',
    '  } }',
    '}',
    'declare function n(o: number): void',
    'export default class { p(): void {} }',
  )
  expect(found.exports).toEqual(['A', 'd', 'g', 'h', 'i', 'default'])
  expect(found.types).toEqual(['A', 'C'])
  expect(found.lines).toBe(11)
  expect(found.functions.map(({ name, lines, parameters }) => `${name} ${lines} ${parameters}`)).toEqual([
    'd 2 2',
    'i 4 2',
    'l 1 0',
    'm 2 0',
    'p 1 0',
  ])
})

test('cycles are found, the largest first', () => {
  const edges = Object.entries({ a: ['b'], b: ['a', 'c'], c: ['d'], d: ['e'], e: ['c', 'f'], f: [] })
  expect(cyclesOf(new Map(edges.map(([from, to]) => [from, new Set(to)])))).toEqual([
    ['c', 'd', 'e'],
    ['a', 'b'],
  ])
})

const circle = sources({
  'packages/server/src/a/one.ts': ['import { two } from "../b/two.ts"'],
  'packages/server/src/b/two.ts': ['import type { Three } from "../a/three.ts"', 'import { x } from "@svc/protocol"'],
  'packages/server/src/main.ts': ['import { one } from "./a/one.ts"'],
})

test('folders in a cycle are named, whether they import values or types', () => {
  expect(cycles(circle, 'server')).toEqual(['a, b'])
  expect(cycles(circle, 'runtime')).toEqual([])
})

test('an import from a lower wing into a higher one is listed', () => {
  const wing = (name: string) => ({ name, says: '', layers: [{ [name]: '' }] })
  const order = { wings: [wing('a'), wing('b')], layers: [{ 'main.ts': '' }, { a: '' }, { b: '' }], exceptions: [] }
  const up = 'packages/server/src/b/two.ts imports packages/server/src/a/three.ts'
  expect(upBetweenWings(circle, 'server', order)).toEqual([up])
  expect(upBetweenWings(circle, 'server', { ...order, wings: [wing('b'), wing('a')] })).not.toContain(up)
})

test('an import against the order is listed unless it is an exception; a folder without a layer is allowed nothing', () => {
  const wrong = 'packages/server/src/b/two.ts imports packages/server/src/a/three.ts'
  const layers = [{ 'main.ts': '' }, { a: '' }, { b: '' }]
  expect(againstOrder(circle, 'server', { layers, exceptions: [] })).toEqual([wrong])
  const exceptions = [{ file: 'b/two.ts', imports: 'a/three.ts', why: 'a test' }]
  expect(againstOrder(circle, 'server', { layers, exceptions })).toEqual([])
  expect(againstOrder(circle, 'server', { layers: [{ 'main.ts': '' }, { a: '' }], exceptions })).toHaveLength(1)
})

test('a file that the order names is separate from its folder', () =>
  expect(
    againstOrder(circle, 'server', {
      layers: [{ 'main.ts': '' }, { 'a/one.ts': '' }, { b: '' }, { a: '' }],
      exceptions: [],
    }),
  ).toEqual([]))

test('an export that nobody imports is listed, even if a file re-exports it', () => {
  const all = sources({
    'packages/server/src/a.ts': ['export const used = 1', 'export const unused = 2', 'export type Handed = 3'],
    'packages/server/src/index.ts': ['export * from "./a.ts"'],
    'packages/server/src/b.test.ts': ['import { used, type Handed } from "./index.ts"'],
    'packages/server/src/c.ts': ['export const all = 1'],
    'scripts/d.ts': ['import * as c from "../packages/server/src/c.ts"'],
  })
  expect(unusedExports(all, all)).toEqual(['packages/server/src/a.ts exports unused'])
})

test('figures count shipped code, not tests and generated files', () => {
  const long = ['export function long() {', ...Array(60).fill(''), '}']
  const figures = figuresOf(
    sources({
      'packages/server/src/a.ts': [...long, 'type T = 1'],
      'packages/server/src/b.ts': ['type T = 1'],
      'packages/server/src/c.ts': ['type T = 1', 'const f = (a, b, c, d, e) => a'],
      'packages/server/src/a.test.ts': long,
      'packages/server/src/testing/b.ts': long,
      'packages/server/src/report.fits.ts': long,
    }),
  )
  const count = (name: string) => figures.find((figure) => figure.name === name)?.found.length
  expect(count('functions over 60 lines')).toBe(1)
  expect(count('functions with five or more parameters')).toBe(1)
  expect(count('type names declared more than twice')).toBe(1)
})
