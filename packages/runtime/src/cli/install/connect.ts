/**
 * `svc connect`: stores the address of the service to which this folder's agent reports, and the agent's token. Without
 * --no-test they are stored only after the service accepted a real report.
 */
import { basename, dirname } from 'node:path'
import { type Manifest, manifestName, readManifest, wrongWithAgentName } from '@svc/blueprint'
import { limits } from '@svc/protocol'
import { Command } from 'commander'
import { createFolder, writeDurably } from '../../machine/files/durable.ts'
import { type ServiceConnection, writeConnection } from '../../machine/files/env.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { whoHolds, withTurn } from '../../machine/files/lock.ts'
import { readFile, readManifestFile } from '../../machine/files/read.ts'
import { commandHint, examples } from '../../machine/hint.ts'
import { readManifestNow } from '../../reporter/manifest.ts'
import { machinePathOf } from '../../state/paths.ts'
import { fillSettings } from '../../state/settings.ts'
import { confirm, isInteractive, readPastedInput } from '../kit/ask.ts'
import { type CommonOptions, existingFolder, withCommonOptions } from '../kit/folder.ts'
import { exits, printResult, Refusal } from '../kit/output.ts'
import { originFrom, testReport, tokenFrom, tryConnection } from './connecting.ts'

type ConnectOptions = CommonOptions & {
  readonly url: string
  readonly tokenFile?: string
  readonly name?: string
  readonly yes?: boolean
  readonly test: boolean
}

export const connect = (): Command =>
  withCommonOptions(new Command('connect'))
    .requiredOption('--url <url>', 'the address of the service')
    .option('--token-file <file>', 'read the token from a file; - reads it from standard input, or asks')
    .option('--name <name>', "the agent's name, when a manifest is written (default: the folder's name)")
    .option('--yes', 'write a small svc.agent.yaml and a first status file, without asking, if there are none')
    .option('--no-test', 'do not test the connection with a report')
    .summary('connect this folder to a service')
    .description(
      'Asks for the token that the service showed when the agent was added, sends one report to test it, and writes .svc/agent.env.\nThe token is typed without being shown, or read from standard input, --token-file or SVC_TOKEN. It is never taken from the command line.',
    )
    .addHelpText(
      'after',
      examples(
        'connect --url https://svc.example.com',
        'connect --url http://localhost:8787 --dir /srv/mail-triage --yes --token-file - < token.txt',
      ),
    )
    .action(run)

async function run({ dir, json, url, tokenFile, name, yes, test }: ConnectOptions): Promise<void> {
  const folder = existingFolder(dir)
  const origin = originFrom(url)
  const found = presentOrNew(folder, name, yes)
  // The token is asked for first. A person pastes it at once, as the page says, and it must not answer another
  // question.
  const connection: ServiceConnection = { origin, token: await tokenFrom(tokenFile) }
  const { manifest, toWrite } =
    'manifest' in found ? { ...found, toWrite: undefined } : await newManifest(found.name, yes)
  const firstStatus = await offerStatus(folder, manifest, yes)
  if (test) await tryConnection(folder, manifest, connection, 'With --no-test it is written without a test.')
  withTurn(folder, 'svc connect', () => {
    if (toWrite !== undefined) writeDurably(folder.manifest, toWrite)
    writeConnection(folder, connection)
    fillSettings(folder, manifest)
    if (firstStatus !== undefined) {
      createFolder(dirname(firstStatus))
      writeDurably(firstStatus, `${firstText}\n`)
    }
  })
  // The second test report contains the status file that was just written, so that the page shows a level at once.
  if (test && firstStatus !== undefined) await testReport(folder, manifest, connection)
  const { name: agent, version } = manifest
  printResult(
    json,
    {
      connected: true,
      url: origin,
      agent,
      version,
      tested: test,
      wroteManifest: toWrite !== undefined,
      wroteStatus: firstStatus !== undefined,
    },
    () => [
      test
        ? `Connected: ${origin} accepted a report of ${agent} ${version}.`
        : `Written without a test: ${agent} ${version} reports to ${origin}.`,
      ...(toWrite === undefined ? [] : [`Wrote ${folder.manifest}. Check it: it defines what the agent offers.`]),
      ...(firstStatus === undefined
        ? missingStatus(folder, manifest)
        : [`Wrote ${firstStatus}. Your agent overwrites it with its own status.`]),
      ...nextSteps(folder, manifest),
    ],
  )
}

