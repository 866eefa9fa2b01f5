/** `svc service`: the agent as a service of this machine, so that it survives reboots. */
import { Command } from 'commander'
import { examples, hint, sudoHint } from '../hint.ts'
import { findUnit, installService, uninstallService, unitState } from '../service/units.ts'
import { agentAt, type Common, common } from './folder.ts'
import { Refusal, show } from './output.ts'
import { runnable } from './runnable.ts'

type Options = Common & {
  readonly system?: boolean
  readonly user?: string
  readonly start?: boolean
  readonly python?: string | true
}

export const service = (): Command =>
  new Command('service')
    .summary('let this agent survive reboots')
    .description(
      'Makes the agent a service of this machine: systemd, of your account or of the system; launchd on macOS (written to its documentation, not tried).',
    )
    .helpCommand(false)
    .addHelpText(
      'after',
      `${examples('service install --start')}\n  $ ${sudoHint('service install --system --user agents', '/srv/mail-triage')}`,
    )
    .addCommand(
      common(new Command('install'))
        .summary('write the unit and let it start at boot')
        .option('--start', 'start it now as well')
        .option('--system', 'a unit of the system instead of your account (needs root)')
        .option('--user <name>', "with --system: under whom it runs (default: the folder's owner)")
        .option('--python [path]', 'start through Python, which looks for Node anew at each start')
        .action(async ({ dir, json, system = false, user, start = false, python }: Options) => {
          const { folder, manifest } = runnable(dir)
          const { unit, lines } = await installService(folder, {
            name: manifest.name,
            system,
            start,
            user,
            python: python === true ? '/usr/bin/python3' : python,
          })
          show(json, { ...unit, installed: true, lines }, () => lines)
        }),
    )
    .addCommand(
      common(new Command('uninstall'))
        .summary('stop it and take the unit away')
        .action(async ({ dir, json }: Common) => {
          const { folder, manifest } = agentAt(dir)
          const unit = findUnit(folder, manifest.name)
          if (!unit) throw new Refusal('No service is installed for this folder.')
          const lines = await uninstallService(unit)
          show(json, { ...unit, installed: false, lines }, () => lines)
        }),
    )
    .addCommand(
      common(new Command('status'))
        .summary('say whether a service is installed and active')
        .action(async ({ dir, json }: Common) => {
          const { folder, manifest } = agentAt(dir)
          const unit = findUnit(folder, manifest.name)
          const state = unit && (await unitState(unit))
          show(json, unit ? { installed: true, ...unit, state } : { installed: false }, () =>
            unit
              ? `${unit.name} (${unit.kind}): ${state}; ${unit.file}`
              : `No service is installed for this folder; "${hint('service install')}" writes one.`,
          )
        }),
    )
