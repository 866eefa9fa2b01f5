/** A simulated machine of a person: a folder in which the browser tests run the shell lines that the page shows. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { programs } from '../../../../../testing/program.ts'

const program = programs.svc

export interface Blueprint {
  name?: string
  version?: string
  /** Further YAML lines for the manifest, after its name, version and command. */
  more?: string
  /** The command that the agent runs; by default a program that does nothing and keeps running. */
  command?: string
}

export class Machine {
  readonly root = mkdtempSync(join(tmpdir(), 'svc-machine-'))

  write(path: string, text: string): string {
    const file = join(this.root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }

  read = (path: string): string => readFileSync(join(this.root, path), 'utf8')

  /** Writes the folder of a blueprint and packs it with `svc pack`. Returns the path of the zip. */
  async pack({
    name = 'mail-triage',
    version = '1.0.0',
    more = '',
    command = 'python3, -u, main.py',
  }: Blueprint = {}): Promise<string> {
    const folder = `${name}-${version}`
    this.write(`${folder}/main.py`, 'import time\nwhile True:\n    time.sleep(60)\n')
    const manifest = `name: ${name}\nversion: ${version}\nruntime: {kind: process, command: [${command}]}\n${more}`
    this.write(`${folder}/svc.agent.yaml`, manifest)
    return this.packFolder(folder, `${folder}.zip`)
  }

  /** Packs a folder inside this machine's folder with `svc pack`. Returns the path of the zip. */
  async packFolder(folder: string, name: string): Promise<string> {
    const zip = join(this.root, name)
    await this.run(process.execPath, [program, 'pack', folder, '--out', zip])
    return zip
  }

  /**
   * Runs lines as if a person pasted them into a shell, and returns the output. `input` is the standard input of the
   * programs.
   */
  shell = (lines: string, input = ''): Promise<string> => this.run('sh', ['-e', '-c', lines], input)

  async run(command: string, args: string[], input = ''): Promise<string> {
    const child = spawn(command, args, {
      cwd: this.root,
      env: { PATH: process.env.PATH ?? '', HOME: this.root, XDG_BIN_HOME: join(this.root, 'bin') },
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        said += chunk
      })
    child.stdin.on('error', () => {}) // The program may end without reading its input.
    child.stdin.end(input)
    const [code] = (await once(child, 'close')) as [number]
    if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${said}`)
    return said
  }

  remove = (): void => rmSync(this.root, { recursive: true, force: true })
}