function nextSteps(folder: Folder, manifest: Manifest): string[] {
  if (whoHolds(folder, 'runtime')) return ['The running reporter uses it from its next report.']
  const lasting = commandHint('service install --start')
  if (manifest.runtime)
    return [`Start it, now and at every boot: ${lasting}`, `Or only until the next boot: ${commandHint('start')}`]
  return [
    `Start reporting with: ${commandHint('report')}`,
    `That ends with this terminal. To keep it running, name the agent's program in ${manifestName} as "runtime", and run: ${lasting}`,
  ]
}

/** The status file that `svc connect` offers to write. The page shows it until the agent writes its own. */
const firstText = '{"state": {"level": "ok", "label": "Hello"}}'

/**
 * Returns the path of the first status file to write; undefined to write none. No file is needed if it exists, if the
 * manifest names none, or if svc starts the agent, which then writes the file itself. Without --yes, a person must
 * agree.
 */
async function offerStatus(folder: Folder, manifest: Manifest, yes: boolean | undefined): Promise<string | undefined> {
  const file = absentStatus(folder, manifest)
  if (file === undefined || manifest.runtime) return undefined
  if (yes) return file
  return isInteractive() &&
    (await confirm(`There is no ${manifest.status} yet. Write a first one, so that the page shows a level?`))
    ? file
    : undefined
}

function absentStatus(folder: Folder, manifest: Manifest): string | undefined {
  const file = manifest.status && machinePathOf(folder, manifest, manifest.status)
  return file && readFile(file, 1).is === 'missing' ? file : undefined
}

const missingStatus = (folder: Folder, manifest: Manifest): string[] => {
  const file = manifest.runtime ? undefined : absentStatus(folder, manifest)
  return file === undefined ? [] : [`The page shows a level once your agent writes ${file}, for instance ${firstText}`]
}

/**
 * Returns the folder's manifest or, if there is none, the agent's name for a small manifest. Refuses a small manifest
 * if nobody can be asked and --yes is not given.
 */
function presentOrNew(
  folder: Folder,
  name: string | undefined,
  yes: boolean | undefined,
): { readonly manifest: Manifest } | { readonly name: string } {
  if (readManifestFile(folder).is !== 'missing') {
    const found = readManifestNow(folder)
    if (!found.ok) throw new Refusal(found.message)
    return { manifest: found.value }
  }
  const chosen = name === undefined ? nameFrom(basename(folder.root)) : readPastedInput('The name', name)
  const wrong = wrongWithAgentName(chosen)
  if (wrong) throw new Refusal(`The name ${wrong}: got ${JSON.stringify(chosen)}. Choose one with --name.`, exits.usage)
  if (!yes && !isInteractive())
    throw new Refusal(`There is no ${manifestName} in ${folder.root}. Write one, or add --yes for a small one.`)
  return { name: chosen }
}

/** Makes a small manifest. The person is asked before, except with --yes. */
async function newManifest(
  chosen: string,
  yes: boolean | undefined,
): Promise<{ readonly manifest: Manifest; readonly toWrite: string }> {
  if (!yes && !(await confirm(`There is no ${manifestName} here. Write a small one for "${chosen}"?`)))
    throw new Refusal('Nothing was written.')
  const toWrite = smallManifest(chosen)
  const read = readManifest(toWrite, { for: 'report' })
  if (!read.ok) throw new Error(`The small manifest is wrong: ${JSON.stringify(read.findings)}`)
  return { manifest: read.value, toWrite }
}

/** Derives an agent's name from the name of its folder: `My Agent_2` becomes `my-agent-2`. */
export const nameFrom = (folderName: string): string =>
  folderName
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, limits.agentName)
    .replace(/-+$/, '') || 'agent'

const smallManifest = (name: string): string => `# What this agent is and what it offers.
name: ${name}
version: 0.1.0

# The agent writes its state into this file, as JSON: {"state": {"level": "ok", "label": "Idle"}}
status: status.json

# The service and "svc" offer only the controls listed here. List those that the agent obeys:
#   pause, resume   it starts nothing while .svc/paused exists
#   run_now         it runs when .svc/run_now exists, and removes that file
# controls: [pause, resume, run_now]

# The values in force are in .svc/settings.json.
# settings:
#   - {key: every, label: Minutes between runs, type: number, min: 1, max: 120, default: 10}

# Logs that people may request.
# logs: [{name: work, path: work.log}]
`
