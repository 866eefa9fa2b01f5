/**
 * `svc init`: turns an install code into an agent on this machine (2.9, 4). A person is asked before the code is used
 * up, so that a person who stops can use the code again.
 */
import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import type { InstallPreview, SecretSpec, SettingValues } from '@svc/protocol'
import { Command } from 'commander'
import { checkRedeemed, redeemCode, retryWhileLimited } from '../../install/call.ts'
import { claimFolder, unclaim, whyFolderIsTaken } from '../../install/claim.ts'
import { placeAgent } from '../../install/place.ts'
import { findUnmetNeeds } from '../../install/ready.ts'
import { gatherSecrets, secretsNotGiven } from '../../install/secrets.ts'
import { type InstalledUnit, installService } from '../../install/service/units.ts'
import { programFile } from '../../launcher/file.ts'
import { messageOf } from '../../machine/base/errors.ts'
import { wholeSeconds } from '../../machine/base/time.ts'
import type { EnvFileValues } from '../../machine/files/env.ts'
import { type Folder, folderAt } from '../../machine/files/folder.ts'
import { readHandedEnv } from '../../machine/files/handed.ts'
import { commandHint, examples } from '../../machine/hint.ts'
import { manifestNow } from '../../reporter/known.ts'
import { type Install, withoutMachine, writeInstall } from '../../state/install-note.ts'
import { readInsideRelease } from '../../updates/runtime/release.ts'
import { askHidden, confirm, isInteractive } from '../kit/ask.ts'
import { agentAt, currentAuthor } from '../kit/folder.ts'
import { alignedColumns, exits, oneLine, printResult, Refusal, safe, warn } from '../kit/output.ts'
import { startInBackground } from '../run/start.ts'
import {
  askSetting,
  chooseSettings,
  chooseSettingsLate,
  type LateSettings,
  unsetSettingsLines,
} from '../steer/init-settings.ts'
import { readPairs } from '../steer/settings.ts'
import { nothingInstalled, previewCode, previewLines, tellWait } from './preview.ts'

interface InitOptions {
  readonly url: string
  readonly code?: string
  readonly dir?: string
  readonly secretsFile?: string
  readonly set: readonly string[]
  readonly yes?: boolean
  readonly start?: boolean
  readonly service?: boolean
  readonly json?: boolean
}

export const init = (): Command =>
  new Command('init')
    .requiredOption('--url <url>', 'the address of the service')
    .option(
      '--code <code>',
      'the install code; better typed when asked, on standard input or in SVC_CODE, since others can see arguments',
    )
    .option('--dir <dir>', "the agent's folder, which must not exist or be empty (default: the agent's name)")
    .option('--secrets-file <file>', 'read secrets from a file of lines NAME=value')
    .option(
      '--set <KEY=VALUE>',
      'set a setting of the agent; may be repeated',
      (one, all: string[]) => [...all, one],
      [],
    )
    .option('--yes', 'install without asking, even if programs that the agent needs are missing')
    .option('--start', 'start the agent afterwards')
    .option('--service', 'start the agent now and at every boot, as a service of your account (of the system as root)')
    .option('--json', 'print one JSON value for programs')
    .summary('install an agent with an install code')
    .description(
      'Shows what the code would install and what it may access, asks for the secrets and settings it needs, and installs it.\nIf you stop before that, nothing is left behind and the code stays valid. Nothing is started without --start or --service.',
    )
    .addHelpText(
      'after',
      examples('init --url https://svc.example.com', {
        before: 'MAIL_PASSWORD=…',
        command: 'init --url https://svc.example.com --dir /srv/mail-triage < code.txt',
      }),
    )
    .action(run)

