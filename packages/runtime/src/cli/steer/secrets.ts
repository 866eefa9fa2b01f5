/**
 * `svc secrets`: sets secret environment variables of the agent, whose values are never shown (2.12). A value is typed
 * without being shown, or read from standard input. A value is never an argument, since every user of the machine can
 * see arguments (I29).
 */
import { wrongWithEnvValue, wrongWithSecretName } from '@svc/blueprint'
import { Command } from 'commander'
import { changeEnv, envFaults, maxEnvBytes, readEnv, whyEnvUnreadable } from '../../machine/files/env.ts'
import { createFolders } from '../../machine/files/folder.ts'
import { withTurn } from '../../machine/files/lock.ts'
import { commandHint, examples } from '../../machine/hint.ts'
import { askHidden, isInteractive, standardInput } from '../kit/ask.ts'
import { type AgentOnDisk, agentAt, type CommonOptions, withCommonOptions } from '../kit/folder.ts'
import { alignedColumns, exits, printResult, Refusal, warn } from '../kit/output.ts'

export const secrets = (): Command =>
  new Command('secrets')
    .summary('list, set or remove secrets of this agent')
    .description(
      `The secrets in .svc/secrets.env. Values are never shown. A change takes effect at the agent's next start: ${commandHint('restart')}`,
    )
    .helpCommand(false)
    .addHelpText(
      'after',
      examples('secrets list', 'secrets set MAIL_PASSWORD', 'secrets set MAIL_PASSWORD < password.txt'),
    )
    .addCommand(
      withCommonOptions(new Command('list'))
        .summary('list which are set and which are missing')
        .action(async ({ dir, json }: CommonOptions) => {
          const all = list(await agentAt(dir))
          printResult(json, all, () =>
            all.length === 0
              ? 'This agent needs no secrets and has none.'
              : alignedColumns([
                  ['NAME', 'SET', 'PURPOSE'],
                  ...all.map((s) => [s.name, s.set ? 'yes' : s.optional ? 'no (optional)' : 'no', s.purpose]),
                ]),
          )
        }),
    )
    .addCommand(
      withCommonOptions(new Command('set'))
        .argument('<NAME>', 'the secret')
        .summary('set one; its value is asked for without showing it, or read from standard input')
        .action(async (name: string, { dir, json }: CommonOptions) => {
          const { folder, manifest } = await agentAt(dir)
          const wrong = wrongWithSecretName(name)
          if (wrong) throw new Refusal(`The name of a secret ${wrong}: got ${JSON.stringify(name)}.`, exits.usage)
          const value = isInteractive()
            ? await askHidden(`${name} (it is not shown)`, true)
            : (await standardInput(maxEnvBytes)).replace(/\r?\n$/, '')
          const bad =
            value === '' ? `must not be empty; "${commandHint('secrets unset')}" removes it` : wrongWithEnvValue(value)
          if (bad) throw new Refusal(`The value of ${name} ${bad}.`, exits.usage)
          withTurn(folder, 'svc secrets', () => {
            createFolders(folder)
            changeEnv(folder.secrets, { [name]: value })
          })
          const declared = manifest.secrets.some((s) => s.name === name)
          printResult(
            json,
            { set: name, declared },
            () =>
              `Set ${name}${declared ? '' : ', which the manifest does not name'}. It takes effect at the agent's next start: ${commandHint('restart')}`,
          )
        }),
    )
    .addCommand(
      withCommonOptions(new Command('unset'))
        .argument('<NAME>', 'the secret')
        .summary('remove one')
        .action(async (name: string, { dir, json }: CommonOptions) => {
          const { folder } = await agentAt(dir)
          const changed = withTurn(folder, 'svc secrets', () => {
            const why = whyEnvUnreadable(folder.secrets)
            if (why !== undefined) throw new Refusal(`${folder.secrets} ${why}. Nothing was changed.`)
            const existed = readEnv(folder.secrets).has(name)
            if (existed) changeEnv(folder.secrets, { [name]: undefined })
            return existed
          })
          printResult(json, { unset: name, changed }, () => (changed ? `Removed ${name}.` : `${name} was not set.`))
        }),
    )

function list({ folder, manifest }: AgentOnDisk) {
  const why = whyEnvUnreadable(folder.secrets)
  if (why !== undefined) throw new Refusal(`${folder.secrets} ${why}.`)
  for (const fault of envFaults(folder.secrets)) warn(`${folder.secrets} ${fault}.`)
  const set = readEnv(folder.secrets)
  const declared = manifest.secrets.map((s) => ({ ...s, set: set.has(s.name) }))
  const others = [...set.keys()].filter((name) => !manifest.secrets.some((s) => s.name === name))
  return [
    ...declared,
    ...others.map((name) => ({ name, purpose: 'not named by the manifest', optional: true, set: true })),
  ]
}
