/**
 * Registers and starts a product for the demo, activates it for the workspace, and creates its documents. One of the
 * demo's agents works in this product.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DemoSetup, Operator } from './agents.ts'
import { onFreePort } from './ports.ts'
import { EndedEarly, type Processes } from './processes.ts'

const id = 'tasks'

const startSeconds = 60

/**
 * Starts the product, waits until it accepts connections, and returns its origin. The product gets its secret in an
 * environment variable.
 */
export async function startProduct(
  setup: DemoSetup,
  { processes, operator }: { processes: Processes; operator: Operator },
): Promise<string> {
  return await onFreePort(8790, async (port) => {
    const origin = `http://localhost:${port}`
    try {
      await startAt(origin, setup, { processes, operator })
      return origin
    } catch (error) {
      if (error instanceof EndedEarly) await operator(setup, ['product', 'remove', id])
      throw error
    }
  })
}

async function startAt(
  origin: string,
  setup: DemoSetup,
  { processes, operator }: { processes: Processes; operator: Operator },
): Promise<void> {
  const { root, folder, env, url, workspace } = setup
  const { secret } = await operator<{ secret: string }>(setup, ['product', 'add', id, '--origin', origin])
  await operator(setup, ['workspace', 'activate', workspace, id])
  await processes.start(id, {
    command: [process.execPath, join(root, 'examples/product/main.mts')],
    cwd: folder,
    env: {
      ...env,
      SVC_URL: url,
      TASKS_SECRET: secret,
      TASKS_PORT: new URL(origin).port,
      TASKS_ORIGIN: origin,
      TASKS_FILE: join(folder, 'tasks.json'),
    },
  })
  await processes.hears(id, /^The task list is at /m, startSeconds)
}

/**
 * Writes two documents with links, which the agent link-checker checks. One of the links is broken: it leads to a third
 * document, which does not exist.
 */
export function writeDocuments(folder: string): void {
  const documents = join(folder, 'documents')
  mkdirSync(documents)
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(documents, name), text)
}

export const missingDocument = 'holidays.md'
const texts = {
  'handbook.md': `# Handbook

How we work: [who to ask](people.md#who-to-ask), and [when nobody is there](${missingDocument}).
`,
  'people.md': `# People

Back to the [handbook](handbook.md).

## Who to ask

Ada for the machines, Grace for everything else.
`,
}
