/**
 * `svc logs`: shows the end of a log: one that the manifest declares, the agent's output, or the messages of the
 * runtime. With `-f` it also shows what is added later (D52).
 */
import { logNamed, type Manifest } from '@svc/blueprint'
import { sizeText } from '@svc/protocol'
import { Command } from 'commander'
import { agoText } from '../../machine/base/time.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { readFile } from '../../machine/files/read.ts'
import { commandHint, examples } from '../../machine/hint.ts'
import {
  endOfFile,
  type FilePosition,
  type FollowedFile,
  followFile,
  listDeclaredLogs,
  startOfFile,
} from '../../state/logs/follow.ts'
import { safeLog } from '../../state/logs/mask.ts'
import { declaredLog, ownLog } from '../../state/logs/open.ts'
import { endOfLog, noSuchLog, readLogFile } from '../../state/logs/read.ts'
import { machinePathOf } from '../../state/paths.ts'
import { readNote } from '../../state/process-note.ts'
import { agentAt, type CommonOptions, withCommonOptions } from '../kit/folder.ts'
import { alignedColumns, exits, printResult, Refusal, safe } from '../kit/output.ts'

type LogsOptions = CommonOptions & { readonly lines: string; readonly follow?: boolean }

/**
 * The two logs that every agent has: its output and the messages of its runtime. They stay on the machine, unless the
 * manifest declares the output as a log.
 */
const own = { output: 'output of the agent', svc: 'messages of the runtime' } as const

export const logs = (): Command =>
  withCommonOptions(new Command('logs'))
    .argument('[NAME]', 'the log to show; "output" is the output of the agent, "svc" the messages of its runtime')
    .option('-n, --lines <count>', 'how many of its last lines to show', '100')
    .option('-f, --follow', 'keep showing new lines until Ctrl-C (without a name: the output of the agent)')
    .summary('list the logs, or show the end of one')
    .description(
      'Without a name: lists the logs that this agent offers. With a name: shows its end, with secrets masked as for the service.',
    )
    .addHelpText('after', examples('logs', 'logs work --lines 20', 'logs -f'))
    .action(async (asked: string | undefined, { dir, json, lines, follow: goOn }: LogsOptions) => {
      const { folder, manifest } = await agentAt(dir)
      const name = asked ?? (goOn ? 'output' : undefined)
      if (name === undefined) return printLogs(folder, manifest, json)
      const count = Number(lines)
      if (!Number.isSafeInteger(count) || count < 1)
        throw new Refusal(`--lines must be a number above 0: got ${JSON.stringify(lines)}.`, exits.usage)
      const file = fileFor(folder, manifest, name)
      const { from, text } = endOf(file, () =>
        isOwn(manifest, name) ? ownText(folder, name) : readLogFile(folder, manifest, name),
      )
      if (file === undefined || (text === undefined && !goOn)) throw new Refusal(noSuchLog)
      const end = (text ?? '').replace(/\n$/, '').split('\n').slice(-count).join('\n')
      if (!goOn) return printResult(json, { name, text: end }, () => end)
      if (end !== '') write(`${end}\n`, json)
      await followFile(file, text === undefined ? startOfFile : from, (added) => write(safeLog(folder, added), json))
    })

/**
 * Returns the end of a log, and the position in the file from which new lines are followed. If the log grew during the
 * reading, it is read again, at most 20 times. Otherwise new lines would be shown twice.
 */
function endOf(
  file: FollowedFile | undefined,
  read: () => string | undefined,
): { from: FilePosition; text: string | undefined } {
  for (let left = 20; ; left--) {
    const from = file ? endOfFile(file) : startOfFile
    const text = read()
    const { at, before } = file ? endOfFile(file) : startOfFile
    if (left === 0 || (at === from.at && before.equals(from.before))) return { from, text }
  }
}

const write = (text: string, json: boolean | undefined): void => {
  const lines = safe(text).replace(/\n$/, '').split('\n')
  process.stdout.write(lines.map((line) => `${json ? JSON.stringify({ line }) : line}\n`).join(''))
}

/**
 * True if `name` means one of the two logs that every agent has. A log that the manifest declares under the same name
 * takes precedence, unless it is the agent's output, too.
 */
const isOwn = (manifest: Manifest, name: string): name is keyof typeof own =>
  Object.hasOwn(own, name) && !manifest.logs.some((log) => log.name === name && !(log.output && name === 'output'))

/**
 * Returns the file into which the running agent prints, if the manifest declared such a file when the agent was
 * started. The manifest may have changed since then.
 */
const declaredOutput = (folder: Folder, name: string) => (name === 'output' ? readNote(folder)?.output : undefined)

function fileFor(folder: Folder, manifest: Manifest, name: string): FollowedFile | undefined {
  if (!isOwn(manifest, name)) {
    const declared = logNamed(manifest.logs, name)
    return declared && { file: machinePathOf(folder, manifest, declared.path), open: declaredLog(folder) }
  }
  const output = declaredOutput(folder, name)
  if (output !== undefined) return { file: output, open: declaredLog(folder) }
  return { file: name === 'output' ? folder.output : folder.runtimeLog, open: ownLog }
}

function ownText(folder: Folder, name: keyof typeof own): string | undefined {
  const output = declaredOutput(folder, name)
  if (output !== undefined) return endOfLog(folder, output)
  const read = readFile(name === 'output' ? folder.output : folder.runtimeLog, 64 * 1024 * 1024)
  if (read.is !== 'bytes') return undefined
  return safeLog(folder, read.bytes.subarray(-512 * 1024).toString('utf8'))
}

function printLogs(folder: Folder, manifest: Manifest, json: boolean | undefined): void {
  const all = listDeclaredLogs(folder, manifest)
  printResult(json, all, () => [
    ...(all.length === 0
      ? [`${manifest.name} declares no logs.`]
      : alignedColumns([
          ['NAME', 'FILE', 'SIZE', 'CHANGED'],
          ...all.map((l) => [
            l.name,
            l.path,
            l.bytes === undefined ? 'not there' : sizeText(l.bytes),
            l.changed === undefined ? '' : agoText(Date.now() / 1000 - l.changed),
          ]),
        ])),
    ...(manifest.runtime
      ? [
          manifest.logs.some((log) => log.output)
            ? `Only here: "${commandHint('logs svc')}" (messages of the runtime).`
            : `Only here: "${commandHint('logs output')}" (output of the agent) and "${commandHint('logs svc')}" (messages of the runtime).`,
        ]
      : []),
  ])
}
