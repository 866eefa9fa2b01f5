/** `svc new`: creates the folder of a new blueprint, which works without any change. */
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { manifestName, wrongWithAgentName } from '@svc/blueprint'
import { Command, Option } from 'commander'
import { codeOf } from '../../machine/base/errors.ts'
import { examples, hint, quoted } from '../../machine/hint.ts'
import { exits, Refusal, show } from '../kit/output.ts'
import * as node from './starting/node.ts'
import * as python from './starting/python.ts'

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
      show(json, { name, folder, language, files }, () => [
        `Created ${folder} with ${files.join(', ')}.`,
        `Write your work into the function work in ${join(shown, files[1] ?? '')}. It runs as it is, so you can try it right away:`,
        `  $ ${hint('run', shown)}`,
        `  $ ${hint(`check ${quoted(shown)}`)}`,
        `  $ ${hint(`pack ${quoted(shown)}`)}`,
      ])
    })

// Creates the folder of a new blueprint. The files are first written into a folder with a temporary name, which is then
// renamed, so that nobody sees a half-written blueprint.

export const languages = ['python', 'node'] as const
type Language = (typeof languages)[number]

/** Returns the files of a new blueprint. An agent made from them runs before the author changes anything. */
function startingFiles(name: string, language: Language): [path: string, content: string][] {
  const { command, run, main } = { python, node }[language]
  const program = language === 'python' ? 'main.py' : 'main.mjs'
  return [
    [manifestName, manifestOf(name, command)],
    [program, main],
    ['README.md', readmeOf(name, program, run)],
  ]
}

/** Creates the folder `name` in `parent` with the files of a new blueprint. Returns false if the name is taken. */
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

/** Makes the manifest of a new blueprint, with explanations for its author. */
const manifestOf = (
  name: string,
  command: string,
) => `# The blueprint: its name, how it is started, and what people can see and set.
# "svc check" lists what is wrong with it; "svc pack" makes the bundle to upload.
name: ${name}
version: 0.1.0 # a semantic version; each upload needs a new one
description: Replace me with one line that says what it does.

runtime:
  kind: process # or compose, with files: [compose.yaml]
  command: ${command} # an argument list; no shell reads it
  workdir: .
  restart: always # always | on-failure | never
  stop_seconds: 10 # between asking the agent to end and killing it
health: { start_seconds: 60 } # how long a new version may take to report its state

# The state of the agent: the agent writes it, the runtime reads and reports it.
status: state/status.json
logs: [{ name: work, path: state/work.log }]

# Commands that the agent obeys, from the page or from "svc pause", "svc run-now" and "svc set".
controls: [pause, resume, run_now]
settings:
  - { key: every, label: Minutes between runs, type: number, min: 1, max: 1440, default: 10, group: Schedule }

# Data that outlives versions. It is not packed, unless .svcignore takes it back.
state: [state]

# Secrets that a person types at "svc init"; the agent finds them in its environment.
# secrets: [{ name: MAIL_PASSWORD, purpose: reads the mailbox, optional: false }]
# Products that the agent works with; it finds SVC_BINDING_TASKS_URL, _WORKSPACE and _TOKEN in its environment.
# bindings: [{ product: tasks, role: editor, scopes: [tasks.write] }]
`

/** Makes the README of a new blueprint, which is written for its author. */
const readmeOf = (name: string, main: string, run: string) => `# ${name}

A skeleton that runs unchanged and does nothing yet. The work goes into the function \`work\` in \`${main}\`. Then change the
description in \`svc.agent.yaml\`. Complete agents to copy from are in the examples of the svc repository.

The command \`svc\` comes from your service. Once on each machine, with its address:

    curl -fsSO https://svc.example.com/cli/svc.pyz
    python3 svc.pyz self install

Then, in this folder:

    ${run}             # runs it by hand; its state is in state/status.json
    svc check                  # lists everything that is wrong with this folder
    svc pack                   # makes the bundle ${name}-0.1.0.zip; upload it on the page
    svc report                 # or: reports this folder, after "svc connect"

It obeys the files that the runtime names in its environment, and those in \`.svc/\` when it is run by hand:
pause (\`SVC_PAUSE_FILE\`), run now (\`SVC_RUN_NOW_FILE\`, which it removes) and settings (\`SVC_SETTINGS_FILE\`).
Everything it keeps is in \`state/\`, which is not packed. To leave out more, add patterns to \`.svcignore\`, one per line.
`
