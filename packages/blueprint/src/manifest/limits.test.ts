import { expect, test } from 'vitest'
import { readManifest } from '../index.ts'

const head = 'name: a\nversion: 1.0.0\n'
const running = (more: string) => `runtime: {kind: process, command: [x]${more}}`
const many = (count: number, one: (i: number) => string) => Array.from({ length: count }, (_, i) => one(i)).join(', ')
const letters = (count: number) => 'a'.repeat(count)

/**
 * The limits to test. Each row has the name of what is limited, a function that makes a manifest with a value of a
 * given size, and the smallest and the largest size that are accepted.
 */
const limited: [what: string, manifest: (size: number) => string, min: number, max: number][] = [
  ['the name of an agent', (n) => `name: ${letters(n) || "''"}\nversion: 1.0.0`, 1, 63],
  ['a version', (n) => `name: a\nversion: 1.0.0-${letters(n - 6)}`, 7, 128],
  ['a description', (n) => `${head}description: "${letters(n)}"`, 1, 500],
  ['stop_seconds of a process', (n) => `${head}${running(`, stop_seconds: ${n}`)}`, 1, 300],
  ['stop_seconds of compose', (n) => `${head}runtime: {kind: compose, files: [c.yaml], stop_seconds: ${n}}`, 1, 300],
  ['the arguments of a command', (n) => `${head}runtime: {kind: process, command: [${many(n, () => 'x')}]}`, 1, 100],
  ['an argument', (n) => `${head}runtime: {kind: process, command: [x, "${letters(n)}"]}`, 1, 4000],
  ['workdir', (n) => `${head}${running(`, workdir: ${letters(n) || "''"}`)}`, 1, 500],
  ['compose files', (n) => `${head}runtime: {kind: compose, files: [${many(n, (i) => `c${i}.yaml`)}]}`, 1, 10],
  ['start_seconds', (n) => `${head}health: {start_seconds: ${n}}`, 1, 3600],
  ['logs', (n) => `${head}logs: [${many(n, (i) => `{name: l${i}, path: l${i}.log}`)}]`, 0, 100],
  ['the name of a log', (n) => `${head}logs: [{name: "${letters(n)}", path: l.log}]`, 1, 190],
  ['state paths', (n) => `${head}state: [${many(n, (i) => `s${i}`)}]`, 0, 50],
  ['a state path', (n) => `${head}state: ["${letters(n)}"]`, 1, 500],
  ['secrets', (n) => `${head}secrets: [${many(n, (i) => `{name: S${i}, purpose: p}`)}]`, 0, 50],
  ['the name of a secret', (n) => `${head}secrets: [{name: "${letters(n).toUpperCase()}", purpose: p}]`, 1, 100],
  ['the purpose of a secret', (n) => `${head}secrets: [{name: S, purpose: "${letters(n)}"}]`, 1, 300],
  ['bindings', (n) => `${head}bindings: [${many(n, (i) => `{product: p${i}, role: r, scopes: []}`)}]`, 0, 20],
  ['a product', (n) => `${head}bindings: [{product: "${letters(n)}", role: r, scopes: []}]`, 1, 63],
  ['a role', (n) => `${head}bindings: [{product: p, role: "${letters(n)}", scopes: []}]`, 1, 100],
  ['scopes', (n) => `${head}bindings: [{product: p, role: r, scopes: [${many(n, (i) => `s${i}`)}]}]`, 0, 50],
]

test.each(limited)('%s is read at both limits and not beyond them', (_what, manifest, min, max) => {
  const read = (size: number) => readManifest(manifest(size), { for: 'report' })
  expect(read(min)).toMatchObject({ ok: true })
  expect(read(max)).toMatchObject({ ok: true })
  if (min > 0) expect(read(min - 1)).toMatchObject({ ok: false })
  expect(read(max + 1)).toMatchObject({ ok: false })
})
