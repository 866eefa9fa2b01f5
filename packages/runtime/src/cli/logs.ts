/** `svc logs`: the logs the agent declares, and the end of one, exactly as the service would get it (D52). */
import { statSync } from 'node:fs'
import { Command } from 'commander'
import { noSuchLog, readLog } from '../logs/read.ts'
import { placeOf } from '../state/paths.ts'
import { ago } from '../time.ts'
import { agentAt, type Common, common } from './folder.ts'
import { columns, exits, Refusal, show } from './output.ts'

type Options = Common & { readonly lines: string }

export const logs = (): Command =>
  common(new Command('logs'))
    .argument('[NAME]', 'the log to show')
    .option('-n, --lines <count>', 'how many lines of its end', '100')
    .summary('list the logs, or show the end of one')
    .description(
      'Without a name: the logs this agent hands out. With one: its end, with secrets masked as for the service.',
    )
    .addHelpText('after', '\nExamples:\n  $ svc logs\n  $ svc logs work --lines 20')
    .action((name: string | undefined, { dir, json, lines }: Options) => {
      const { folder, manifest } = agentAt(dir)
      if (name === undefined) {
        const all = manifest.logs.map((log) => {
          const stat = statSync(placeOf(folder, manifest, log.path), { throwIfNoEntry: false })
          return { ...log, ...(stat && { bytes: stat.size, changed: Math.floor(stat.mtimeMs / 1000) }) }
        })
        return show(json, all, () =>
          all.length === 0
            ? `${manifest.name} declares no logs.`
            : columns([
                ['NAME', 'FILE', 'SIZE', 'CHANGED'],
                ...all.map((l) => [
                  l.name,
                  l.path,
                  l.bytes === undefined ? 'not there' : `${Math.ceil(l.bytes / 1024)} KB`,
                  l.changed === undefined ? '' : ago(Date.now() / 1000 - l.changed),
                ]),
              ]),
        )
      }
      const count = Number(lines)
      if (!Number.isSafeInteger(count) || count < 1)
        throw new Refusal(`--lines must be a number above 0: got ${JSON.stringify(lines)}.`, exits.usage)
      const text = readLog(folder, manifest, name)
      if (text === undefined) throw new Refusal(noSuchLog)
      const end = text.replace(/\n$/, '').split('\n').slice(-count).join('\n')
      show(json, { name, text: end }, () => end)
    })
