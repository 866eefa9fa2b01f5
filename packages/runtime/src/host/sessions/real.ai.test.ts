/** Tests what svc says about sessions of the real tools, in a terminal and without one. Each scene has a time limit. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ModelService, startModelService } from '../../../testing/ai/model-service.ts'
import { endDaemons, runHeadless, untilItAsks, untilItShows } from '../../../testing/ai/scenes.ts'
import {
  programOf,
  type RealTool,
  realTools,
  type Terminal,
  type ToolHome,
  toolHome,
} from '../../../testing/ai/tools.ts'
import { newBudget } from './growing.ts'
import { thisMachine } from './machine.ts'
import type { ToolSession } from './session.ts'
import { readerOf, usualFolders } from './tools.ts'

/** The folders of the programs, or why there are none. */
const programs = new Map<RealTool, { readonly bin?: string; readonly why?: string }>()
for (const tool of realTools) programs.set(tool, await programOf(tool))
for (const [tool, { why }] of programs)
  if (why !== undefined) process.stderr.write(`NOT TESTED: the real ${tool}, since ${why}\n`)

/** Waits for a session that runs. A tool may need some time to begin. */
async function runningSession(look: () => readonly ToolSession[]): Promise<ToolSession> {
  for (const end = Date.now() + 60_000; ; await sleep(200)) {
    const running = look().find(({ state }) => state === 'running')
    if (running !== undefined) return running
    if (Date.now() > end) throw new Error(`The sessions are ${look().map(({ state }) => state)}`)
  }
}

/** The tool writes its note first, and `svc watch` reads it at most five seconds later. */
const noteSeconds = 10

describe.each(realTools)('%s', (tool) => {
  const { bin = '' } = programs.get(tool) ?? {}
  let service: ModelService
  const homes: ToolHome[] = []
  const terminals: Terminal[] = []
  beforeAll(async () => {
    service = await startModelService()
  })
  afterAll(async () => {
    for (const terminal of terminals) terminal.close()
    for (const home of homes) {
      endDaemons(home)
      home.remove()
    }
    await service.close()
  })

  const newHome = () => {
    const home = toolHome(tool, bin, service)
    homes.push(home)
    const readers = usualFolders(home.home).map((folder) => readerOf(folder, thisMachine()))
    const look = (): readonly ToolSession[] =>
      readers.flatMap(
        (read) =>
          read({ now: Date.now(), budget: newBudget(), dayOf: (at) => Math.floor(at / 86_400) })?.sessions ?? [],
      )
    const becomes = async (state: string): Promise<void> => {
      for (const end = Date.now() + noteSeconds * 1000; look()[0]?.state !== state; await sleep(200))
        if (Date.now() > end) throw new Error(`It is ${look()[0]?.state}, not ${state}`)
    }
    return { home, look, becomes }
  }
  /** Waits until the tool has asked the model for all that a prompt needs. */
  const answerBegins = async (prompt: string, requests: number): Promise<void> => {
    const asked = () => service.asked.filter((text) => text.includes(prompt)).length
    for (const end = Date.now() + 60_000; asked() < requests; await sleep(200))
      if (Date.now() > end) throw new Error(`The model was asked ${asked()} times for "${prompt}"`)
  }
  const asks = async (home: ToolHome): Promise<Terminal> => {
    const terminal = await untilItAsks(home, tool, bin, 'please [[bash touch file-of-test]] [[ask]]')
    terminals.push(terminal)
    return terminal
  }

  /** opencode does not note that it asks. */
  const notesQuestions = tool !== 'opencode'
  test.runIf(bin && notesQuestions)(
    'a question waits for the person, and once it is answered the session is idle',
    async () => {
      const { home, look, becomes } = newHome()
      const terminal = await asks(home)
      await becomes('waiting')
      expect(look()).toMatchObject([{ lives: true, steps: 1 }])
      terminal.press(tool === 'claude' ? 'Enter' : 'y')
      await becomes('idle')
      expect(look()[0]?.folder).toBe(home.work)
      await terminal.quit()
      // The daemon of Codex keeps the session for a time after its terminal is gone.
      await becomes(tool === 'claude' ? 'over' : 'idle')
    },
  )

  test.runIf(bin && notesQuestions)(
    'a session that is killed while it waits died, and one that is killed at its prompt is over',
    async () => {
      const { home, becomes } = newHome()
      const terminal = await asks(home)
      await becomes('waiting')
      if (tool === 'claude') process.kill(terminal.pid, 'SIGKILL')
      else {
        terminal.close()
        await sleep(2000)
        await becomes('waiting')
        endDaemons(home)
      }
      await becomes('died')
      const other = newHome()
      const idle = await asks(other.home)
      idle.press(tool === 'claude' ? 'Enter' : 'y')
      await other.becomes('idle')
      if (tool === 'claude') process.kill(idle.pid, 'SIGKILL')
      else endDaemons(other.home)
      await other.becomes('over')
    },
  )

  test.runIf(bin && !notesQuestions)('a session runs, is idle, and is over once the person has ended it', async () => {
    const { home, look, becomes } = newHome()
    const terminal = await untilItShows(/esc interrupt/, home, tool, bin, 'say [[slow 15]]')
    terminals.push(terminal)
    await becomes('running')
    expect(look()).toMatchObject([{ lives: true, pid: terminal.pid, folder: home.work }])
    await terminal.shows(/^(?![\s\S]*esc interrupt)/, 60)
    await becomes('idle')
    await terminal.quit()
    await becomes('over')
  })

  test.runIf(bin && !notesQuestions)(
    'a session that is killed in the middle died, and one whose turn the person ended is idle',
    async () => {
      for (const end of ['killed', 'ended'] as const) {
        const { home, becomes } = newHome()
        const terminal = await untilItShows(/esc interrupt/, home, tool, bin, 'say [[slow 60]]')
        terminals.push(terminal)
        await becomes('running')
        if (end === 'killed') process.kill(terminal.pid, 'SIGKILL')
        // The tool answers the first Escape by asking for a second one.
        else for (let times = 0; times < 2; times++, await sleep(500)) terminal.press('Escape')
        await becomes(end === 'killed' ? 'died' : 'idle')
      }
    },
  )

  test.runIf(bin)('a run without a terminal is a session that works, and then over, failed or died', async () => {
    const { home, look } = newHome()
    const runs = runHeadless(home, tool, bin, 'say [[slow 8]]')
    await runningSession(look)
    await runs
    await runHeadless(home, tool, bin, 'fails [[status 401]]')
    const killed = runHeadless(home, tool, bin, 'killed [[slow 60]]')
    const running = await runningSession(look)
    // A session of opencode can only count as died once its answer has started, and opencode also requests a title.
    await answerBegins('killed', tool === 'opencode' ? 2 : 1)
    // Claude Code notes its process before it writes the prompt.
    await sleep(5000)
    if (running.pid !== undefined) process.kill(running.pid, 'SIGKILL')
    await killed
    expect(
      look()
        .map(({ state }) => state)
        .sort(),
    ).toEqual(['died', 'failed', 'over'])
    const reported = look().find(({ state }) => state === 'over')?.spent.reported
    expect(reported === undefined).toBe(tool === 'codex')
  })
})
