/** `svc new`: creates the folder of a new blueprint, which works without any change. */
import { join, resolve } from 'node:path'
import { wrongWithAgentName } from '@svc/blueprint'
import { Command, Option } from 'commander'
import { examples, hint, quoted } from '../../machine/hint.ts'
import { exits, Refusal, show } from '../kit/output.ts'
import { createBlueprint, type Language, languages, startingFiles } from './create.ts'

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
      'Creates a folder with a commented manifest, an agent that reports its status and obeys commands, a place for your own work,\nand a README.',
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
      show(json, { name, folder, language, files }, () => [
        `Created ${folder} with ${files.join(', ')}.`,
        `Write your work into the function work in ${join(shown, files[1] ?? '')}. It runs as it is, so you can try it right away:`,
        `  $ ${hint('run', shown)}`,
        `  $ ${hint(`check ${quoted(shown)}`)}`,
        `  $ ${hint(`pack ${quoted(shown)}`)}`,
      ])
    })
