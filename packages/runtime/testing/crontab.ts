/**
 * A crontab of a test: a stand-in for the program `crontab`, first in PATH. No test reads the table of this machine.
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

export interface TestCrontab {
  /** The environment in which programs find the stand-in. */
  readonly env: { readonly PATH: string }
  /** The folder with the stand-in. */
  readonly bin: string
  /** The table; undefined if the user has none. */
  table(): string | undefined
  /** The same as bytes; empty if the user has none. */
  bytes(): Buffer
  write(table: string | Buffer): void
  /** Makes every call fail with this text; after `undefined`, calls succeed again. */
  refuse(text: string | undefined): void
  /** Runs a shell script before or after a table is written. */
  on(when: 'before' | 'after', script: string): void
}

/** Makes the stand-in inside a folder. */
export function testCrontab(folder: string): TestCrontab {
  const at = (name: string) => join(folder, 'crontab', name)
  mkdirSync(at('bin'), { recursive: true })
  copyFileSync(join(import.meta.dirname, 'crontab.sh'), at('bin/crontab'))
  chmodSync(at('bin/crontab'), 0o755)
  return {
    env: { PATH: `${at('bin')}${delimiter}${process.env.PATH ?? ''}` },
    bin: at('bin'),
    table: () => (existsSync(at('table')) ? readFileSync(at('table'), 'utf8') : undefined),
    bytes: () => (existsSync(at('table')) ? readFileSync(at('table')) : Buffer.alloc(0)),
    write: (table) => writeFileSync(at('table'), table),
    refuse: (text) =>
      text === undefined ? rmSync(at('refuses'), { force: true }) : writeFileSync(at('refuses'), text),
    on: (when, script) => writeFileSync(at(when), `#!/bin/sh\n${script}\n`, { mode: 0o755 }),
  }
}
