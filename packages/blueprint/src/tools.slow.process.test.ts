/**
 * Tests bundles that were made with the archive tools that people use. If a tool is not installed, its test is
 * skipped, and the test's report says so. `npm test` leaves this out. packages/blueprint/src/bundle/hostile.test.ts
 * proves the same rules.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkBundle, readBundle, unpackBundle } from './index.ts'

let root: string
let source: string
const files = ['docs/deep/numbers.txt', 'docs/na\u00efve.txt', 'empty', 'run.sh', 'svc.agent.yaml']

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-tools-'))
  source = join(root, 'source')
  mkdirSync(join(source, 'docs/deep'), { recursive: true })
  const manifest =
    'name: tools\nversion: 1.0.0\ninstructions: docs/deep/numbers.txt\nruntime: { kind: process, command: [./run.sh] }\n'
  writeFileSync(join(source, 'svc.agent.yaml'), manifest)
  writeFileSync(join(source, 'run.sh'), '#!/bin/sh\nexec sleep 9\n')
  chmodSync(join(source, 'run.sh'), 0o755)
  writeFileSync(join(source, 'empty'), '')
  writeFileSync(join(source, 'docs/na\u00efve.txt'), 'x\n')
  writeFileSync(join(source, 'docs/deep/numbers.txt'), Array.from({ length: 20_000 }, (_, i) => `${i}\n`).join(''))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const python = (body: string) => `import os, sys, shutil, zipfile
out = sys.argv[1]
paths = [os.path.relpath(os.path.join(d, f)) for d, _, fs in sorted(os.walk(".")) for f in sorted(fs)]
${body}`
const pythonStream = (method: string) =>
  python(`class Pipe:
    def __init__(self, file): self.file = file
    def write(self, data): return self.file.write(data)
    def flush(self): self.file.flush()
with open(out, "wb") as file, zipfile.ZipFile(Pipe(file), "w", zipfile.${method}) as z:
    for path in paths: z.write(path)`)
const git =
  'export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com; rm -rf .git; git init -q . && git add -A && git commit -qm one'

/**
 * The commands with which common tools make a bundle. Each command runs in the blueprint's folder; `$1` or `argv[1]` is
 * the path of the archive that it must write.
 */
const makers: readonly (readonly [tool: string, how: string, argv: readonly string[], keepsModes: boolean])[] = [
  ['zip', 'zip -r', ['sh', '-c', 'zip -qr "$1" . -x ".git/*"', 'sh'], true],
  ['zip', 'zip into a pipe: descriptors', ['sh', '-c', 'zip -qr - . -x ".git/*" | cat > "$1"', 'sh'], true],
  ['zip', 'zip -X: no extra fields', ['sh', '-c', 'zip -qrX "$1" . -x ".git/*"', 'sh'], true],
  ['zip', 'zip -0: stored', ['sh', '-c', 'zip -qr0 "$1" . -x ".git/*"', 'sh'], true],
  ['zip', 'zip -D: no folders', ['sh', '-c', 'zip -qrD "$1" . -x ".git/*"', 'sh'], true],
  [
    'zip',
    'zip with a comment',
    ['sh', '-c', 'zip -qr "$1" . -x ".git/*" && echo "made by me" | zip -qz "$1"', 'sh'],
    true,
  ],
  ['zip', 'zip in another locale', ['sh', '-c', 'LC_ALL=en_US.UTF-8 zip -qr "$1" . -x ".git/*"', 'sh'], true],
  [
    'python3',
    'python3 -m zipfile',
    ['sh', '-c', 'python3 -m zipfile -c "$1" docs empty run.sh svc.agent.yaml', 'sh'],
    true,
  ],
  [
    'python3',
    'shutil.make_archive',
    ['python3', '-c', python('os.chdir("..")\nos.rename(shutil.make_archive("made", "zip", "source"), out)')],
    true,
  ],
  ['python3', 'zipfile into a pipe, deflated', ['python3', '-c', pythonStream('ZIP_DEFLATED')], true],
  [
    'python3',
    'zipfile.writestr',
    [
      'python3',
      '-c',
      python('with zipfile.ZipFile(out, "w") as z:\n    for path in paths: z.writestr(path, open(path, "rb").read())'),
    ],
    false,
  ],
  ['git', 'git archive', ['sh', '-c', `${git}; git archive --format=zip -o "$1" HEAD`, 'sh'], true],
  [
    'git',
    'git archive of big files: descriptors',
    ['sh', '-c', `${git}; git -c core.bigFileThreshold=1k archive --format=zip HEAD > "$1"`, 'sh'],
    true,
  ],
  ['git', 'git archive -0', ['sh', '-c', `${git}; git archive --format=zip -0 -o "$1" HEAD`, 'sh'], true],
  ['jar', 'jar cfM', ['sh', '-c', 'jar cfM "$1" docs empty run.sh svc.agent.yaml', 'sh'], false],
  ['jar', 'jar cf0M: stored', ['sh', '-c', 'jar cf0M "$1" docs empty run.sh svc.agent.yaml', 'sh'], false],
  ['jar', 'jar with its own manifest', ['sh', '-c', 'jar cf "$1" docs empty run.sh svc.agent.yaml', 'sh'], false],
]

const has = (tool: string): boolean => spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0
const missing = [...new Set(makers.map(([tool]) => tool))].filter((tool) => !has(tool))
if (missing.length > 0) console.warn(`NOT TESTED, for they are not installed: ${missing.join(', ')}`)

describe('bundles made with common tools are accepted, and unpack to what was packed', () => {
  for (const [tool, how, argv, keepsModes] of makers) {
    test.skipIf(missing.includes(tool))(how, async () => {
      const file = join(root, 'made.zip')
      const target = join(root, 'unpacked')
      rmSync(file, { force: true })
      rmSync(target, { recursive: true, force: true })
      const [command = '', ...args] = argv
      // The tool jar encodes file names by the locale, so all tools run in the same locale.
      execFileSync(command, [...args, file], { cwd: source, env: { ...process.env, LC_ALL: 'C.UTF-8' } })
      rmSync(join(source, '.git'), { recursive: true, force: true })
      const bytes = readFileSync(file)
      expect(await checkBundle(bytes)).toEqual([])
      const read = await readBundle(bytes)
      expect(await unpackBundle(bytes, target)).toEqual(read)
      const paths = read.ok ? read.value.entries.map((e) => e.path) : []
      expect(paths.filter((path) => !path.startsWith('META-INF/')).sort()).toEqual(files)
      for (const path of files)
        expect(readFileSync(join(target, path)).equals(readFileSync(join(source, path)))).toBe(true)
      expect(statSync(join(target, 'run.sh')).mode & 0o777).toBe(keepsModes ? 0o755 : 0o644)
      expect(readdirSync(root).sort()).toEqual(['made.zip', 'source', 'unpacked'])
    })
  }
})

test.skipIf(missing.includes('python3'))(
  'an archive that zipfile wrote into a pipe is refused: its sizes come only after the data (D49)',
  async () => {
    const file = join(root, 'made.zip')
    execFileSync('python3', ['-c', pythonStream('ZIP_STORED'), file], { cwd: source })
    const findings = await checkBundle(readFileSync(file))
    expect(findings).toContainEqual({ file: 'run.sh', message: 'is stored, and has a descriptor behind its data' })
  },
)
