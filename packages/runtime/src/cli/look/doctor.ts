/** `svc doctor`: checks whatever can be wrong on this machine, and says what to do. */
import { Command } from 'commander'
import { findUnits } from '../../install/service/find.ts'
import { checkReachable, refusalOf } from '../../machine/client/service-client.ts'
import { isExposed, readConnection } from '../../machine/files/env.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { unrememberedVariables } from '../../machine/files/network.ts'
import { commandHint, examples } from '../../machine/hint.ts'
import { readOutbox } from '../../reporter/outbox.ts'
import { type CommonOptions, existingFolder, withCommonOptions } from '../kit/folder.ts'
import { exits, printResult } from '../kit/output.ts'
import { agentChecks, checkPrograms, checkUnit } from './agent-checks.ts'
import { type CheckResult, checkText } from './checked.ts'
import { fileChecks } from './file-checks.ts'

export const doctor = (): Command =>
  withCommonOptions(new Command('doctor'))
    .option('--offline', 'do not try to reach the service')
    .summary('check this machine and folder for problems')
    .description(
      'Checks Node, the manifest, the files and their modes, and the way to the service. Sends no report and no token.',
    )
    .addHelpText('after', examples('doctor --dir /srv/mail-triage'))
    .action(async ({ dir, json, offline }: CommonOptions & { offline?: boolean }) => {
      const folder = existingFolder(dir)
      const checks = [
        ...fileChecks(folder),
        ...agentChecks(folder),
        connected(folder),
        ...(await checkPrograms(folder)),
        ...(await checkUnit(folder)),
        ...(offline ? [] : await remote(folder)),
      ]
      const bad = checks.filter((c) => !c.ok)
      printResult(json, { ok: bad.length === 0, checks }, () => checks.map(checkText))
      if (bad.length > 0) process.exitCode = bad.every((c) => c.name === 'Service') ? exits.unreached : exits.refused
    })

function connected(folder: Folder): CheckResult {
  const connection = readConnection(folder)
  if (!connection.ok) return { name: 'Connection', ok: false, message: connection.message }
  const { origin } = connection.value
  const last = readOutbox(folder)
  if (last?.status === 401)
    return {
      name: 'Connection',
      ok: false,
      message: `${origin} does not know the token, or no longer; run "${commandHint(`connect --url ${origin}`)}" with a new one`,
    }
  const plain = isExposed(origin)
  return {
    name: 'Connection',
    ok: !plain,
    message: plain ? `${origin} is not encrypted: everyone on the way can read the token; use https` : origin,
  }
}

async function remote(folder: Folder): Promise<CheckResult[]> {
  const connection = readConnection(folder)
  if (!connection.ok) return []
  const { origin } = connection.value
  const never = new AbortController().signal
  const sent = await checkReachable(origin, never)
  if (sent.is === 'lost') return [{ name: 'Service', ok: false, message: `${origin} cannot be reached: ${sent.why}` }]
  // The runtime of a unit has no variables of this shell, so what works here may not work there.
  const missing = findUnits(folder).length > 0 ? unrememberedVariables() : []
  if (missing.length > 0 && (await checkReachable(origin, never, true)).is === 'lost') {
    const unit = `the unit does not have ${missing.join(', ')}; run "${commandHint('service install')}", which remembers it`
    return [{ name: 'Service', ok: false, message: `${origin} answers here, but not to the runtime: ${unit}` }]
  }
  const { status, body } = sent
  const { address, message } = refusalOf(status, body)
  // A service without a build of svc answers 404, too, and then names no other address.
  const ok = (status >= 200 && status < 300) || (status === 404 && address === undefined)
  return [{ name: 'Service', ok, message: ok ? `${origin} answers` : `${origin} takes no reports: ${message}` }]
}
