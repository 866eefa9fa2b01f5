/**
 * The preview of an installation: what an install code would install, as the service says it, and the text that a
 * person reads about it before anything is done.
 */
import { type InstallPreview, isToken, limits } from '@svc/protocol'
import { askPreview, retryWhileLimited } from '../../install/call.ts'
import { needsLines, wrongWithSvc } from '../../install/ready.ts'
import { askHidden, isInteractive, readPastedInput, standardInput } from '../kit/ask.ts'
import { exits, oneLine, Refusal, warn } from '../kit/output.ts'
import { originFrom } from './connecting.ts'

export const nothingInstalled = 'Nothing was installed; the code is still valid.'

interface PreviewOptions {
  readonly url: string
  readonly code?: string
}
interface PreviewedInstall {
  readonly origin: string
  readonly code: string
  readonly seen: InstallPreview
}

/** Reads the address and the install code, and asks the service what the code would install. */
export async function previewCode({ url, code: typed }: PreviewOptions): Promise<PreviewedInstall> {
  const origin = originFrom(url)
  const code = await codeFrom(typed)
  const preview = await retryWhileLimited(
    () => askPreview(origin, code, new AbortController().signal),
    tellWait(origin),
  )
  if (!preview.ok) throw new Refusal(preview.message, preview.is === 'unreached' ? exits.unreached : exits.refused)
  const old = wrongWithSvc(preview.value)
  if (old) throw new Refusal(`${old} ${nothingInstalled}`)
  return { origin, code, seen: preview.value }
}

/** Says why an installation waits, and for how long. */
export const tellWait =
  (origin: string) =>
  (seconds: number): void =>
    warn(
      `${origin} takes ${limits.installsPerMinute} install calls a minute from one address, and others came first. Trying again in ${seconds} s. Ctrl-C ends this, and the code stays valid for its fifteen minutes.`,
    )

/**
 * Reads the install code from --code, SVC_CODE, the terminal or standard input. The argument --code is the least safe
 * way, since every user of the machine can see arguments.
 */
async function codeFrom(given: string | undefined): Promise<string> {
  const code = readPastedInput(
    'The install code',
    given ??
      (process.env.SVC_CODE ||
        (isInteractive()
          ? await askHidden('The install code (it is not shown)', true)
          : await standardInput(limits.installBodyBytes))),
    { secret: true },
  )
  if (isToken('install', code)) return code
  throw new Refusal(
    code === ''
      ? 'No install code was given. Paste it when asked, or pass it with --code, in SVC_CODE or on standard input.'
      : 'That is not an install code. A code starts with svc_inst_, followed by letters, digits, _ and - only. The service shows it when it is issued.',
    exits.usage,
  )
}

/** The text that a person reads: what is installed, in which folder, and what the agent may access. */
export function previewLines(preview: InstallPreview, origin: string, root: string): string[] {
  const secrets = preview.secrets ?? []
  const bindings = preview.bindings ?? []
  return [
    `${preview.agentName}: ${preview.blueprint} ${preview.version} from ${origin}`,
    ...(preview.description ? [`  ${preview.description}`] : []),
    `Goes into ${root}. It runs as your user on this machine (${preview.runtime ?? 'process'}) and can read what you can read.`,
    ...needsLines(preview),
    ...(bindings.length === 0
      ? ['It uses no other products.']
      : [
          'It gets a token for:',
          ...bindings.map((b) => `  ${b.product} as ${b.role}: ${b.scopes?.join(', ') || 'no scopes'}`),
        ]),
    ...(secrets.length === 0
      ? ['It needs no secrets.']
      : ['It needs:', ...secrets.map((s) => `  ${s.name}${s.optional ? ' (optional)' : ''}: ${s.purpose}`)]),
  ].map(oneLineKept)
}
const oneLineKept = (line: string): string => (/^ */.exec(line)?.[0] ?? '') + oneLine(line)
