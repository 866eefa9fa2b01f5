/** `svc new`: creates the folder of a new blueprint, which works without any change. */
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { wrongWithAgentName } from '@svc/blueprint'
import { Command, Option } from 'commander'
import { codeOf } from '../../machine/base/errors.ts'
import { commandHint, examples, shellQuoted } from '../../machine/hint.ts'
import { exits, printResult, Refusal } from '../kit/output.ts'
import { type Language, languages, startingFiles } from './starting.ts'

interface NewOptions {
  readonly dir: string
  readonly language: Language
  readonly json?: boolean
}

export const newCommand = (): Command =>
  new Command('new')
    .argument('<name>', 'what the blueprint and its folder are called')
    .addOption(new Option('--language <language>', 'what the agent is written in').choices(languages).default('python'))
    .option('--dir <dir>', 'where the folder is made', '.')
    .option('--json', 'print one JSON value for programs')
    .summary('create a blueprint that runs as it is')
    .description(
      'Creates a folder with a commented manifest, an agent that reports its status and obeys commands, a place for your own work, and a README.',
    )
    .addHelpText('after', examples('new mail-triage', 'new mail-triage --language node'))
    .action((name: string, { dir, language, json }: NewOptions) => {
      const wrong = wrongWithAgentName(name)
      if (wrong) throw new Refusal(`The name ${wrong}: got ${JSON.stringify(name)}.`, exits.usage)
      const folder = resolve(dir, name)
      if (!createBlueprint(resolve(dir), name, language))
        throw new Refusal(`There is already something at ${folder}. Nothing was changed. Choose another name or --dir.`)
      const shown = resolve(dir) === process.cwd() ? name : folder
      const files = startingFiles(name, language).map(([path]) => path)
      printResult(json, { name, folder, language, files }, () => [
        `Created ${folder} with ${files.join(', ')}.`,
        `Write your work into the function work in ${join(shown, files[1] ?? '')}. It runs as it is, so you can try it right away:`,
        `  $ ${commandHint('run', shown)}`,
        `  $ ${commandHint(`check ${shellQuoted(shown)}`)}`,
        `  $ ${commandHint(`pack ${shellQuoted(shown)}`)}`,
      ])
    })

/**
 * Creates the folder `name` in `parent` with the files of a new blueprint. The files are written into a temporary
 * folder, which is then renamed, so that nobody sees a half-written blueprint. Returns false if the name is taken.
 */
function createBlueprint(parent: string, name: string, language: Language): boolean {
  const target = join(parent, name)
  mkdirSync(parent, { recursive: true })
  const temporary = mkdtempSync(join(parent, `.${name}.`))
  try {
    for (const [path, content] of startingFiles(name, language)) writeFileSync(join(temporary, path), content)
    mkdirSync(target) // Fails if the folder exists. Otherwise the rename below replaces this empty folder.
    chmodSync(temporary, statSync(target).mode & 0o777)
    renameSync(temporary, target)
    return true
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true })
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}
