/** The tools whose sessions svc reads, and the folders with these sessions. */
import { isAbsolute, join, resolve } from 'node:path'
import { claudeReader } from './claude-files.ts'
import { codexReader } from './codex-files.ts'
import type { Machine } from './machine.ts'
import { opencodeReader } from './opencode-files.ts'
import type { ToolName, ToolReader } from './session.ts'

/** A folder in which a tool keeps its sessions. */
export interface ToolFolder {
  readonly tool: ToolName
  readonly folder: string
}

interface Tool {
  /** Makes the reader of a folder with sessions of this tool. */
  readonly reader: (folder: string, machine: Machine) => ToolReader
  /** The tool's default folder, as a path below HOME. */
  readonly usual: string
  /** The environment variable that names another folder, and the path of the tool's folder below that one. */
  readonly variable: string
  readonly path: string
}

const known: Readonly<Record<ToolName, Tool>> = {
  claude: { reader: claudeReader, usual: '.claude', variable: 'CLAUDE_CONFIG_DIR', path: '' },
  codex: { reader: codexReader, usual: '.codex', variable: 'CODEX_HOME', path: '' },
  opencode: {
    ...{ reader: opencodeReader, usual: '.local/share/opencode' },
    ...{ variable: 'XDG_DATA_HOME', path: 'opencode' },
  },
}

const all = Object.entries(known) as [ToolName, Tool][]
/** The names of the tools whose sessions svc reads, in the order in which they are shown. */
export const knownTools: readonly ToolName[] = all.map(([tool]) => tool)

/** The default folder of each tool below this home folder; empty if the home folder is not known. */
export const usualFolders = (home: string | undefined): ToolFolder[] =>
  home === undefined || !isAbsolute(home) ? [] : all.map(([tool, { usual }]) => ({ tool, folder: join(home, usual) }))

/** The folders that variables of this environment name instead of the default folders. */
export const otherFolders = (env: NodeJS.ProcessEnv): ToolFolder[] =>
  all.flatMap(([tool, { variable, path }]) => {
    const folder = env[variable] ?? ''
    return isAbsolute(folder) ? [{ tool, folder: resolve(folder, path) }] : []
  })

/** A folder as the note `adopted.json` holds it, such as `claude=/srv/claude`. */
export const folderText = ({ tool, folder }: ToolFolder): string => `${tool}=${folder}`

/** Reads a text that `folderText` has made; undefined for any other text. */
export function folderIn(text: string): ToolFolder | undefined {
  const at = text.indexOf('=')
  const [tool, folder] = [text.slice(0, at) as ToolName, text.slice(at + 1)]
  return Object.hasOwn(known, tool) && isAbsolute(folder) ? { tool, folder } : undefined
}

export const readerOf = ({ tool, folder }: ToolFolder, machine: Machine): ToolReader =>
  known[tool].reader(folder, machine)
