import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lastingNode, lastingPath } from './node.ts'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-node-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** A program that answers like Node, at a path below the folder of the test. */
function program(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), `#!/bin/sh\n${text}\n`)
  chmodSync(join(root, path), 0o755)
}
function link(path: string, target: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  symlinkSync(target, join(root, path))
}

/** How package managers keep Node: the file itself, links, a shim, PATH, and the path that stays. */
const managers: readonly [
  string,
  { real: string; links?: Record<string, string>; shim?: string; path: string[]; stays: string },
][] = [
  ['the system', { real: 'usr/bin/node', path: ['usr/bin'], stays: 'usr/bin/node' }],
  [
    'Homebrew',
    {
      real: 'brew/Cellar/node/20.20.0_1/bin/node',
      links: { 'brew/bin/node': '../Cellar/node/20.20.0_1/bin/node' },
      path: ['brew/bin'],
      stays: 'brew/bin/node',
    },
  ],
  [
    'Homebrew, the folder first in PATH',
    {
      real: 'brew/Cellar/node/20.20.0/bin/node',
      links: { 'brew/bin/node': '../Cellar/node/20.20.0/bin/node' },
      path: ['brew/Cellar/node/20.20.0/bin', 'brew/bin'],
      stays: 'brew/bin/node',
    },
  ],
  [
    'Homebrew, a version beside the newest and not in PATH',
    {
      real: 'brew/Cellar/node@20/20.20.0/bin/node',
      links: { 'brew/opt/node@20': '../Cellar/node@20/20.20.0' },
      path: [],
      stays: 'brew/opt/node@20/bin/node',
    },
  ],
  [
    'nvm with its link',
    {
      real: 'nvm/versions/node/v20.20.0/bin/node',
      links: { 'nvm/current': 'versions/node/v20.20.0' },
      path: ['nvm/versions/node/v20.20.0/bin'],
      stays: 'nvm/current/bin/node',
    },
  ],
  [
    'fnm, which has a link for each shell',
    {
      real: 'fnm/node-versions/v20.20.0/installation/bin/node',
      links: {
        'run/fnm_multishells/4711_1764201600': '../../fnm/node-versions/v20.20.0/installation',
        'fnm/aliases/default': '../node-versions/v20.20.0/installation',
      },
      path: ['run/fnm_multishells/4711_1764201600/bin'],
      stays: 'fnm/aliases/default/bin/node',
    },
  ],
  [
    'mise',
    {
      real: 'mise/installs/node/20.20.0/bin/node',
      links: { 'mise/installs/node/20': '20.20.0', 'mise/installs/node/lts': '20.20.0' },
      path: ['mise/installs/node/20.20.0/bin'],
      stays: 'mise/installs/node/lts/bin/node',
    },
  ],
  [
    'snap',
    {
      real: 'snap/node/9123/bin/node',
      links: { 'snap/node/current': '9123' },
      path: [],
      stays: 'snap/node/current/bin/node',
    },
  ],
  [
    'Nix',
    {
      real: 'nix/store/abcdefghijklmnopqrstuvwxyz012345-nodejs-20.20.0/bin/node',
      links: { 'profile/bin/node': '../../nix/store/abcdefghijklmnopqrstuvwxyz012345-nodejs-20.20.0/bin/node' },
      path: ['profile/bin'],
      stays: 'profile/bin/node',
    },
  ],
  [
    'asdf, whose shim is a script',
    {
      real: 'asdf/installs/nodejs/20.20.0/bin/node',
      shim: 'asdf/shims/node',
      path: ['asdf/shims'],
      stays: 'asdf/shims/node',
    },
  ],
  [
    'a folder of somebody, without a link',
    {
      real: 'opt/node-v20.20.0-linux-x64/bin/node',
      path: ['opt/node-v20.20.0-linux-x64/bin'],
      stays: 'opt/node-v20.20.0-linux-x64/bin/node',
    },
  ],
]

test.each(managers)('the path of Node that stays, as kept by %s', (_name, { real, links = {}, shim, path, stays }) => {
  program(real, `echo ${join(root, real)}`)
  for (const [from, to] of Object.entries(links)) link(from, to)
  if (shim !== undefined) program(shim, `exec '${join(root, real)}' "$@"`)
  const given = { running: join(root, real), path: path.map((each) => join(root, each)).join(':'), home: root }
  expect(lastingNode(given)).toBe(join(root, stays))
})

test('a shim that needs more than cron gives a job is not taken', () => {
  program('volta/image/20.20.0/node', 'true')
  program('volta/bin/node', `[ -n "$VOLTA_HOME" ] && echo '${root}/volta/image/20.20.0/node'`)
  const running = join(root, 'volta/image/20.20.0/node')
  expect(lastingNode({ running, path: join(root, 'volta/bin') })).toBe(running)
})

test('another Node that is first in PATH is not taken, unless the running one was removed and it is new enough', () => {
  program('old/node', 'echo v18.1.0')
  program('new/node', 'echo v20.21.0')
  program('20.20.0/node', 'echo v20.20.0')
  const given = { running: join(root, '20.20.0/node'), path: `${root}/old:${root}/new` }
  expect(lastingNode(given)).toBe(given.running)
  rmSync(given.running)
  expect(lastingNode(given)).toBe(join(root, 'new/node'))
})

test('in PATH, folders of Node that an update removes are replaced, and others stay', () => {
  program('brew/Cellar/node/20.20.0/bin/node', 'true')
  link('brew/bin/node', '../Cellar/node/20.20.0/bin/node')
  program('tools/1.2.3/tool', 'true')
  const at = (...paths: string[]) => paths.map((path) => join(root, path)).join(':')
  const old = join(root, 'brew/Cellar/node/20.20.0/bin/node')
  expect(
    lastingPath(at('brew/Cellar/node/20.20.0/bin', 'tools/1.2.3', 'brew/bin'), join(root, 'brew/bin/node'), old),
  ).toBe(at('brew/bin', 'tools/1.2.3'))
})
