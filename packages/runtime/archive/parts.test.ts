/** Tests that parts of a file can be loaded while the file is replaced. */
import { copyFileSync, cpSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileFunction } from 'node:vm'
import { afterAll, expect, test } from 'vitest'
import { program } from './parts.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-parts-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const file = join(folder, 'program.cjs')
copyFileSync(fileURLToPath(new URL('../src/packed.ts', import.meta.url)), join(folder, 'packed.ts'))
writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
const source = (name: string, text: string) => writeFileSync(join(folder, name), text)
source('main.ts', `globalThis.partsTest = { now: () => import('./now.ts') }`)
source(
  'now.ts',
  `import { sep } from 'node:path'
import { shared } from './shared.ts'
export const now = [sep, __WHICH__, shared]
export const later = () => import('./later.ts')`,
)
source(
  'later.ts',
  `import { shared } from './shared.ts'\nexport const later = [__WHICH__, shared, '${'x'.repeat(20_000)}'.length]`,
)
source('shared.ts', `export const shared = { of: __WHICH__ }`)

interface Loaded {
  readonly now: () => Promise<{
    readonly now: readonly [string, string, object]
    readonly later: () => Promise<{ later: unknown[] }>
  }>
}
const built = async (which: string, from = folder): Promise<string> =>
  (await program(join(from, 'main.ts'), 0, { first: '', define: { __WHICH__: JSON.stringify(which) } })).text
const put = (text: string): void => {
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
}
function start(): Loaded {
  const require = createRequire(file)
  delete require.cache[file]
  require(file)
  return (globalThis as unknown as { partsTest: Loaded }).partsTest
}

test('a direct part is found by its place, runs without the rest of the file, and loads its pieces from there', async () => {
  const main = join(folder, 'main.ts')
  const made = join(folder, 'direct.cjs')
  const { text } = await program(main, 7, { first: '', define: { __WHICH__: '"direct"' }, direct: 'now.ts' })
  const whole = `#!/svc\n${text}`
  writeFileSync(made, whole)
  const [, at = '', length = ''] = /\n\/\/direct (\d{10}) (\d{10})\n/.exec(whole) ?? []
  const code = Buffer.from(whole.substr(Number(at), Number(length)), 'base64').toString()
  const module = { exports: {} as Awaited<ReturnType<Loaded['now']>> }
  const start = compileFunction(code, ['module', 'exports', 'require', '__filename'])
  start(module, module.exports, createRequire(main), made)
  expect(module.exports.now).toEqual(['/', 'direct', { of: 'direct' }])
  expect((await module.exports.later()).later).toEqual(['direct', { of: 'direct' }, 20_000])
  start(module, module.exports, createRequire(main), made)
  writeFileSync(made, whole.replace('parts ', 'party '))
  await expect(module.exports.later()).rejects.toThrow('exchanged')
})

test('a part loads what it needs later from the file that it came from, and shares what is already loaded', async () => {
  put(await built('first'))
  const first = await start().now()
  put(await built('second, which is longer'))
  const { later } = await first.later()
  expect(later).toEqual(['first', { of: 'first' }, 20_000])
  expect(later[1]).toBe(first.now[2])
  expect((await start().now()).now).toEqual(['/', 'second, which is longer', { of: 'second, which is longer' }])
})

test('a part is not loaded if its file was exchanged before it was read', async () => {
  put(await built('first'))
  const loaded = start()
  put(await built('other'))
  await expect(loaded.now()).rejects.toThrow('program.cjs was exchanged while it was loaded. Start it again.')
})

test('the parts are the same for sources in any folder', async () => {
  const elsewhere = join(folder, 'deeper/elsewhere')
  for (const name of ['main.ts', 'now.ts', 'later.ts', 'shared.ts', 'packed.ts'])
    cpSync(join(folder, name), join(elsewhere, name))
  expect(await built('first', elsewhere)).toBe(await built('first'))
})