async function run(options: InitOptions): Promise<void> {
  const given = readHandedOver(options)
  const { origin, code, seen } = await previewCode(options)
  const root = resolve(options.dir ?? seen.agentName)
  const taken = whyFolderIsTaken(root)
  if (taken) throw new Refusal(`${taken} Nothing was done; the code is still valid.`)

  warn(previewLines(seen, origin, root).join('\n'))
  if (isInteractive() && !options.yes && !(await confirm('Install it?'))) throw new Refusal(nothingInstalled)
  await goOnWithout(await findUnmetNeeds(seen), options)
  const secrets = await gatherSecrets(seen.secrets ?? [], {
    file: given,
    env: process.env,
    ask: isInteractive() ? askSecret : undefined,
    tell: warn,
  })
  if (!secrets.ok) throw new Refusal(`${secrets.message} ${nothingInstalled}`)
  const ask = isInteractive() ? askSetting : undefined
  const chosen = seen.settings && (await chooseSettings(seen.settings, options.set, ask).catch(undoneToo))

  const { folder, install } = await take(root, origin, code, {
    seen,
    secrets: secrets.values,
    chosen,
  })
  const late: LateSettings = chosen
    ? { lines: unsetSettingsLines(seen.settings ?? [], chosen, root) }
    : await chooseSettingsLate(await agentAt(root), options.set, ask)
  const optional = secretsNotGiven(seen.secrets ?? [], secrets.values)
  // This call stores the parsed manifest for the runtime. Otherwise the runtime would have to load the YAML parser,
  // which would stay in its memory.
  await manifestNow(folder)
  const { agent, blueprint, version } = install
  const service = options.service ? await asService(folder, install) : undefined
  const started = options.start && !service ? await startInBackground(folder) : undefined
  const done = {
    installed: true,
    agent,
    blueprint,
    version,
    dir: root,
    url: origin,
    started: !!(service || started),
  }
  printResult(
    options.json,
    {
      ...done,
      optionalSecretsNotGiven: optional,
      ...(late.refused !== undefined && { settingsRefused: late.refused }),
    },
    () => [
      `Installed ${agent} (${blueprint} ${version}) in ${root}.`,
      ...late.lines,
      ...withoutSecrets(optional, root),
      ...(service ? service.lines : started ? [started] : nextSteps(root)),
    ],
  )
}

/**
 * Installs the agent as a service of the machine, so that the machine starts it. The agent is already installed in its
 * folder. So if the machine refuses the service, the message says this and names the command that starts the agent.
 */
async function asService(folder: Folder, { agent, blueprint, version }: Install): Promise<InstalledUnit> {
  try {
    return await installService(folder, { agent, system: asRoot(), start: true })
  } catch (error) {
    const done = `${agent} (${blueprint} ${version}) is installed in ${folder.root}, but not as a service.`
    throw new Refusal([done, messageOf(error), ...nextSteps(folder.root)].join('\n'))
  }
}

/**
 * Warns that programs are missing which the agent needs, but which can also be installed later. Without --yes, a person
 * is asked whether to continue. If nobody can be asked, the installation is refused.
 */
async function goOnWithout(missing: readonly string[], { yes }: InitOptions): Promise<void> {
  if (missing.length === 0) return
  const said = missing.map(oneLine).join('\n')
  if (yes) return warn(said)
  if (!isInteractive())
    throw new Refusal(
      `${said}\nInstall what is missing, or add --yes to install the agent without it. ${nothingInstalled}`,
    )
  warn(said)
  if (!(await confirm('Install it anyway?'))) throw new Refusal(nothingInstalled)
}

const withoutSecrets = (names: readonly string[], root: string): string[] =>
  names.length === 0
    ? []
    : [
        `Optional secrets that were not given: ${names.join(', ')}. ${commandHint(`secrets set ${names[0]}`, root)} sets one.`,
      ]

/**
 * Checks what the person handed over, before anything else is done: the form of each --set, and the secrets file as a
 * whole. Returns the variables of that file.
 */
function readHandedOver({ set, secretsFile }: InitOptions): EnvFileValues {
  try {
    readPairs(set, [])
    if (secretsFile === undefined) return new Map()
    const { env, remarks } = readHandedEnv(resolve(secretsFile))
    for (const remark of remarks) warn(remark)
    return env
  } catch (error) {
    return undoneToo(error)
  }
}

