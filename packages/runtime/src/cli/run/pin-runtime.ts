/**
 * `svc pin-runtime`: pins the runtime in this folder to one version of svc, so that the runtime updates only to this
 * version (2.6). The command needs no network.
 */
import { runtimeVersion } from '@svc/protocol'
import { Command } from 'commander'
import { commandHint, examples } from '../../machine/hint.ts'
import { runtimeFacts } from '../../updates/runtime/now.ts'
import { readPin, removePin, writePin } from '../../updates/runtime/pin.ts'
import { type CommonOptions, existingFolder, withCommonOptions } from '../kit/common.ts'
import { exits, printResult, Refusal } from '../kit/output.ts'

export const pinRuntime = (): Command =>
  withCommonOptions(new Command('pin-runtime'))
    .argument('<version>', 'the only version to update to, or "off"')
    .summary('pin the version of svc itself')
    .description(
      'While pinned, svc in this folder does not update itself to any other version, whatever the service requests. Pinning itself changes nothing.',
    )
    .addHelpText('after', examples('pin-runtime 1.4.2', 'pin-runtime off'))
    .action((wanted: string, { dir, json }: CommonOptions) => {
      const folder = existingFolder(dir)
      if (wanted !== 'off' && !runtimeVersion.test(wanted))
        throw new Refusal(
          `A version of svc has letters, digits, ".", "_" and "-", at most 64: got ${JSON.stringify(wanted)}.`,
          exits.usage,
        )
      const before = readPin(folder)
      if (wanted === 'off') removePin(folder)
      else if (before !== wanted) writePin(folder, wanted)
      const { version, trial } = runtimeFacts(folder)
      const pinned = readPin(folder) ?? null
      printResult(json, { pinned, changed: (before ?? null) !== pinned, version }, () => [
        pinned === null
          ? before === undefined
            ? 'It was not pinned.'
            : `Not pinned to ${before} now.`
          : `Pinned to ${pinned}${version === pinned ? ', which runs now' : `; ${version} runs now`}.`,
        ...(trial?.is === 'trying' && pinned !== null && trial.to !== pinned
          ? [`${trial.to} is being tested right now; "${commandHint('rollback-runtime')}" ends that.`]
          : []),
      ])
    })
