/**
 * `svc service`: installs, shows and removes the agent as a service of this machine, so that the agent survives
 * reboots.
 */
import { wrongWithAgentName } from '@svc/blueprint'
import { Command } from 'commander'
import { findUnits, type ServiceUnit } from '../../install/service/find.ts'
import { type UnitState, unitState } from '../../install/service/manager.ts'
import { unitFault } from '../../install/service/mend.ts'
import { installService, notAnswering, uninstallService } from '../../install/service/units.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { whoHolds, withTurnOnFullDisk } from '../../machine/files/lock.ts'
import { commandHint, examples, sudoHint } from '../../machine/hint.ts'
import { readManifestNow } from '../../reporter/manifest.ts'
import { noteStop } from '../../state/stop-note.ts'
import { type CommonOptions, currentAuthor, existingFolder, withCommonOptions } from '../kit/folder.ts'
import { exits, printResult, Refusal } from '../kit/output.ts'
import { agentName } from '../look/facts.ts'
import { endLeftProcesses, requireGone } from './end.ts'
import { runnableAgent } from './runnable.ts'

type ServiceOptions = CommonOptions & {
  readonly system?: boolean
  readonly user?: string
  readonly start?: boolean
  readonly python?: string | true
  readonly name?: string
}

export const service = (): Command =>
  new Command('service')
    .summary('let this agent survive reboots')
    .description(
      'Makes the agent a service of this machine: with systemd, for your user or for the system, or with launchd on macOS (written from its documentation, not tested).',
    )
    .helpCommand(false)
    .addHelpText(
      'after',
      `${examples('service install --start')}\n  $ ${sudoHint('service install --system --user agents', '/srv/mail-triage')}`,
    )
    .addCommand(
      withCommonOptions(new Command('install'))
        .summary('write the unit and let it start at boot')
        .option('--start', 'start it now as well')
        .option('--system', 'a system unit instead of one for your user (needs root)')
        .option('--user <name>', "with --system: under whom it runs (default: the folder's owner)")
        .option('--name <name>', "what the unit is called: svc-NAME.service (default: the agent's name)")
        .option('--python [path]', 'start through Python, which looks for Node at each start')
        .action(async ({ dir, json, system = false, user, start = false, python, name }: ServiceOptions) => {
          const wrong = name === undefined ? undefined : wrongWithAgentName(name)
          if (wrong) throw new Refusal(`--name ${wrong}: got ${JSON.stringify(name)}.`, exits.usage)
          const { folder, manifest } = await runnableAgent(dir)
          const { unit, lines } = await installService(folder, {
            agent: agentName(folder, manifest),
            name,
            system,
            start,
            user,
            python: python === true ? '/usr/bin/python3' : python,
          })
          printResult(json, { ...unit, installed: true, lines }, () => lines)
        }),
    )
    .addCommand(
      withCommonOptions(new Command('uninstall'))
        .summary('stop it and remove the unit')
        .action(async ({ dir, json }: CommonOptions) => {
          const folder = existingFolder(dir)
          const units = findUnits(folder)
          if (units.length === 0) throw new Refusal('No service is installed for this folder.')
          withTurnOnFullDisk(folder, 'svc service uninstall', () => noteStop(folder, currentAuthor()))
          const lines: string[] = []
          for (const unit of units) lines.push(...(await uninstallService(unit)))
          // If the runtime was killed earlier, processes of the agent may still run, and the service manager does not
          // end them.
          const manifest = readManifestNow(folder)
          if (!whoHolds(folder, 'runtime')) {
            await endLeftProcesses(
              { folder, manifest: manifest.ok ? manifest.value : undefined },
              { what: 'svc service uninstall' },
            )
            requireGone(folder, lines.join('\n'))
          }
          printResult(json, { ...units[0], installed: false, lines }, () => lines)
        }),
    )
    .addCommand(
      withCommonOptions(new Command('status'))
        .summary('show whether a service is installed and active')
        .action(async ({ dir, json }: CommonOptions) => {
          const folder = existingFolder(dir)
          const units = await Promise.all(findUnits(folder).map(async (unit) => ({ unit, now: await unitState(unit) })))
          const [first] = units
          printResult(
            json,
            first ? { installed: true, ...first.unit, state: first.now.state } : { installed: false },
            () =>
              first
                ? units.map(({ unit, now }) => stateLine(unit, now, folder))
                : `No service is installed for this folder; "${commandHint('service install')}" writes one.`,
          )
        }),
    )

const stateLine = (unit: ServiceUnit, state: UnitState, folder: Folder): string => {
  const line = `${unit.name} (${unit.kind}): ${state.answers ? state.state : 'its state is not known'}; ${unit.file}`
  const fault = unitFault(folder, unit)
  return [
    line,
    ...(state.answers ? [] : [notAnswering(unit, state, folder.root)]),
    ...(fault ? [`${fault.message}.`] : []),
  ].join('\n')
}
