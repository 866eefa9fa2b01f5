/**
 * Rehearses an update and a rollback in the copy, with the code of real updates (updates/agent/moves.ts) and on a real
 * disk. The download and the 30 minutes of watching are left out, and so is the trial unless the drill starts the
 * agent.
 */
import { createHash } from 'node:crypto'
import { lstatSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { supervise } from '../../../launcher/supervisor.ts'
import { takeOverProcess } from '../../../launcher/take-over.ts'
import { scaledMs, wait } from '../../../machine/base/time.ts'
import { fileNamesIn } from '../../../machine/files/durable.ts'
import { commandHint } from '../../../machine/hint.ts'
import { manifestNow } from '../../../reporter/known.ts'
import { machinePathOf } from '../../../state/paths.ts'
import { processStateSentence } from '../../../state/process-health.ts'
import { currentVersionFolder, folderOfCurrent, versionFolderName } from '../../../state/versions/folders.ts'
import { rollbackAlone } from '../../../updates/agent/alone.ts'
import { updateAfterStep } from '../../../updates/agent/change.ts'
import { driveUpdates, stepMoment } from '../../../updates/agent/drive.ts'
import { type Update, writeUpdate } from '../../../updates/agent/journal.ts'
import { startOrderOf } from '../../../worker/order.ts'
import type { DrillCopy } from './copy.ts'

interface DrillStep {
  readonly name: 'fetch' | 'start' | 'stage' | 'swap' | 'prove' | 'watch' | 'roll back' | 'state'
  /** A sentence that says what this step does in a real update. */
  readonly would: string
  readonly did: 'done' | 'failed' | 'left out'
  readonly message: string
}
interface Rehearsal {
  /** True if the drill really starts the agent's command. */
  readonly start: boolean
  readonly stop: AbortSignal
  readonly say: (line: string) => void
}

/**
 * Rehearses all steps of an update and of its rollback, in order. The rehearsal ends after the first step that fails.
 */
export async function rehearse(copy: DrillCopy, { start, stop, say }: Rehearsal): Promise<DrillStep[]> {
  const { folder, now, next } = copy
  const from = now.manifest.version
  const to = next.manifest.version
  const steps: DrillStep[] = []
  const add = (name: DrillStep['name'], would: string, did: DrillStep['did'], message: string): boolean => {
    steps.push({ name, would, did, message })
    return did !== 'failed'
  }
  const agent = start ? begin(copy, say) : undefined
  try {
    add(
      'fetch',
      `The bundle of the new version is asked of the service, with the token.`,
      'left out',
      'a drill asks nobody',
    )
    if (agent) {
      const up = await agent.runs(now.sha256, stop)
      const ok = add(
        'start',
        `${from} runs.`,
        up ? 'done' : 'failed',
        up ? `${from} was started in the copy` : agent.sentence(),
      )
      if (!ok) return steps
    }
    const before = folderChecksum(folder.state)
    const updated = await update(copy, agent, { stop, say })
    const staged = updated.seen.includes('swapping')
    const swapped = updated.seen.includes('proving')
    const why = updated.now.applied?.message ?? 'it was interrupted'
    if (
      !add(
        'stage',
        'The bundle is judged, unpacked beside the running version, and the state is linked into it.',
        staged ? 'done' : 'failed',
        staged ? `${to} is unpacked beside ${from}` : why,
      )
    )
      return steps
    if (
      !add(
        'swap',
        '"current" leads to the new version by one rename, and the agent is restarted.',
        swapped ? 'done' : 'failed',
        swapped ? `"current" led to ${to}` : why,
      )
    )
      return steps
    const proofWould = `The new version has ${copy.manifest.health.start_seconds} s to say how it is, and must not be bad.`
    if (!agent)
      add('prove', proofWould, 'left out', `the agent was not started; "${commandHint('drill --start')}" does`)
    else {
      const kept = updated.now.state === 'watching'
      if (!add('prove', proofWould, kept ? 'done' : 'failed', kept ? `${to} was kept: ${why}` : why)) return steps
    }
    add(
      'watch',
      'For 30 minutes of running it goes back by itself if it gets worse.',
      'left out',
      'a drill does not wait for it',
    )
    const back = rollbackAlone(folder, to, { id: 'drill', running: to, by: 'in a drill' })
    const leads = currentVersionFolder(folder) === versionFolderName(now.sha256)
    const ran = !agent || !back.ok || (await agent.runs(now.sha256, stop))
    const good = back.ok && leads && ran
    if (
      !add(
        'roll back',
        `"${commandHint('rollback')}", or the service by naming the version before: "current" leads back, without the network, and the version left is on hold.`,
        good ? 'done' : 'failed',
        good
          ? (back.update.applied?.message ?? '')
          : back.ok
            ? `${from} does not run again: ${agent?.sentence() ?? '"current" leads elsewhere'}`
            : back.message,
      )
    )
      return steps
    if (agent)
      add('state', "The state is nobody's but the agent's.", 'left out', 'the agent ran, and may have changed its own')
    else {
      const same = folderChecksum(folder.state) === before
      add(
        'state',
        'No file of the state is changed.',
        same ? 'done' : 'failed',
        same ? 'every file is as it was' : 'files of the state differ',
      )
    }
    return steps
  } finally {
    await agent?.end()
  }
}

/**
 * Runs the state machine of real updates with a local bundle, until the new version is kept or has failed. If the drill
 * does not start the agent, the state machine stops before the trial.
 */
async function update(
  copy: DrillCopy,
  agent: ReturnType<typeof begin> | undefined,
  { stop, say }: Pick<Rehearsal, 'stop' | 'say'>,
) {
  const { folder, now, next } = copy
  const over = new AbortController()
  const ends = AbortSignal.any([stop, over.signal])
  const states: Update['state'][] = []
  let state: Update = {
    state: 'staging',
    running: { version: now.manifest.version, sha256: now.sha256 },
    to: { version: next.manifest.version, sha256: next.sha256 },
    rollbacks: [],
  }
  const save = (update: Update): undefined => {
    state = update
    states.push(update.state)
    writeUpdate(folder, update)
    if (update.state === 'watching' || update.state === 'idle' || (update.state === 'proving' && !agent)) over.abort()
  }
  save(state)
  await driveUpdates({
    folder,
    blueprint: next.manifest.name,
    stop: ends,
    attempt: () => ends,
    say,
    process: () => agent?.state() ?? { is: 'stopped', because: 'asked' },
    deaths: () => agent?.deaths() ?? 0,
    manifest: async () => await manifestNow(folderOfCurrent(folder)).then((m) => (m.ok ? m.value : undefined)),
    now: () => state,
    wish: () => undefined,
    asked: () => undefined,
    look: () => agent?.check(),
    save,
    bundle: { bytes: Buffer.from(next.bytes) },
  })
  if (state.state === 'proving' && !agent) save(updateAfterStep(state, { event: 'done', level: 'ok' }, stepMoment()))
  return { seen: states, now: state }
}

/** Starts the agent's command in the copy, with the same supervisor that the launcher uses. */
function begin({ folder, manifest }: DrillCopy, say: (line: string) => void) {
  let deaths = 0
  const started = supervise(folder, takeOverProcess(folder), {
    order: async () => {
      const here = folderOfCurrent(folder)
      const read = await manifestNow(here)
      return read.ok ? startOrderOf(here, read.value) : undefined
    },
    changed: (state) => {
      if (state.is === 'waiting' && state.exit && state.exit.code !== 0) deaths++
    },
    say,
  })
  const state = () => started.state()
  const status = manifest.status === undefined ? undefined : machinePathOf(folder, manifest, manifest.status)
  const written = () => (status === undefined ? undefined : statSync(status, { throwIfNoEntry: false })?.mtimeMs)
  return {
    state,
    deaths: () => deaths,
    check: () => started.check(),
    sentence: () => processStateSentence(state()),
    end: () => started.stop(),
    /**
     * Resolves to true if this version runs, and has either written its status file or had enough time to write it; to
     * false if this version does not run.
     */
    async runs(sha256: string, stop: AbortSignal): Promise<boolean> {
      const holds = () => state().is === 'running' && state().version === versionFolderName(sha256)
      started.check()
      for (const end = performance.now() + Math.max(scaledMs(60), 20_000); !holds() && performance.now() < end; )
        if (!(await wait(50, stop))) return false
      const since = Date.now()
      for (const end = performance.now() + Math.max(scaledMs(10), 5_000); holds() && performance.now() < end; )
        if ((written() ?? 0) > since || !(await wait(50, stop))) break
      return holds()
    },
  }
}

/** Returns a checksum over the names, modes and contents of everything below a folder. */
export function folderChecksum(root: string): string {
  const sum = createHash('sha256')
  const walk = (path: string, name: string) => {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (!stat) return
    sum.update(`\0${name}\0${stat.mode}\0`)
    if (stat.isSymbolicLink()) sum.update(readlinkSync(path))
    else if (stat.isFile()) sum.update(readFileSync(path))
    else if (stat.isDirectory()) for (const each of fileNamesIn(path).sort()) walk(join(path, each), `${name}/${each}`)
  }
  walk(root, '')
  return sum.digest('hex')
}