function undoneToo(error: unknown): never {
  throw error instanceof Refusal ? new Refusal(`${error.message} ${nothingInstalled}`, error.exit) : error
}

/** The preview that the person has read, and the person's answers. */
interface Answers {
  readonly seen: InstallPreview
  readonly secrets: ReadonlyMap<string, string>
  readonly chosen: SettingValues | undefined
}

/** Claims the folder, uses up the install code, and installs the agent on this machine. */
async function take(
  root: string,
  url: string,
  code: string,
  { seen, secrets, chosen }: Answers,
): Promise<{ folder: Folder; install: Install }> {
  const { agentName: agent, blueprint, version } = seen
  const claimed = claimFolder(root, { url, agent, blueprint, version, at: wholeSeconds(Date.now()) })
  if (!claimed.ok) throw new Refusal(`${claimed.message} ${nothingInstalled}`)
  const { folder } = claimed
  const sending: Install = { ...claimed.install, is: 'redeeming' }
  const noteNext = (install: Install) => {
    try {
      writeInstall(folder, install)
    } catch (error) {
      unclaim(folder, claimed.install.madeFolder)
      throw new Refusal(`${messageOf(error)}. ${nothingInstalled}`)
    }
  }
  const answer = await retryWhileLimited(
    () => {
      noteNext(sending)
      return redeemCode(url, code, new AbortController().signal)
    },
    (seconds) => {
      // The call did not use up the code, and the note says so during the wait. If a person ends the wait, the folder
      // can be used for another installation.
      noteNext(claimed.install)
      tellWait(url)(seconds)
    },
  )
  if (!answer.ok && answer.is !== 'unknown') {
    unclaim(folder, claimed.install.madeFolder)
    throw new Refusal(
      `${answer.message} Nothing was installed.`,
      answer.is === 'unreached' ? exits.unreached : exits.refused,
    )
  }
  if (!answer.ok) throw new Refusal(`${answer.message} ${withoutMachine(sending, root)}`)
  const install: Install = { ...sending, is: 'redeemed' }
  try {
    writeInstall(folder, install)
    const redeemed = checkRedeemed(answer.value, seen)
    if (!redeemed.ok) throw new Error(redeemed.message)
    const program = programFile()
    await placeAgent(folder, install, {
      redeemed: redeemed.value,
      origin: url,
      secrets,
      chosen: chosen && Object.keys(chosen).length > 0 ? { values: chosen, author: currentAuthor() } : undefined,
      program: readInsideRelease(program) ? program : undefined,
    })
    return { folder: folderAt(root), install }
  } catch (error) {
    leaveNote(folder)
    throw new Refusal(`${messageOf(error).replace(/\.$/, '')}. ${withoutMachine(install, root)}`)
  }
}

/**
 * Deletes what a failed installation has unpacked and stored, also the secrets. The note about the installation stays.
 */
function leaveNote(folder: Folder): void {
  try {
    for (const path of [
      folder.current,
      folder.versions,
      folder.staging,
      folder.env,
      folder.secrets,
      folder.settings,
      folder.state,
    ])
      rmSync(path, { recursive: true, force: true })
  } catch {
    // Files that the disk does not delete stay. The note still says that the installation failed.
  }
}

const askSecret = ({ name, purpose, optional }: SecretSpec): Promise<string> =>
  askHidden(
    `${name}: ${oneLine(safe(purpose))}${optional ? ' (optional, Enter to skip)' : ''} (it is not shown)`,
    !optional,
  )

const asRoot = (): boolean => process.getuid?.() === 0

const nextSteps = (root: string): string[] => [
  'Nothing is running yet. Start it:',
  ...alignedColumns([
    [commandHint('run', root), 'in this terminal'],
    [commandHint('start', root), 'in the background'],
    [commandHint(`service install ${asRoot() ? '--system ' : ''}--start`, root), 'now and at every boot'],
  ]).map((line) => `  ${line}`),
]
